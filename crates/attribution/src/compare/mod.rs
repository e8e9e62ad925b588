//! Comparison of two records: do they mean the same person, group, recording, work, release or label?
//!
//! Evidence is added up as log-odds. Identifiers decide alone; names give the base; the context (co-credited names,
//! labels, genres, country, years, roles) adds to it or subtracts from it. Between two thresholds the answer is that
//! it cannot be told, which never merges.

mod context_evidence;
mod identifier_evidence;
mod pair;
mod title_evidence;

use serde::Serialize;

use crate::names::{
    NameRelation, PersonName, RelationKind, is_common_given_name, is_common_surname, relate_names,
};

pub(crate) use identifier_evidence::plain_identifier;
pub use pair::{CompareError, ComparedContext, ComparedRecord, compare_line};

/// Log-odds from which two records count as the same.
const SAME_FROM: f64 = 1.6;
/// Log-odds up to which two records count as different.
const DIFFERENT_UNTIL: f64 = -1.0;

/// Piece of evidence: log-odds that two records are the same, with its explanation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) weight: f64,
    pub(crate) reason: String,
}

impl Evidence {
    pub(crate) fn new(weight: f64, reason: impl Into<String>) -> Self {
        Self {
            weight,
            reason: reason.into(),
        }
    }
}

/// Result of comparing two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// True for the same, false for different, `None` if it cannot be told. `None` never merges.
    pub same: Option<bool>,
    /// Probability from 0 to 1 that they are the same.
    pub score: f64,
    /// Evidence, the strongest first.
    pub reasons: Vec<String>,
    /// True if a shared identifier decided.
    #[serde(skip)]
    pub is_by_identifier: bool,
}

/// Compares two records.
pub fn compare_records(one: &ComparedRecord, other: &ComparedRecord) -> Comparison {
    if let (Some(a), Some(b)) = (&one.entity_type, &other.entity_type)
        && !a.eq_ignore_ascii_case(b)
    {
        let reason = format!("different types: {a} and {b}");
        return conclude(vec![Evidence::new(-6.0, reason)], false);
    }
    if let Some(evidence) = identifier_evidence::compare(one, other) {
        let is_same = evidence.weight > 0.0;
        return conclude(vec![evidence], is_same);
    }
    let entity_type = one.entity_type.as_deref().or(other.entity_type.as_deref());
    let is_title = entity_type.is_some_and(|name| {
        ["RECORDING", "WORK", "RELEASE", "TRACK"]
            .iter()
            .any(|title| name.eq_ignore_ascii_case(title))
    });
    match is_title {
        true => conclude(title_evidence::compare(one, other), false),
        false => conclude(name_evidence(one, other), false),
    }
}

fn conclude(mut evidence: Vec<Evidence>, is_by_identifier: bool) -> Comparison {
    let odds: f64 = evidence.iter().map(|item| item.weight).sum();
    evidence.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    Comparison {
        same: match odds {
            odds if odds >= SAME_FROM => Some(true),
            odds if odds <= DIFFERENT_UNTIL => Some(false),
            _ => None,
        },
        // Rounded, so that the output does not depend on the last bits of a sum.
        score: (1e4 / (1.0 + (-odds).exp())).round() / 1e4,
        reasons: evidence.into_iter().map(|item| item.reason).collect(),
        is_by_identifier,
    }
}

/// Compares people, groups and labels by their names and contexts.
fn name_evidence(one: &ComparedRecord, other: &ComparedRecord) -> Vec<Evidence> {
    let best = best_relation(one, other);
    if best.relation.is_excluded {
        return vec![Evidence::new(-4.0, best.relation.reason)];
    }
    let mut evidence = vec![Evidence::new(best.weight, best.relation.reason.clone())];
    let context =
        context_evidence::compare(&one.context, &other.context, &[&one.name, &other.name]);
    // Names that fit by themselves need little context; parts of names need a lot of it. No context makes
    // one person of two different names.
    if matches!(
        best.relation.kind,
        RelationKind::Unrelated | RelationKind::OtherGivenName
    ) {
        return evidence;
    }
    evidence.extend(context);
    evidence
}

struct BestRelation {
    relation: NameRelation,
    weight: f64,
}

/// Returns the strongest relation between the names and aliases of two records.
fn best_relation(one: &ComparedRecord, other: &ComparedRecord) -> BestRelation {
    let (a, b) = (PersonName::parse(&one.name), PersonName::parse(&other.name));
    let relation = relate_names(&a, &b);
    let weight = relation_weight(&relation, &a, &b);
    let mut best = BestRelation { relation, weight };
    if best.relation.is_excluded {
        return best;
    }
    let names_of = |record: &ComparedRecord| -> Vec<PersonName> {
        std::iter::once(&record.name)
            .chain(&record.aliases)
            .take(64)
            .map(|name| PersonName::parse(name))
            .collect()
    };
    for a in names_of(one) {
        for b in names_of(other) {
            let mut relation = relate_names(&a, &b);
            let weight = relation_weight(&relation, &a, &b);
            if !relation.is_excluded && weight > best.weight {
                relation.reason = format!("alias: {}", relation.reason);
                best = BestRelation { relation, weight };
            }
        }
    }
    best
}

/// Returns the log-odds of a relation. Common names say less.
fn relation_weight(relation: &NameRelation, one: &PersonName, other: &PersonName) -> f64 {
    let shorter = if one.tokens.len() <= other.tokens.len() {
        one
    } else {
        other
    };
    let is_single = shorter.tokens.len() == 1 && !one.is_group && !other.is_group;
    let common_surname = is_common_surname(one.surname());
    let common_given = shorter
        .tokens
        .first()
        .is_some_and(|token| is_common_given_name(&token.text));
    let rarity = match (is_single, common_given, common_surname) {
        (true, true, _) => -1.2,
        (true, false, true) => -1.0,
        (true, false, false) => -0.6,
        (false, true, true) => -0.7,
        (false, false, true) => -0.4,
        (false, true, false) => 0.2,
        (false, false, false) => 0.5,
    };
    let base = match relation.kind {
        RelationKind::Same => 1.1,
        RelationKind::Spelling => 1.6,
        RelationKind::Extended => 1.6,
        RelationKind::ShortForm => 1.3,
        RelationKind::Initials => 1.2,
        RelationKind::Typo => 0.9,
        RelationKind::InitialsAndTypo => 0.0,
        RelationKind::Reordered => 1.0,
        RelationKind::SurnameOnly => -0.4,
        RelationKind::GivenNameOnly => -0.3,
        RelationKind::PartOfGroup => 0.4,
        RelationKind::Acronym => -0.6,
        RelationKind::OtherGivenName => return -4.0,
        RelationKind::Unrelated => return -3.0,
    };
    base + rarity
}
