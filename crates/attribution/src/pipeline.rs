//! Attributions from resolved works: opinions of the sources, scores, conflicts and history.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ids::derived_id;
use crate::model::{
    AssuranceLevel, AttributionRecord, ConflictSeverity, Credit, CreditConflict, CreditRole,
    CreditSource, NormalizedRecord, ProvenanceDetails, ProvenanceEvent, SCHEMA_VERSION,
    SourceContribution, UncertaintySummary,
};
use crate::resolve::{ResolvedCredit, ResolvedWork};
use crate::review::reapply_corrections;
use crate::score::{
    Calibration, SourceClaim, SourceOpinion, agreement, priority_factors, reliability, role_group,
    score_credits,
};

const SCORING_METHOD: &str = "noisy_or_with_contradictions";

/// Returns the attribution of a work, or `None` if it did not change.
pub fn build_attribution(
    work: &ResolvedWork,
    records: &[NormalizedRecord],
    names: &HashMap<String, String>,
    previous: Option<&AttributionRecord>,
    calibration: &Calibration,
    now: &str,
) -> Option<AttributionRecord> {
    let opinions = opinions(work, records);
    let credits = credits(work, &opinions, names);
    if credits.is_empty() {
        return None;
    }
    let mut conflicts = credit_conflicts(&opinions, names);
    conflicts.extend(work.entity.conflicts.iter().cloned());
    let mut record = AttributionRecord {
        schema_version: SCHEMA_VERSION.to_owned(),
        attribution_id: derived_id(&format!("attribution\n{}", work.entity.entity_id)),
        work_entity_id: work.entity.entity_id.clone(),
        work_title: work.entity.canonical_name.clone(),
        artist_name: work.artist_name.clone(),
        assurance_level: credits
            .iter()
            .map(|credit| credit.assurance_level)
            .min()
            .unwrap_or(AssuranceLevel::Level0),
        confidence_score: credits.iter().map(|credit| credit.confidence).sum::<f64>()
            / credits.len() as f64,
        conformal_set: calibration.sets(&credits),
        credits,
        source_agreement: agreement(&opinions),
        conflicts,
        provenance_chain: Vec::new(),
        uncertainty_summary: Some(uncertainty(&opinions, work, records)),
        needs_review: false,
        review_priority: 0.0,
        created_at: now.to_owned(),
        updated_at: now.to_owned(),
        version: 1,
        reviewed_fields: Vec::new(),
        corrections: Vec::new(),
        source_records: work.entity.source_records.clone(),
    };
    record.needs_review = needs_review(&record, work);
    let mut record = match previous {
        Some(previous) => succeed(record, previous, work, records, now)?,
        None => {
            record.provenance_chain = first_events(&record, work, records, now);
            record
        }
    };
    if let Ok(at) = now.parse() {
        record.review_priority = priority_factors(&record, at).priority;
    }
    Some(record)
}

fn needs_review(record: &AttributionRecord, work: &ResolvedWork) -> bool {
    let is_severe = |conflict: &CreditConflict| conflict.severity >= ConflictSeverity::High;
    record.confidence_score < 0.5
        || work.entity.needs_review
        || record.conflicts.iter().any(is_severe)
}

/// Returns the opinion of each source. Several records of one source are one opinion.
fn opinions(work: &ResolvedWork, records: &[NormalizedRecord]) -> Vec<SourceOpinion> {
    let mut by_source: BTreeMap<CreditSource, SourceOpinion> = BTreeMap::new();
    for (at, credits) in work.records.iter().zip(&work.credits) {
        let record = &records[*at];
        let opinion = by_source
            .entry(record.source)
            .or_insert_with(|| SourceOpinion {
                source: record.source,
                record_confidence: 0.0,
                has_identifier: false,
                claims: BTreeSet::new(),
            });
        opinion.record_confidence = opinion.record_confidence.max(record.source_confidence);
        opinion.has_identifier |= record.identifiers.has_any();
        opinion
            .claims
            .extend(credits.iter().map(|credit| SourceClaim {
                entity_id: credit.entity_id.clone(),
                role: credit.role,
            }));
    }
    by_source.into_values().collect()
}

fn credits(
    work: &ResolvedWork,
    opinions: &[SourceOpinion],
    names: &HashMap<String, String>,
) -> Vec<Credit> {
    let mut details: HashMap<(&str, CreditRole), Vec<&ResolvedCredit>> = HashMap::new();
    for credit in work.credits.iter().flatten() {
        details
            .entry((&credit.entity_id, credit.role))
            .or_default()
            .push(credit);
    }
    let mut credits: Vec<Credit> = score_credits(opinions)
        .into_iter()
        .map(|score| {
            let printed = details
                .get(&(score.claim.entity_id.as_str(), score.claim.role))
                .cloned();
            let printed = printed.unwrap_or_default();
            let credited_as: BTreeSet<String> = printed
                .iter()
                .map(|credit| credit.credited_as.clone())
                .collect();
            let name = names.get(&score.claim.entity_id).cloned();
            Credit {
                entity_name: name
                    .or_else(|| credited_as.first().cloned())
                    .unwrap_or_default(),
                entity_id: score.claim.entity_id.clone(),
                role: score.claim.role,
                role_detail: printed.iter().find_map(|credit| credit.role_detail.clone()),
                confidence: score.confidence,
                sources: score.sources,
                contradicted_by: score.contradicted_by,
                assurance_level: score.assurance_level,
                credited_as: credited_as.into_iter().collect(),
                terms: score.terms,
            }
        })
        .collect();
    credits.sort_by(|a, b| {
        a.role
            .cmp(&b.role)
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.entity_name.cmp(&b.entity_name))
    });
    credits
}

/// Returns the groups of roles for which sources name different people.
fn credit_conflicts(
    opinions: &[SourceOpinion],
    names: &HashMap<String, String>,
) -> Vec<CreditConflict> {
    let mut groups: BTreeMap<CreditRole, BTreeMap<CreditSource, BTreeSet<&str>>> = BTreeMap::new();
    for opinion in opinions {
        for claim in &opinion.claims {
            let people = groups
                .entry(role_group(claim.role))
                .or_default()
                .entry(opinion.source)
                .or_default();
            people.insert(&claim.entity_id);
        }
    }
    let mut conflicts = Vec::new();
    for (group, by_source) in groups {
        let all: BTreeSet<&str> = by_source.values().flatten().copied().collect();
        let shared = all
            .iter()
            .filter(|id| by_source.values().all(|people| people.contains(*id)))
            .count();
        if by_source.len() < 2 || shared == all.len() {
            continue;
        }
        // Sources list session musicians more or less completely; that is no dispute.
        let severity = match (shared, group) {
            (0, CreditRole::Performer) => ConflictSeverity::Medium,
            (_, CreditRole::Performer) => continue,
            (0, _) => ConflictSeverity::High,
            _ => ConflictSeverity::Medium,
        };
        let text = |people: &BTreeSet<&str>| {
            let names = people
                .iter()
                .map(|id| names.get(*id).map_or(*id, String::as_str));
            names.collect::<Vec<_>>().join(", ")
        };
        conflicts.push(CreditConflict {
            field: group.as_str().to_lowercase(),
            values: by_source
                .iter()
                .map(|(source, people)| (source.as_str().to_owned(), text(people)))
                .collect(),
            severity,
        });
    }
    conflicts
}

fn uncertainty(
    opinions: &[SourceOpinion],
    work: &ResolvedWork,
    records: &[NormalizedRecord],
) -> UncertaintySummary {
    let contributions: Vec<SourceContribution> = opinions
        .iter()
        .map(|opinion| SourceContribution {
            source: opinion.source,
            confidence: opinion.record_confidence,
            weight: reliability(opinion.source),
            record_count: work
                .records
                .iter()
                .filter(|at| records[**at].source == opinion.source)
                .count(),
            is_human: opinion.source == CreditSource::ArtistInput,
        })
        .collect();
    let doubt: f64 = contributions
        .iter()
        .map(|source| 1.0 - source.weight * source.confidence)
        .product();
    UncertaintySummary {
        dominant_uncertainty_source: match contributions.len() {
            0 | 1 => Some("EPISTEMIC".to_owned()),
            _ if agreement(opinions) < 0.5 => Some("EXTRINSIC".to_owned()),
            _ => Some("INTRINSIC".to_owned()),
        },
        source_contributions: contributions,
        total_uncertainty: doubt,
    }
}

fn fetch_event(record: &NormalizedRecord, now: &str) -> ProvenanceEvent {
    let at = if record.fetch_timestamp.is_empty() {
        now
    } else {
        record.fetch_timestamp.as_str()
    };
    ProvenanceEvent::new(
        at,
        "importer",
        ProvenanceDetails::Fetch {
            source: record.source,
            source_id: record.source_id.clone(),
            records_fetched: 1,
            rate_limited: false,
        },
    )
}

fn resolve_event(work: &ResolvedWork, now: &str) -> ProvenanceEvent {
    let confidence = work.entity.resolution_confidence;
    let reasons = work
        .entity
        .source_records
        .iter()
        .flat_map(|reference| reference.reasons.clone());
    ProvenanceEvent::new(
        now,
        "resolver",
        ProvenanceDetails::Resolve {
            method: work.entity.resolution_method,
            records_input: work.records.len(),
            entities_output: 1,
            confidence_range: (confidence, confidence),
            reasons: reasons.take(8).collect(),
        },
    )
}

fn score_event(previous: Option<f64>, confidence: f64, now: &str) -> ProvenanceEvent {
    ProvenanceEvent::new(
        now,
        "scorer",
        ProvenanceDetails::Score {
            previous_confidence: previous,
            new_confidence: confidence,
            scoring_method: SCORING_METHOD.to_owned(),
        },
    )
}

fn first_events(
    record: &AttributionRecord,
    work: &ResolvedWork,
    records: &[NormalizedRecord],
    now: &str,
) -> Vec<ProvenanceEvent> {
    let mut events: Vec<ProvenanceEvent> = work
        .records
        .iter()
        .map(|at| fetch_event(&records[*at], now))
        .collect();
    events.push(resolve_event(work, now));
    events.push(score_event(None, record.confidence_score, now));
    events
}

/// Returns the next version of a record, or `None` if nothing changed.
fn succeed(
    mut record: AttributionRecord,
    previous: &AttributionRecord,
    work: &ResolvedWork,
    records: &[NormalizedRecord],
    now: &str,
) -> Option<AttributionRecord> {
    record.corrections.clone_from(&previous.corrections);
    record.reviewed_fields.clone_from(&previous.reviewed_fields);
    record.created_at.clone_from(&previous.created_at);
    if !record.corrections.is_empty() {
        let needs_review = record.needs_review;
        reapply_corrections(&mut record);
        record.needs_review = needs_review && record.needs_review;
        record
            .conflicts
            .retain(|conflict| !record.reviewed_fields.contains(&conflict.field));
    }
    // A record that a reviewer approved keeps the support of the review until its sources change.
    let has_same_records = {
        let ids = |record: &AttributionRecord| -> BTreeSet<String> {
            record
                .source_records
                .iter()
                .map(|reference| reference.record_id.clone())
                .collect()
        };
        ids(&record) == ids(previous)
    };
    if has_same_records
        && previous
            .reviewed_fields
            .iter()
            .any(|field| field == "credits")
    {
        record.credits.clone_from(&previous.credits);
        record.confidence_score = previous.confidence_score;
        record.assurance_level = previous.assurance_level;
        record.conformal_set.clone_from(&previous.conformal_set);
        record.needs_review = previous.needs_review;
    }
    let fields = changed_fields(&record, previous);
    if fields.is_empty() {
        return None;
    }
    let mut events = previous.provenance_chain.clone();
    let known: BTreeSet<&str> = previous
        .source_records
        .iter()
        .map(|reference| reference.record_id.as_str())
        .collect();
    let new = work
        .records
        .iter()
        .filter(|at| !known.contains(records[**at].record_id.as_str()));
    events.extend(new.map(|at| fetch_event(&records[*at], now)));
    if !has_same_records {
        events.push(resolve_event(work, now));
    }
    let update = ProvenanceDetails::Update {
        previous_version: previous.version,
        new_version: previous.version + 1,
        fields_changed: fields,
        trigger: "import".to_owned(),
    };
    events.push(ProvenanceEvent::new(now, "pipeline", update));
    if (record.confidence_score - previous.confidence_score).abs() > 1e-9 {
        events.push(score_event(
            Some(previous.confidence_score),
            record.confidence_score,
            now,
        ));
    }
    record.provenance_chain = events;
    record.version = previous.version + 1;
    Some(record)
}

fn changed_fields(record: &AttributionRecord, previous: &AttributionRecord) -> Vec<String> {
    let mut fields = Vec::new();
    let mut check = |name: &str, is_same: bool| {
        if !is_same {
            fields.push(name.to_owned());
        }
    };
    check("work_title", record.work_title == previous.work_title);
    check("artist_name", record.artist_name == previous.artist_name);
    check("credits", record.credits == previous.credits);
    check(
        "assurance_level",
        record.assurance_level == previous.assurance_level,
    );
    check(
        "confidence_score",
        (record.confidence_score - previous.confidence_score).abs() < 1e-9,
    );
    check(
        "source_agreement",
        (record.source_agreement - previous.source_agreement).abs() < 1e-9,
    );
    check("conflicts", record.conflicts == previous.conflicts);
    check(
        "conformal_set",
        record.conformal_set == previous.conformal_set,
    );
    check("needs_review", record.needs_review == previous.needs_review);
    check(
        "source_records",
        record.source_records == previous.source_records,
    );
    fields
}
