//! Records of sources, before resolution.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{CreditRole, CreditSource, EntityType, RelationshipType};

/// Identifiers of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EntityIdentifiers {
    /// International Standard Recording Code.
    pub isrc: Option<String>,
    /// International Standard Musical Work Code.
    pub iswc: Option<String>,
    /// International Standard Name Identifier.
    pub isni: Option<String>,
    /// Interested Party Information number.
    pub ipi: Option<String>,
    /// MusicBrainz id.
    pub mbid: Option<String>,
    /// Discogs id.
    pub discogs_id: Option<u64>,
    /// AcoustID.
    pub acoustid: Option<String>,
}

impl EntityIdentifiers {
    /// Returns true if there is an identifier.
    pub fn has_any(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the identifiers as pairs of kind and value.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let texts = [
            ("isrc", &self.isrc),
            ("iswc", &self.iswc),
            ("isni", &self.isni),
            ("ipi", &self.ipi),
            ("mbid", &self.mbid),
            ("acoustid", &self.acoustid),
        ];
        let mut pairs: Vec<(&'static str, String)> = texts
            .into_iter()
            .filter_map(|(kind, value)| Some((kind, value.clone()?)))
            .collect();
        pairs.extend(self.discogs_id.map(|id| ("discogs_id", id.to_string())));
        pairs
    }

    /// Adds the identifiers of another record where this one has none.
    pub fn fill_from(&mut self, other: &Self) {
        let fill = |mine: &mut Option<String>, theirs: &Option<String>| {
            if mine.is_none() {
                mine.clone_from(theirs);
            }
        };
        fill(&mut self.isrc, &other.isrc);
        fill(&mut self.iswc, &other.iswc);
        fill(&mut self.isni, &other.isni);
        fill(&mut self.ipi, &other.ipi);
        fill(&mut self.mbid, &other.mbid);
        fill(&mut self.acoustid, &other.acoustid);
        self.discogs_id = self.discogs_id.or(other.discogs_id);
    }
}

/// Metadata of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordMetadata {
    /// Roles as the source writes them.
    pub roles: Vec<String>,
    /// Date of release, as far as known.
    pub release_date: Option<String>,
    /// Country of release.
    pub release_country: Option<String>,
    /// Genres and styles.
    pub genres: Vec<String>,
    /// Duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// Position on the medium.
    pub track_number: Option<u32>,
    /// Format of the medium.
    pub medium_format: Option<String>,
    /// Language.
    pub language: Option<String>,
    /// Further values: `artist`, `release`, `labels`.
    pub extras: BTreeMap<String, String>,
}

/// Relationship of a record to another entity of its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordRelationship {
    /// Type.
    pub relationship_type: RelationshipType,
    /// Source of the other entity.
    pub target_source: CreditSource,
    /// Id of the other entity at its source; a name if the source has no ids.
    pub target_source_id: String,
    /// Type of the other entity.
    pub target_entity_type: EntityType,
    /// Details: `name`, `credited_as`, `role`, `role_detail`.
    pub attributes: BTreeMap<String, String>,
}

impl RecordRelationship {
    /// Creates a credit of a person.
    pub fn credit(
        source: CreditSource,
        id: Option<String>,
        name: &str,
        role: CreditRole,
        detail: Option<&str>,
    ) -> Self {
        let mut attributes = BTreeMap::from([
            ("name".to_owned(), name.to_owned()),
            ("role".to_owned(), role.as_str().to_owned()),
        ]);
        if let Some(detail) = detail.filter(|detail| !detail.is_empty()) {
            attributes.insert("role_detail".to_owned(), detail.to_owned());
        }
        Self {
            relationship_type: relationship_of(role),
            target_source: source,
            target_source_id: id
                .unwrap_or_else(|| format!("name:{}", crate::names::search_words(name).join(" "))),
            target_entity_type: EntityType::Artist,
            attributes,
        }
    }

    /// Returns the name of the other entity.
    pub fn name(&self) -> &str {
        self.attributes.get("name").map_or("", String::as_str)
    }

    /// Returns the role, if the relationship is a credit.
    pub fn role(&self) -> Option<CreditRole> {
        self.attributes
            .get("role")
            .and_then(|role| CreditRole::from_word(role))
    }

    /// Returns true if the source identifies the other entity by an id, not only by its name.
    pub fn has_source_id(&self) -> bool {
        !self.target_source_id.starts_with("name:")
    }
}

fn relationship_of(role: CreditRole) -> RelationshipType {
    match role {
        CreditRole::Songwriter | CreditRole::Composer | CreditRole::Lyricist => {
            RelationshipType::Wrote
        }
        CreditRole::Producer => RelationshipType::Produced,
        CreditRole::Engineer => RelationshipType::Engineered,
        CreditRole::MixingEngineer => RelationshipType::Mixed,
        CreditRole::MasteringEngineer => RelationshipType::Mastered,
        CreditRole::Arranger => RelationshipType::Arranged,
        CreditRole::FeaturedArtist => RelationshipType::Featured,
        CreditRole::Remixer => RelationshipType::Remixed,
        CreditRole::Performer
        | CreditRole::SessionMusician
        | CreditRole::Conductor
        | CreditRole::Dj => RelationshipType::Performed,
    }
}

/// Record of one source about one recording, work, release or artist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NormalizedRecord {
    /// Version of the data model.
    pub schema_version: String,
    /// Id, derived from source and source id.
    pub record_id: String,
    /// Source.
    pub source: CreditSource,
    /// Id at the source.
    pub source_id: String,
    /// Type of the entity.
    pub entity_type: EntityType,
    /// Name or title.
    pub canonical_name: String,
    /// Other names.
    pub alternative_names: Vec<String>,
    /// Identifiers.
    pub identifiers: EntityIdentifiers,
    /// Metadata.
    pub metadata: RecordMetadata,
    /// Credits and other relationships.
    pub relationships: Vec<RecordRelationship>,
    /// Time of import (RFC 3339).
    pub fetch_timestamp: String,
    /// Confidence of the source in the record, from 0 to 1.
    pub source_confidence: f64,
}

impl NormalizedRecord {
    /// Creates a record without metadata. The id is derived from source and source id, so a second import replaces
    /// the record of the first.
    pub fn new(
        source: CreditSource,
        source_id: impl Into<String>,
        entity_type: EntityType,
        name: &str,
    ) -> Self {
        let source_id = source_id.into();
        Self {
            schema_version: super::SCHEMA_VERSION.to_owned(),
            record_id: crate::ids::derived_id(&format!(
                "record\n{}\n{}\n{source_id}",
                source.as_str(),
                entity_type.as_str()
            )),
            source,
            source_id,
            entity_type,
            canonical_name: name.trim().to_owned(),
            alternative_names: Vec::new(),
            identifiers: EntityIdentifiers::default(),
            metadata: RecordMetadata::default(),
            relationships: Vec::new(),
            fetch_timestamp: String::new(),
            source_confidence: 0.5,
        }
    }

    /// Returns a value of the extras.
    pub fn extra(&self, key: &str) -> Option<&str> {
        self.metadata.extras.get(key).map(String::as_str)
    }

    /// Returns the first error of the record: a missing name, or a missing identifier of a source that has them.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.canonical_name.is_empty() {
            return Err("the name is empty");
        }
        let needs_identifier = matches!(
            self.source,
            CreditSource::MusicBrainz | CreditSource::Discogs | CreditSource::AcoustId
        );
        if needs_identifier && !self.identifiers.has_any() {
            return Err("records of this source need an identifier");
        }
        Ok(())
    }
}
