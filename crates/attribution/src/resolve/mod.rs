//! Resolution: records that mean one recording, and credits that mean one person.
//!
//! Recordings are candidates if they share an identifier or the sound of title and artist; only candidates are compared,
//! so the cost grows with the number of records, not of pairs. Within a recording, names of different sources are matched:
//! the shared recording is the strongest context there is. Then people of the same name across the catalogue are
//! compared with everything they have in common. Every merge keeps its reasons; doubtful ones are left for a person.

mod disjoint_sets;
mod people;
mod person_context;
mod recordings;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{
    AssuranceLevel, CreditConflict, CreditRole, CreditSource, EntityIdentifiers, EntityType,
    NormalizedRecord, ResolutionMethod, ResolvedEntity, SCHEMA_VERSION,
};
use crate::score::assurance_of;

use people::PersonIndex;
use recordings::RecordingCluster;

/// Decision of a person about a merge, which resolution obeys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeDecision {
    /// Record or person key on one side.
    pub one: String,
    /// Record or person key on the other side.
    pub other: String,
    /// True to merge, false to keep apart.
    pub same: bool,
    /// Author of the decision.
    pub decided_by: String,
    /// Time of the decision (RFC 3339).
    pub decided_at: String,
}

/// Merge that the evidence neither supports nor excludes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtfulMerge {
    /// Record or person key on one side.
    pub one: String,
    /// Record or person key on the other side.
    pub other: String,
    /// Name on one side.
    pub one_name: String,
    /// Name on the other side.
    pub other_name: String,
    /// Probability from 0 to 1 that they are the same.
    pub score: f64,
    /// Evidence.
    pub reasons: Vec<String>,
}

/// Credit with the person it means.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedCredit {
    /// Person or group.
    pub entity_id: String,
    /// Role.
    pub role: CreditRole,
    /// Role as the source writes it.
    pub role_detail: Option<String>,
    /// Name as the source writes it.
    pub credited_as: String,
}

/// Recording with its records and their credits.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedWork {
    /// Recording.
    pub entity: ResolvedEntity,
    /// Positions of its records.
    pub records: Vec<usize>,
    /// Credits of each record, in the order of `records`.
    pub credits: Vec<Vec<ResolvedCredit>>,
    /// Name of the main artists.
    pub artist_name: String,
}

/// Result of resolution.
#[derive(Debug, Default)]
pub struct Resolution {
    /// Recordings.
    pub works: Vec<ResolvedWork>,
    /// People and groups.
    pub people: Vec<ResolvedEntity>,
    /// Merges for a person to decide.
    pub doubtful: Vec<DoubtfulMerge>,
}

/// Earlier results, which give entities the ids they had.
#[derive(Debug, Default)]
pub struct EarlierEntities {
    /// Entity id by record id or person key.
    pub ids: HashMap<String, String>,
}

impl EarlierEntities {
    /// Returns the id of a group of keys: the one that most of them had, or a new one derived from the first key; and
    /// the other ids that they had.
    fn id_of<'k>(&self, kind: &str, keys: impl Iterator<Item = &'k str>) -> (String, Vec<String>) {
        let mut counts: HashMap<&String, usize> = HashMap::new();
        let mut first: Option<&str> = None;
        for key in keys {
            first = Some(first.map_or(key, |first| first.min(key)));
            if let Some(id) = self.ids.get(key) {
                *counts.entry(id).or_default() += 1;
            }
        }
        let mut ranked: Vec<(&String, usize)> = counts.into_iter().collect();
        ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let mut ids = ranked.into_iter().map(|(id, _)| id.clone());
        let id = ids.next().unwrap_or_else(|| {
            crate::ids::derived_id(&format!("{kind}\n{}", first.unwrap_or_default()))
        });
        (id, ids.collect())
    }
}

/// Resolves the recordings and people of records. `now` is the time of resolution (RFC 3339).
pub fn resolve(
    records: &[NormalizedRecord],
    earlier: &EarlierEntities,
    decisions: &[MergeDecision],
    now: &str,
) -> Resolution {
    let clusters = recordings::cluster(records, decisions);
    let mut index = PersonIndex::new(records, decisions);
    for cluster in &clusters.clusters {
        index.match_within(records, cluster);
    }
    index.match_across();
    let (people, ids) = index.entities(records, earlier, now);
    let mut doubtful = clusters.doubtful;
    doubtful.extend(index.take_doubtful());
    let works = clusters
        .clusters
        .iter()
        .map(|cluster| resolved_work(records, cluster, &index, &ids, earlier, now));
    Resolution {
        works: works.collect(),
        people,
        doubtful,
    }
}

fn resolved_work(
    records: &[NormalizedRecord],
    cluster: &RecordingCluster,
    index: &PersonIndex,
    ids: &HashMap<usize, String>,
    earlier: &EarlierEntities,
    now: &str,
) -> ResolvedWork {
    let members: Vec<&NormalizedRecord> = cluster.records.iter().map(|at| &records[*at]).collect();
    let (entity_id, merged_from) = earlier.id_of(
        "work",
        members.iter().map(|record| record.record_id.as_str()),
    );
    let mut identifiers = EntityIdentifiers::default();
    for record in &members {
        identifiers.fill_from(&record.identifiers);
    }
    let title =
        most_trusted(&members, |record| Some(record.canonical_name.as_str())).unwrap_or_default();
    let artist_name = most_trusted(&members, |record| record.extra("artist")).unwrap_or_default();
    let mut names: Vec<String> = members
        .iter()
        .map(|record| record.canonical_name.clone())
        .filter(|name| *name != title)
        .collect();
    names.sort();
    names.dedup();
    let sources: Vec<CreditSource> = members.iter().map(|record| record.source).collect();
    let credits = cluster
        .records
        .iter()
        .map(|at| index.credits_of(records, *at, ids))
        .collect();
    ResolvedWork {
        entity: ResolvedEntity {
            schema_version: SCHEMA_VERSION.to_owned(),
            entity_id,
            entity_type: EntityType::Recording,
            conflicts: title_conflicts(&members, &title),
            canonical_name: title,
            alternative_names: names,
            assurance_level: assurance_of(&sources, identifiers.has_any()),
            identifiers,
            source_records: cluster.references(records),
            resolution_method: cluster.method,
            resolution_confidence: cluster.confidence,
            needs_review: cluster.doubt.is_some(),
            review_reason: cluster.doubt.clone(),
            merged_from,
            resolved_at: now.to_owned(),
        },
        records: cluster.records.clone(),
        credits,
        artist_name,
    }
}

/// Returns the value of the most reliable source.
fn most_trusted<'r>(
    members: &[&'r NormalizedRecord],
    value: impl Fn(&'r NormalizedRecord) -> Option<&'r str>,
) -> Option<String> {
    let best = members
        .iter()
        .filter_map(|record| {
            Some((
                crate::score::reliability(record.source),
                value(record).filter(|text| !text.is_empty())?,
            ))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    best.map(|(_, text)| text.to_owned())
}

fn title_conflicts(members: &[&NormalizedRecord], title: &str) -> Vec<CreditConflict> {
    let folded = |text: &str| crate::names::search_words(text).concat();
    let differs = members
        .iter()
        .any(|record| folded(&record.canonical_name) != folded(title));
    let values = members.iter().map(|record| {
        (
            record.source.as_str().to_owned(),
            record.canonical_name.clone(),
        )
    });
    match differs {
        true => vec![CreditConflict {
            field: "work_title".to_owned(),
            values: values.collect(),
            severity: crate::model::ConflictSeverity::Low,
        }],
        false => Vec::new(),
    }
}

/// Method, confidence and assurance of a person's entity.
fn person_entity(
    entity_id: String,
    merged_from: Vec<String>,
    names: Vec<String>,
    identifiers: EntityIdentifiers,
    references: Vec<crate::model::RecordReference>,
    (method, confidence): (ResolutionMethod, f64),
    now: &str,
) -> ResolvedEntity {
    let sources: Vec<CreditSource> = references
        .iter()
        .map(|reference| reference.source)
        .collect();
    let mut names = names.into_iter();
    ResolvedEntity {
        schema_version: SCHEMA_VERSION.to_owned(),
        entity_id,
        entity_type: EntityType::Artist,
        canonical_name: names.next().unwrap_or_default(),
        alternative_names: names.collect(),
        assurance_level: match identifiers.has_any() {
            true => assurance_of(&sources, true),
            false => AssuranceLevel::Level0,
        },
        identifiers,
        source_records: references,
        resolution_method: method,
        resolution_confidence: confidence,
        conflicts: Vec::new(),
        needs_review: false,
        review_reason: None,
        merged_from,
        resolved_at: now.to_owned(),
    }
}
