//! Clusters of records that mean one recording.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::disjoint_sets::DisjointSets;
use super::{DoubtfulMerge, MergeDecision};
use crate::compare::{ComparedContext, ComparedRecord, Comparison, compare_records};
use crate::model::{CreditSource, EntityType, NormalizedRecord, RecordReference, ResolutionMethod};
use crate::names::{PersonName, search_words, sound_key};

/// Largest number of candidates that are compared with each other. Records beyond it are compared with the first ones.
const MAX_CANDIDATES: usize = 64;
/// Difference of durations that makes two recordings out of one title, in milliseconds.
const OTHER_DURATION_MS: u64 = 20_000;

/// Records of one recording.
#[derive(Debug)]
pub(super) struct RecordingCluster {
    pub(super) records: Vec<usize>,
    pub(super) method: ResolutionMethod,
    pub(super) confidence: f64,
    /// Reason for a review.
    pub(super) doubt: Option<String>,
    reasons: BTreeMap<usize, (f64, Vec<String>)>,
}

impl RecordingCluster {
    /// Returns the records with the reasons for which they were merged.
    pub(super) fn references(&self, records: &[NormalizedRecord]) -> Vec<RecordReference> {
        let references = self.records.iter().map(|at| {
            let (score, reasons) = self.reasons.get(at).cloned().unwrap_or((1.0, Vec::new()));
            RecordReference {
                record_id: records[*at].record_id.clone(),
                source: records[*at].source,
                source_id: records[*at].source_id.clone(),
                agreement_score: score,
                reasons,
            }
        });
        references.collect()
    }
}

/// Clusters with the merges that are left to a person.
pub(super) struct RecordingClusters {
    pub(super) clusters: Vec<RecordingCluster>,
    pub(super) doubtful: Vec<DoubtfulMerge>,
}

/// Returns a record as the comparison sees it.
fn compared(record: &NormalizedRecord) -> ComparedRecord {
    let list = |key: &str| -> Vec<String> {
        record
            .extra(key)
            .unwrap_or_default()
            .split("; ")
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let year = record
        .metadata
        .release_date
        .as_deref()
        .and_then(|date| date.get(..4)?.parse().ok());
    let mut with: Vec<String> = record
        .relationships
        .iter()
        .map(|credit| credit.name().to_owned())
        .collect();
    with.sort();
    with.dedup();
    ComparedRecord {
        name: record.canonical_name.clone(),
        entity_type: Some("RECORDING".to_owned()),
        identifiers: serde_json::Map::new(),
        aliases: Vec::new(),
        context: ComparedContext {
            release: record.extra("release").map(str::to_owned),
            release_artist: record
                .extra("artist")
                .map(str::to_owned)
                .into_iter()
                .collect(),
            with,
            labels: list("labels"),
            year,
            ..ComparedContext::default()
        },
    }
}

/// Returns the keys by which a record finds its candidates.
fn candidate_keys(record: &NormalizedRecord) -> Vec<String> {
    let mut keys = identifier_keys(record);
    let title: String = search_words(strip_version(&record.canonical_name)).concat();
    let artist = record.extra("artist").unwrap_or_default();
    // The first of several artists: sources join them differently.
    let first = artist.split([',', '&']).next().unwrap_or_default();
    let surname = PersonName::parse(first).surname().to_owned();
    if !title.is_empty() {
        keys.push(format!("t:{}|{}", sound_key(&title), sound_key(&surname)));
    }
    keys
}

/// Returns the title without a version in brackets.
fn strip_version(title: &str) -> &str {
    title.split(" (").next().unwrap_or(title)
}

/// Returns the identifiers of a recording. A release id is none: all tracks of a release share it.
fn identifier_keys(record: &NormalizedRecord) -> Vec<String> {
    let mut keys: Vec<String> = record
        .identifiers
        .pairs()
        .into_iter()
        .filter(|(kind, _)| matches!(*kind, "isrc" | "mbid" | "acoustid"))
        .map(|(kind, value)| format!("{kind}:{}", crate::compare::plain_identifier(&value)))
        .collect();
    let more = record
        .extra("isrcs")
        .unwrap_or_default()
        .split("; ")
        .filter(|isrc| !isrc.is_empty());
    keys.extend(more.map(|isrc| format!("isrc:{}", crate::compare::plain_identifier(isrc))));
    keys.sort();
    keys.dedup();
    keys
}

/// Finds the clusters of recordings.
pub(super) fn cluster(
    records: &[NormalizedRecord],
    decisions: &[MergeDecision],
) -> RecordingClusters {
    let apart: HashSet<(&str, &str)> = decisions
        .iter()
        .filter(|decision| !decision.same)
        .flat_map(both_ways)
        .collect();
    let mut sets = DisjointSets::new(records.len());
    let mut reasons: BTreeMap<usize, (f64, Vec<String>)> = BTreeMap::new();
    let mut methods: HashMap<usize, ResolutionMethod> = HashMap::new();
    let mut doubtful = Vec::new();
    let mut blocks: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        if record.entity_type == EntityType::Recording {
            for key in candidate_keys(record) {
                blocks.entry(key).or_default().push(at);
            }
        }
    }
    for members in blocks.values().filter(|members| members.len() > 1) {
        for (position, one) in members.iter().enumerate() {
            // Near linear: a record of a large block is compared with the first ones only.
            for other in members[..position].iter().take(MAX_CANDIDATES) {
                let (a, b) = (&records[*one], &records[*other]);
                if sets.find(*one) == sets.find(*other)
                    || apart.contains(&(a.record_id.as_str(), b.record_id.as_str()))
                {
                    continue;
                }
                let (result, method) = compare_recordings(a, b);
                if result.same == Some(true) {
                    sets.join(*one, *other);
                    reasons
                        .entry(*one)
                        .or_insert((result.score, result.reasons));
                    methods.entry(*one).or_insert(method);
                } else if result.same.is_none() && result.score >= 0.5 {
                    doubtful.push(doubtful_merge(a, b, result));
                }
            }
        }
    }
    let positions: RecordPositions<'_> = (0..)
        .zip(records)
        .map(|(at, record)| (record.record_id.as_str(), at))
        .collect();
    join_decided(&positions, decisions, &mut sets, &mut reasons);
    doubtful.retain(|merge| !is_joined(&positions, &mut sets, merge));
    RecordingClusters {
        clusters: gather(records, &mut sets, &reasons, &methods, &doubtful),
        doubtful,
    }
}

fn both_ways(decision: &MergeDecision) -> [(&str, &str); 2] {
    [
        (&decision.one, &decision.other),
        (&decision.other, &decision.one),
    ]
}

/// Positions of records by id.
type RecordPositions<'r> = HashMap<&'r str, usize>;

fn join_decided(
    positions: &RecordPositions<'_>,
    decisions: &[MergeDecision],
    sets: &mut DisjointSets,
    reasons: &mut BTreeMap<usize, (f64, Vec<String>)>,
) {
    for decision in decisions.iter().filter(|decision| decision.same) {
        if let (Some(one), Some(other)) = (
            positions.get(decision.one.as_str()),
            positions.get(decision.other.as_str()),
        ) {
            sets.join(*one, *other);
            reasons.insert(
                *one,
                (1.0, vec![format!("merged by {}", decision.decided_by)]),
            );
        }
    }
}

fn is_joined(
    positions: &RecordPositions<'_>,
    sets: &mut DisjointSets,
    merge: &DoubtfulMerge,
) -> bool {
    match (
        positions.get(merge.one.as_str()),
        positions.get(merge.other.as_str()),
    ) {
        (Some(one), Some(other)) => sets.find(*one) == sets.find(*other),
        _ => true,
    }
}

fn doubtful_merge(a: &NormalizedRecord, b: &NormalizedRecord, result: Comparison) -> DoubtfulMerge {
    DoubtfulMerge {
        one: a.record_id.clone(),
        other: b.record_id.clone(),
        one_name: a.canonical_name.clone(),
        other_name: b.canonical_name.clone(),
        score: result.score,
        reasons: result.reasons,
    }
}

fn compare_recordings(
    a: &NormalizedRecord,
    b: &NormalizedRecord,
) -> (Comparison, ResolutionMethod) {
    let (ids, others) = (identifier_keys(a), identifier_keys(b));
    if let Some(shared) = ids.iter().find(|key| others.contains(key)) {
        let comparison = Comparison {
            same: Some(true),
            score: 0.99,
            reasons: vec![format!("same identifier: {shared}")],
            is_by_identifier: true,
        };
        return (comparison, ResolutionMethod::ExactId);
    }
    let mut result = compare_records(&compared(a), &compared(b));
    if let (Some(one), Some(other)) = (a.metadata.duration_ms, b.metadata.duration_ms)
        && one.abs_diff(other) > OTHER_DURATION_MS
        && result.same == Some(true)
    {
        result.same = None;
        result.score = result.score.min(0.5);
        result
            .reasons
            .insert(0, "the durations differ by more than 20 seconds".to_owned());
    }
    // Two entries of one database under different ids are two recordings until an identifier says otherwise.
    if a.source == b.source && a.source == CreditSource::MusicBrainz && result.same == Some(true) {
        result.same = None;
        result
            .reasons
            .insert(0, "MusicBrainz has two recordings of this title".to_owned());
    }
    (result, ResolutionMethod::FuzzyString)
}

fn gather(
    records: &[NormalizedRecord],
    sets: &mut DisjointSets,
    reasons: &BTreeMap<usize, (f64, Vec<String>)>,
    methods: &HashMap<usize, ResolutionMethod>,
    doubtful: &[DoubtfulMerge],
) -> Vec<RecordingCluster> {
    let in_doubt: HashMap<&str, &DoubtfulMerge> = doubtful
        .iter()
        .flat_map(|merge| [(merge.one.as_str(), merge), (merge.other.as_str(), merge)])
        .collect();
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        if record.entity_type == EntityType::Recording {
            members.entry(sets.find(at)).or_default().push(at);
        }
    }
    let clusters = members.into_values().map(|members| {
        let merged: Vec<&(f64, Vec<String>)> =
            members.iter().filter_map(|at| reasons.get(at)).collect();
        let confidence = merged.iter().map(|(score, _)| *score).fold(1.0, f64::min);
        let is_by_name = members
            .iter()
            .any(|at| methods.get(at) == Some(&ResolutionMethod::FuzzyString));
        let doubt = members
            .iter()
            .find_map(|at| in_doubt.get(records[*at].record_id.as_str()));
        RecordingCluster {
            method: if is_by_name {
                ResolutionMethod::FuzzyString
            } else {
                ResolutionMethod::ExactId
            },
            confidence: if members.len() > 1 { confidence } else { 1.0 },
            doubt: doubt.map(|merge| {
                format!(
                    "may be the same as “{}” / “{}”",
                    merge.one_name, merge.other_name
                )
            }),
            reasons: members
                .iter()
                .filter_map(|at| Some((*at, reasons.get(at)?.clone())))
                .collect(),
            records: members,
        }
    });
    clusters.collect()
}
