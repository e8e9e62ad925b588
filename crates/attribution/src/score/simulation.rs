//! Generated labels: simulated sources with known errors, scored by the real scorer.

use std::collections::BTreeSet;

use serde::Serialize;

use super::calibration::{CalibrationLabel, conformal_threshold, coverage_of, distribution_of};
use super::confidence::{SourceClaim, SourceOpinion, score_credits};
use crate::model::{CreditRole, CreditSource};

/// Pseudo-random numbers (SplitMix64) with a fixed seed.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// Returns a number from 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.share() * limit as f64) as usize
    }
}

/// Probability that a source names a wrong role.
fn error_rate(source: CreditSource) -> f64 {
    match source {
        CreditSource::ArtistInput => 0.04,
        CreditSource::MusicBrainz => 0.08,
        CreditSource::Discogs => 0.14,
        CreditSource::AcoustId => 0.20,
        CreditSource::FileMetadata => 0.35,
    }
}

/// Generates labels: each is a person with a true role, and sources that name it or, by mistake, another.
pub fn generate_labels(count: usize, seed: u64) -> Vec<CalibrationLabel> {
    let mut random = RandomNumbers(seed);
    (0..count).map(|_| generate_label(&mut random)).collect()
}

fn generate_label(random: &mut RandomNumbers) -> CalibrationLabel {
    let true_role = CreditRole::ALL[random.below(CreditRole::ALL.len())];
    let mut opinions = Vec::new();
    for source in CreditSource::ALL {
        // Each source knows six of ten works; one always does.
        if random.share() > 0.6 && !(opinions.is_empty() && *source == CreditSource::FileMetadata) {
            continue;
        }
        let role = match random.share() < error_rate(*source) {
            true => CreditRole::ALL[random.below(CreditRole::ALL.len())],
            false => true_role,
        };
        opinions.push(SourceOpinion {
            source: *source,
            record_confidence: 0.6 + 0.4 * random.share(),
            has_identifier: true,
            claims: BTreeSet::from([SourceClaim {
                entity_id: "person".to_owned(),
                role,
            }]),
        });
    }
    let scores = score_credits(&opinions);
    let best = scores
        .iter()
        .max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    CalibrationLabel {
        distribution: distribution_of(
            scores
                .iter()
                .map(|score| (score.claim.role, score.confidence)),
        ),
        true_role: Some(true_role),
        confidence: best.map_or(0.0, |score| score.confidence),
        is_correct: best.is_some_and(|score| score.claim.role == true_role),
    }
}

/// Coverage over random splits of labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoverageReport {
    /// Coverage that was asked for.
    pub coverage_level: f64,
    /// Number of labels.
    pub labels: usize,
    /// Number of random splits.
    pub splits: usize,
    /// Mean coverage of the held-out halves.
    pub mean_coverage: f64,
    /// Lowest coverage of a held-out half.
    pub lowest_coverage: f64,
    /// Mean size of the prediction sets.
    pub mean_set_size: f64,
}

/// Splits labels at random, calibrates on one half and measures the coverage of the other.
pub fn measure_coverage(
    labels: &[CalibrationLabel],
    coverage_level: f64,
    splits: usize,
    seed: u64,
) -> CoverageReport {
    let mut random = RandomNumbers(seed);
    let (mut coverages, mut sizes) = (Vec::new(), 0.0);
    let mut order: Vec<&CalibrationLabel> = labels.iter().collect();
    for _ in 0..splits {
        for at in (1..order.len()).rev() {
            let other = random.below(at + 1);
            order.swap(at, other);
        }
        let (calibration, held_out) = order.split_at(order.len() / 2);
        let (coverage, size) =
            coverage_of(held_out, conformal_threshold(calibration, coverage_level));
        coverages.push(coverage);
        sizes += size;
    }
    let count = coverages.len().max(1) as f64;
    CoverageReport {
        coverage_level,
        labels: labels.len(),
        splits,
        mean_coverage: coverages.iter().sum::<f64>() / count,
        lowest_coverage: coverages.iter().copied().fold(1.0, f64::min),
        mean_set_size: sizes / count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prediction_sets_cover_what_was_promised() {
        let report = measure_coverage(&generate_labels(2_000, 7), 0.9, 100, 11);
        assert!(report.mean_coverage >= 0.89, "{report:?}");
        assert!((1.0..4.0).contains(&report.mean_set_size), "{report:?}");
    }
}
