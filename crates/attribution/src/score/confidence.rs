//! Confidence of credits from the sources that assert them and those that contradict them.
//!
//! A source `s` with reliability `w` and record confidence `q` supports a credit with strength `w·q`. Independent
//! support adds up as noisy-OR: `1 − Π(1 − w·q)`. A source that names only others for the same role contradicts and
//! multiplies by `1 − λ·w·q`. So more agreement never lowers a confidence and more contradiction never raises it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{AssuranceLevel, ConfidenceTerm, CreditRole, CreditSource};

/// Penalty of a source that shares no person with the asserting sources.
const DISJOINT_PENALTY: f64 = 0.5;
/// Penalty of a source that shares persons with the asserting sources and leaves this one out.
const PARTIAL_PENALTY: f64 = 0.2;
/// Share of the support by a source that names the person for another role of the same group.
const RELATED_ROLE_SHARE: f64 = 0.8;

/// Returns the reliability of a source from 0 to 1.
pub fn reliability(source: CreditSource) -> f64 {
    match source {
        CreditSource::ArtistInput => 0.95,
        CreditSource::MusicBrainz => 0.90,
        CreditSource::Discogs => 0.82,
        CreditSource::AcoustId => 0.75,
        CreditSource::FileMetadata => 0.60,
    }
}

/// Group of roles that sources mix up: a songwriter of one source is the composer of another.
pub fn role_group(role: CreditRole) -> CreditRole {
    match role {
        CreditRole::Songwriter | CreditRole::Composer | CreditRole::Lyricist => {
            CreditRole::Songwriter
        }
        CreditRole::Performer | CreditRole::SessionMusician | CreditRole::FeaturedArtist => {
            CreditRole::Performer
        }
        other => other,
    }
}

/// Claim of a source: this person had this role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceClaim {
    /// Person or group.
    pub entity_id: String,
    /// Role.
    pub role: CreditRole,
}

/// All claims of one source about a work. Several records of one source are one opinion.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceOpinion {
    /// Source.
    pub source: CreditSource,
    /// Highest confidence of its records.
    pub record_confidence: f64,
    /// True if one of its records identifies the recording by an id.
    pub has_identifier: bool,
    /// Claims.
    pub claims: BTreeSet<SourceClaim>,
}

impl SourceOpinion {
    fn strength(&self) -> f64 {
        (reliability(self.source) * self.record_confidence).clamp(0.0, 0.999)
    }

    /// Returns the people of a group of roles.
    fn people(&self, group: CreditRole) -> BTreeSet<&str> {
        let claims = self
            .claims
            .iter()
            .filter(|claim| role_group(claim.role) == group);
        claims.map(|claim| claim.entity_id.as_str()).collect()
    }

    /// Returns the support for a claim as a share from 0 to 1.
    fn support(&self, claim: &SourceClaim) -> f64 {
        if self.claims.contains(claim) {
            return 1.0;
        }
        let is_related = |other: &SourceClaim| {
            other.entity_id == claim.entity_id && role_group(other.role) == role_group(claim.role)
        };
        match self.claims.iter().any(is_related) {
            true => RELATED_ROLE_SHARE,
            false => 0.0,
        }
    }
}

/// Score of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCredits {
    /// Claim.
    pub claim: SourceClaim,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Terms of the confidence.
    pub terms: Vec<ConfidenceTerm>,
    /// Sources that assert the claim.
    pub sources: Vec<CreditSource>,
    /// Sources that contradict it.
    pub contradicted_by: Vec<CreditSource>,
    /// Level of assurance.
    pub assurance_level: AssuranceLevel,
}

/// Scores every claim of the sources.
pub fn score_credits(opinions: &[SourceOpinion]) -> Vec<ScoredCredits> {
    let claims: BTreeSet<&SourceClaim> = opinions
        .iter()
        .flat_map(|opinion| &opinion.claims)
        .collect();
    claims
        .into_iter()
        .map(|claim| score_claim(claim, opinions))
        .collect()
}

fn score_claim(claim: &SourceClaim, opinions: &[SourceOpinion]) -> ScoredCredits {
    let group = role_group(claim.role);
    let mut doubt = 1.0;
    let mut terms = Vec::new();
    let (mut sources, mut contradicted_by) = (Vec::new(), Vec::new());
    let mut supporting_people: BTreeSet<&str> = BTreeSet::new();
    let mut add_term = |label: String, before: f64, after: f64| {
        terms.push(ConfidenceTerm {
            label,
            change: after - before,
            confidence: after,
        });
    };
    for opinion in opinions {
        let support = opinion.support(claim);
        if support == 0.0 {
            continue;
        }
        sources.push(opinion.source);
        supporting_people.extend(opinion.people(group));
        let before = 1.0 - doubt;
        doubt *= 1.0 - opinion.strength() * support;
        let label = match support < 1.0 {
            true => format!("{} names a related role", opinion.source.label()),
            false => format!("{} agrees", opinion.source.label()),
        };
        add_term(label, before, 1.0 - doubt);
    }
    let mut confidence = 1.0 - doubt;
    for opinion in opinions
        .iter()
        .filter(|opinion| opinion.support(claim) == 0.0)
    {
        let people = opinion.people(group);
        if people.is_empty() {
            continue;
        }
        let penalty = match people.is_disjoint(&supporting_people) {
            true => DISJOINT_PENALTY,
            false => PARTIAL_PENALTY,
        };
        contradicted_by.push(opinion.source);
        let before = confidence;
        confidence *= 1.0 - penalty * opinion.strength();
        add_term(
            format!("{} names others", opinion.source.label()),
            before,
            confidence,
        );
    }
    let has_identifier = opinions
        .iter()
        .any(|opinion| opinion.has_identifier && opinion.support(claim) > 0.0);
    ScoredCredits {
        claim: claim.clone(),
        confidence,
        terms,
        assurance_level: assurance_of(&sources, has_identifier),
        sources,
        contradicted_by,
    }
}

/// Returns the level of assurance of a credit. This is the rule:
///
/// - A3: the artist and at least one independent source assert it.
/// - A2: at least two independent sources assert it.
/// - A1: one source asserts it and identifies the recording by an id.
/// - A0: otherwise.
///
/// AcoustID takes its credits from MusicBrainz, so both count as one.
pub fn assurance_of(sources: &[CreditSource], has_identifier: bool) -> AssuranceLevel {
    let independent: BTreeSet<CreditSource> = sources
        .iter()
        .map(|source| match source {
            CreditSource::AcoustId => CreditSource::MusicBrainz,
            other => *other,
        })
        .collect();
    match independent.len() {
        0 => AssuranceLevel::Level0,
        1 if has_identifier => AssuranceLevel::Level1,
        1 => AssuranceLevel::Level0,
        _ if independent.contains(&CreditSource::ArtistInput) => AssuranceLevel::Level3,
        _ => AssuranceLevel::Level2,
    }
}

/// Returns the agreement of the sources from 0 to 1: the mean overlap (Jaccard) of their claims, pair by pair, weighted
/// by reliability, over the groups of roles that both have an opinion on. Without two such sources it is 0.
pub fn agreement(opinions: &[SourceOpinion]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (at, one) in opinions.iter().enumerate() {
        for other in &opinions[at + 1..] {
            if let Some(overlap) = overlap(one, other) {
                let weight = one.strength() * other.strength();
                sum += weight * overlap;
                weights += weight;
            }
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn overlap(one: &SourceOpinion, other: &SourceOpinion) -> Option<f64> {
    let groups = |opinion: &SourceOpinion| -> BTreeMap<CreditRole, BTreeSet<String>> {
        let mut groups: BTreeMap<CreditRole, BTreeSet<String>> = BTreeMap::new();
        for claim in &opinion.claims {
            groups
                .entry(role_group(claim.role))
                .or_default()
                .insert(claim.entity_id.clone());
        }
        groups
    };
    let (a, b) = (groups(one), groups(other));
    let (mut shared, mut all) = (0usize, 0usize);
    for (group, people) in &a {
        if let Some(others) = b.get(group) {
            shared += people.intersection(others).count();
            all += people.union(others).count();
        }
    }
    (all > 0).then(|| shared as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn opinion(
        source: CreditSource,
        confidence: f64,
        claims: &[(&str, CreditRole)],
    ) -> SourceOpinion {
        SourceOpinion {
            source,
            record_confidence: confidence,
            has_identifier: true,
            claims: claims
                .iter()
                .map(|(id, role)| SourceClaim {
                    entity_id: (*id).to_owned(),
                    role: *role,
                })
                .collect(),
        }
    }

    fn confidence_of(opinions: &[SourceOpinion], id: &str, role: CreditRole) -> f64 {
        let scored = score_credits(opinions);
        let found = scored
            .iter()
            .find(|score| score.claim.entity_id == id && score.claim.role == role);
        found.map_or(0.0, |score| score.confidence)
    }

    fn sources() -> impl Strategy<Value = CreditSource> {
        prop::sample::select(CreditSource::ALL)
    }

    fn roles() -> impl Strategy<Value = CreditRole> {
        prop::sample::select(CreditRole::ALL)
    }

    fn opinions() -> impl Strategy<Value = Vec<SourceOpinion>> {
        let claim = (prop::sample::select(vec!["a", "b", "c"]), roles());
        let one = (sources(), 0.0..=1.0f64, prop::collection::vec(claim, 0..5));
        prop::collection::vec(one, 1..5).prop_map(|list| {
            let mut opinions: Vec<SourceOpinion> = Vec::new();
            for (source, confidence, claims) in list {
                if opinions.iter().all(|known| known.source != source) {
                    opinions.push(opinion(source, confidence, &claims));
                }
            }
            opinions
        })
    }

    proptest! {
        #[test]
        fn another_agreeing_source_never_lowers_a_confidence(opinions in opinions(), source in sources(), q in 0.0..=1.0f64) {
            prop_assume!(opinions.iter().all(|known| known.source != source));
            for score in score_credits(&opinions) {
                let mut more = opinions.clone();
                more.push(opinion(source, q, &[(&score.claim.entity_id, score.claim.role)]));
                let after = confidence_of(&more, &score.claim.entity_id, score.claim.role);
                prop_assert!(after >= score.confidence - 1e-12, "{} -> {after}", score.confidence);
            }
        }

        #[test]
        fn a_contradicting_source_never_raises_a_confidence(opinions in opinions(), source in sources(), q in 0.0..=1.0f64) {
            prop_assume!(opinions.iter().all(|known| known.source != source));
            for score in score_credits(&opinions) {
                let mut more = opinions.clone();
                more.push(opinion(source, q, &[("another", score.claim.role)]));
                let after = confidence_of(&more, &score.claim.entity_id, score.claim.role);
                prop_assert!(after <= score.confidence + 1e-12);
            }
        }

        #[test]
        fn confidence_and_agreement_are_probabilities(opinions in opinions()) {
            let agreement = agreement(&opinions);
            prop_assert!((0.0..=1.0).contains(&agreement));
            for score in score_credits(&opinions) {
                prop_assert!((0.0..=1.0).contains(&score.confidence));
                let last = score.terms.last().map_or(0.0, |term| term.confidence);
                prop_assert!((last - score.confidence).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn reliability_matters() {
        let role = CreditRole::Producer;
        let file = confidence_of(
            &[opinion(CreditSource::FileMetadata, 0.8, &[("a", role)])],
            "a",
            role,
        );
        let musicbrainz = confidence_of(
            &[opinion(CreditSource::MusicBrainz, 0.8, &[("a", role)])],
            "a",
            role,
        );
        assert!(musicbrainz > file + 0.2, "{musicbrainz} {file}");
    }

    #[test]
    fn assurance_follows_the_rule() {
        use CreditSource::*;
        assert_eq!(assurance_of(&[], true), AssuranceLevel::Level0);
        assert_eq!(assurance_of(&[FileMetadata], false), AssuranceLevel::Level0);
        assert_eq!(assurance_of(&[FileMetadata], true), AssuranceLevel::Level1);
        assert_eq!(
            assurance_of(&[MusicBrainz, AcoustId], true),
            AssuranceLevel::Level1
        );
        assert_eq!(
            assurance_of(&[MusicBrainz, Discogs], false),
            AssuranceLevel::Level2
        );
        assert_eq!(
            assurance_of(&[ArtistInput, Discogs], false),
            AssuranceLevel::Level3
        );
        assert_eq!(assurance_of(&[ArtistInput], true), AssuranceLevel::Level1);
    }

    #[test]
    fn agreement_is_the_overlap_of_claims() {
        let role = CreditRole::Songwriter;
        let a = opinion(CreditSource::MusicBrainz, 1.0, &[("x", role), ("y", role)]);
        let b = opinion(CreditSource::Discogs, 1.0, &[("x", CreditRole::Composer)]);
        assert!((agreement(&[a.clone(), b]) - 0.5).abs() < 1e-9);
        assert!(agreement(std::slice::from_ref(&a)).abs() < 1e-9);
    }
}
