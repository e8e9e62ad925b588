//! People of credits: matching within a recording, then across the catalogue.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::disjoint_sets::DisjointSets;
use super::person_context::{MAX_CONTEXT, add_context, person_key};
use super::recordings::RecordingCluster;
use super::{DoubtfulMerge, EarlierEntities, MergeDecision, ResolvedCredit, person_entity};
use crate::compare::{ComparedContext, ComparedRecord, compare_records};
use crate::model::{
    CreditRole, CreditSource, EntityIdentifiers, EntityType, NormalizedRecord, RecordReference,
    RecordRelationship, ResolutionMethod, ResolvedEntity,
};
use crate::names::{PersonName, RelationKind, relate_names};
use crate::score::role_group;

/// Largest number of people of one name key that are compared with each other.
const MAX_NAMESAKES: usize = 24;

/// Person as one source names it.
#[derive(Debug, Default)]
struct PersonEntry {
    key: String,
    /// Source, if it identifies the person by an id.
    source: Option<CreditSource>,
    names: BTreeMap<String, usize>,
    identifiers: EntityIdentifiers,
    context: ComparedContext,
    /// Records in which the person is credited, the first ones.
    records: Vec<usize>,
    reasons: Vec<String>,
    is_matched_by_name: bool,
}

/// People of all credits.
#[derive(Debug, Default)]
pub(super) struct PersonIndex {
    numbers: HashMap<String, usize>,
    entries: Vec<PersonEntry>,
    sets: DisjointSets,
    apart: HashSet<(String, String)>,
    together: Vec<(String, String)>,
    doubtful: Vec<DoubtfulMerge>,
}

impl PersonIndex {
    pub(super) fn new(records: &[NormalizedRecord], decisions: &[MergeDecision]) -> Self {
        let mut index = Self::default();
        for decision in decisions {
            let pair = (decision.one.clone(), decision.other.clone());
            match decision.same {
                true => index.together.push(pair),
                false => {
                    index.apart.insert((pair.1.clone(), pair.0.clone()));
                    index.apart.insert(pair);
                }
            }
        }
        for (at, record) in records.iter().enumerate() {
            match record.entity_type {
                EntityType::Artist => index.add_artist(at, record),
                _ => record
                    .relationships
                    .iter()
                    .for_each(|credit| index.add_credit(at, record, credit)),
            }
        }
        index
    }

    fn entry(&mut self, key: &str) -> (usize, &mut PersonEntry) {
        let number = match self.numbers.get(key) {
            Some(number) => *number,
            None => {
                let number = self.sets.add();
                self.numbers.insert(key.to_owned(), number);
                self.entries.push(PersonEntry {
                    key: key.to_owned(),
                    ..PersonEntry::default()
                });
                number
            }
        };
        (number, &mut self.entries[number])
    }

    fn add_artist(&mut self, at: usize, record: &NormalizedRecord) {
        let (_, entry) = self.entry(&format!("{}:{}", record.source.as_str(), record.source_id));
        entry.source = Some(record.source);
        entry.identifiers.fill_from(&record.identifiers);
        *entry
            .names
            .entry(record.canonical_name.clone())
            .or_default() += 1000;
        for name in record.alternative_names.iter().take(200) {
            entry.names.entry(name.clone()).or_default();
        }
        entry.records.push(at);
    }

    fn add_credit(&mut self, at: usize, record: &NormalizedRecord, credit: &RecordRelationship) {
        if credit.target_entity_type != EntityType::Artist || credit.name().is_empty() {
            return;
        }
        let key = person_key(record, credit);
        let (_, entry) = self.entry(&key);
        if credit.has_source_id() {
            entry.source = Some(credit.target_source);
            match credit.target_source {
                CreditSource::MusicBrainz => {
                    entry.identifiers.mbid = Some(credit.target_source_id.clone());
                }
                CreditSource::Discogs => {
                    entry.identifiers.discogs_id = credit.target_source_id.parse().ok();
                }
                _ => {}
            }
        }
        for (kind, slot) in [
            ("isni", &mut entry.identifiers.isni),
            ("ipi", &mut entry.identifiers.ipi),
        ] {
            if let Some(value) = credit.attributes.get(kind) {
                *slot = Some(value.clone());
            }
        }
        *entry.names.entry(credit.name().to_owned()).or_default() += 1;
        for key in ["credited_as", "sort_name"] {
            if let Some(name) = credit.attributes.get(key) {
                entry.names.entry(name.clone()).or_default();
            }
        }
        if entry.records.len() < MAX_CONTEXT && entry.records.last() != Some(&at) {
            entry.records.push(at);
        }
        add_context(&mut entry.context, record, credit);
    }

    /// Matches the people of one recording. The recording is a strong context, so fitting names are enough.
    pub(super) fn match_within(
        &mut self,
        records: &[NormalizedRecord],
        cluster: &RecordingCluster,
    ) {
        let mut people: BTreeMap<usize, (PersonName, BTreeSet<CreditRole>)> = BTreeMap::new();
        for at in &cluster.records {
            for credit in &records[*at].relationships {
                let Some(number) = self.numbers.get(&person_key(&records[*at], credit)) else {
                    continue;
                };
                let entry = people
                    .entry(*number)
                    .or_insert_with(|| (PersonName::parse(credit.name()), BTreeSet::new()));
                entry.1.extend(credit.role().map(role_group));
            }
        }
        let people: Vec<(usize, (PersonName, BTreeSet<CreditRole>))> = people.into_iter().collect();
        for (position, (one, (one_name, one_roles))) in people.iter().enumerate() {
            for (other, (other_name, other_roles)) in &people[..position] {
                let relation = relate_names(one_name, other_name);
                let is_enough = match relation.kind {
                    RelationKind::Same
                    | RelationKind::Spelling
                    | RelationKind::Extended
                    | RelationKind::ShortForm
                    | RelationKind::Initials
                    | RelationKind::Typo
                    | RelationKind::InitialsAndTypo
                    | RelationKind::Reordered => true,
                    RelationKind::SurnameOnly
                    | RelationKind::GivenNameOnly
                    | RelationKind::Acronym => !one_roles.is_disjoint(other_roles),
                    _ => false,
                };
                if is_enough && self.can_join(*one, *other) {
                    let reason = format!("{}, on the same recording", relation.reason);
                    self.join(*one, *other, reason, relation.kind != RelationKind::Same);
                }
            }
        }
    }

    /// Returns false for two ids of one source, different identifiers, or people whom a person has kept apart.
    fn can_join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.sets.find(one), self.sets.find(other));
        if one == other {
            return false;
        }
        let (a, b) = (&self.entries[one], &self.entries[other]);
        let pair = (a.key.clone(), b.key.clone());
        let differs =
            |x: &Option<String>, y: &Option<String>| matches!((x, y), (Some(x), Some(y)) if x != y);
        let is_same_source = a
            .identifiers
            .discogs_id
            .is_some_and(|id| b.identifiers.discogs_id.is_some_and(|other| other != id))
            || differs(&a.identifiers.mbid, &b.identifiers.mbid)
            || differs(&a.identifiers.isni, &b.identifiers.isni);
        !is_same_source && !self.apart.contains(&pair)
    }

    fn join(&mut self, one: usize, other: usize, reason: String, is_by_name: bool) {
        let (one, other) = (self.sets.find(one), self.sets.find(other));
        self.sets.join(one, other);
        let (kept, merged) = (one.min(other), one.max(other));
        let taken = std::mem::take(&mut self.entries[merged].identifiers);
        let records = self.entries[merged].records.clone();
        let entry = &mut self.entries[kept];
        entry.identifiers.fill_from(&taken);
        entry.records.extend(records);
        entry.reasons.push(reason);
        entry.is_matched_by_name |= is_by_name;
        self.entries[merged].identifiers = taken;
    }

    /// Compares people of fitting names across the catalogue, and joins those whom identifiers or decisions join.
    pub(super) fn match_across(&mut self) {
        for (one, other) in std::mem::take(&mut self.together) {
            if let (Some(one), Some(other)) = (
                self.numbers.get(&one).copied(),
                self.numbers.get(&other).copied(),
            ) {
                self.join(one, other, "merged by a person".to_owned(), false);
            }
        }
        let mut blocks: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for number in 0..self.entries.len() {
            if self.sets.find(number) == number {
                let entry = &self.entries[number];
                let key = PersonName::parse(main_name(entry)).blocking_key();
                blocks.entry(key).or_default().push(number);
                for (kind, value) in entry.identifiers.pairs() {
                    if matches!(kind, "isni" | "ipi" | "mbid") {
                        blocks
                            .entry(format!("{kind}:{value}"))
                            .or_default()
                            .push(number);
                    }
                }
            }
        }
        for members in blocks.into_values().filter(|members| members.len() > 1) {
            for (position, one) in members.iter().enumerate() {
                for other in members[..position].iter().take(MAX_NAMESAKES) {
                    if self.can_join(*one, *other) {
                        self.compare_people(*one, *other);
                    }
                }
            }
        }
    }

    fn compare_people(&mut self, one: usize, other: usize) {
        let result = compare_records(
            &compared(&self.entries[one]),
            &compared(&self.entries[other]),
        );
        if result.same == Some(true) {
            let is_by_name = !result.is_by_identifier;
            self.join(one, other, result.reasons.join("; "), is_by_name);
        } else if result.same.is_none() && result.score >= 0.6 {
            let (a, b) = (&self.entries[one], &self.entries[other]);
            self.doubtful.push(DoubtfulMerge {
                one: a.key.clone(),
                other: b.key.clone(),
                one_name: main_name(a).to_owned(),
                other_name: main_name(b).to_owned(),
                score: result.score,
                reasons: result.reasons,
            });
        }
    }

    pub(super) fn take_doubtful(&mut self) -> Vec<DoubtfulMerge> {
        std::mem::take(&mut self.doubtful)
    }

    /// Returns the entities of all people, and the entity id of each number.
    pub(super) fn entities(
        &mut self,
        records: &[NormalizedRecord],
        earlier: &EarlierEntities,
        now: &str,
    ) -> (Vec<ResolvedEntity>, HashMap<usize, String>) {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.entries.len() {
            groups
                .entry(self.sets.find(number))
                .or_default()
                .push(number);
        }
        let (mut entities, mut ids) = (Vec::new(), HashMap::new());
        for (root, members) in groups {
            let keys = members
                .iter()
                .map(|number| self.entries[*number].key.as_str());
            let (id, merged_from) = earlier.id_of("person", keys);
            let mut names: BTreeMap<&str, usize> = BTreeMap::new();
            let mut identifiers = EntityIdentifiers::default();
            for number in &members {
                identifiers.fill_from(&self.entries[*number].identifiers);
                let bonus = if self.entries[*number].source.is_some() {
                    2
                } else {
                    1
                };
                for (name, count) in &self.entries[*number].names {
                    *names.entry(name).or_default() += count * bonus;
                }
                ids.insert(*number, id.clone());
            }
            let mut ranked: Vec<(&str, usize)> = names.into_iter().collect();
            // The most used name; among equals the longest, because initials say less.
            ranked.sort_by(|a, b| {
                b.1.cmp(&a.1)
                    .then(b.0.len().cmp(&a.0.len()))
                    .then(a.0.cmp(b.0))
            });
            let names = ranked
                .into_iter()
                .map(|(name, _)| name.to_owned())
                .take(100)
                .collect();
            let entry = &self.entries[root];
            let method = match (members.len(), entry.is_matched_by_name) {
                (1, _) | (_, false) => (ResolutionMethod::ExactId, 1.0),
                _ => (ResolutionMethod::Graph, 0.9),
            };
            let references = references(records, entry, &members, &self.entries);
            entities.push(person_entity(
                id,
                merged_from,
                names,
                identifiers,
                references,
                method,
                now,
            ));
        }
        (entities, ids)
    }

    /// Returns the credits of a record with the people they mean.
    pub(super) fn credits_of(
        &self,
        records: &[NormalizedRecord],
        at: usize,
        ids: &HashMap<usize, String>,
    ) -> Vec<ResolvedCredit> {
        let record = &records[at];
        let credits = record.relationships.iter().filter_map(|credit| {
            let number = self.numbers.get(&person_key(record, credit))?;
            let printed = credit
                .attributes
                .get("credited_as")
                .map_or(credit.name(), String::as_str);
            Some(ResolvedCredit {
                entity_id: ids.get(number)?.clone(),
                role: credit.role()?,
                role_detail: credit.attributes.get("role_detail").cloned(),
                credited_as: printed.to_owned(),
            })
        });
        credits.collect()
    }
}

fn references(
    records: &[NormalizedRecord],
    root: &PersonEntry,
    members: &[usize],
    entries: &[PersonEntry],
) -> Vec<RecordReference> {
    let mut seen = BTreeSet::new();
    let mut references = Vec::new();
    for number in members {
        for at in &entries[*number].records {
            let record = &records[*at];
            if references.len() < MAX_CONTEXT && seen.insert(&record.record_id) {
                references.push(RecordReference {
                    record_id: record.record_id.clone(),
                    source: record.source,
                    source_id: entries[*number].key.clone(),
                    agreement_score: 1.0,
                    reasons: root.reasons.iter().take(4).cloned().collect(),
                });
            }
        }
    }
    references
}

fn main_name(entry: &PersonEntry) -> &str {
    let best = entry
        .names
        .iter()
        .max_by(|a, b| a.1.cmp(b.1).then(a.0.len().cmp(&b.0.len())));
    best.map_or("", |(name, _)| name)
}

fn compared(entry: &PersonEntry) -> ComparedRecord {
    let mut identifiers = serde_json::Map::new();
    for (kind, value) in entry.identifiers.pairs() {
        identifiers.insert(kind.to_owned(), value.into());
    }
    let name = main_name(entry);
    ComparedRecord {
        name: name.to_owned(),
        entity_type: Some("ARTIST".to_owned()),
        identifiers,
        aliases: entry
            .names
            .keys()
            .filter(|alias| *alias != name)
            .take(MAX_CONTEXT)
            .cloned()
            .collect(),
        context: entry.context.clone(),
    }
}
