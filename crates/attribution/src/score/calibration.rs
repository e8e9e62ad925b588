//! Split-conformal prediction sets of roles, and the calibration of confidences.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{ConformalSet, Credit, CreditRole};

/// Probability that is left for each role that no source names.
const OTHER_ROLE: f64 = 0.01;
/// Number of bins of the reliability diagram.
const BINS: usize = 10;

/// Label: a person's true role on a work, with the distribution that the scorer gave before it was known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationLabel {
    /// Probability of each role.
    pub distribution: BTreeMap<CreditRole, f64>,
    /// True role; `None` if the person had no role on the work.
    pub true_role: Option<CreditRole>,
    /// Confidence of the credit that was judged.
    pub confidence: f64,
    /// True if that credit was right.
    pub is_correct: bool,
}

/// Bin of a reliability diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReliabilityBin {
    /// Lower end of the confidences.
    pub from: f64,
    /// Upper end of the confidences.
    pub to: f64,
    /// Number of labels.
    pub count: usize,
    /// Mean confidence.
    pub confidence: f64,
    /// Share of credits that were right.
    pub accuracy: f64,
}

/// Calibration of the scorer on labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Coverage that was asked for.
    pub coverage_level: f64,
    /// Nonconformity up to which a role belongs to a prediction set.
    pub threshold: f64,
    /// Number of labels.
    pub label_count: usize,
    /// Coverage of the second half of the labels with the threshold of the first half.
    pub held_out_coverage: f64,
    /// Expected calibration error of the confidences.
    pub expected_calibration_error: f64,
    /// Bins of the reliability diagram.
    pub bins: Vec<ReliabilityBin>,
}

/// Returns the distribution over roles of a person with these credits.
pub fn role_distribution<'c>(
    credits: impl IntoIterator<Item = &'c Credit>,
) -> BTreeMap<CreditRole, f64> {
    distribution_of(
        credits
            .into_iter()
            .map(|credit| (credit.role, credit.confidence)),
    )
}

pub(super) fn distribution_of(
    confidences: impl IntoIterator<Item = (CreditRole, f64)>,
) -> BTreeMap<CreditRole, f64> {
    let mut distribution: BTreeMap<CreditRole, f64> = CreditRole::ALL
        .iter()
        .map(|role| (*role, OTHER_ROLE))
        .collect();
    for (role, confidence) in confidences {
        if let Some(mass) = distribution.get_mut(&role) {
            *mass = mass.max(confidence);
        }
    }
    let total: f64 = distribution.values().sum();
    distribution.values_mut().for_each(|mass| *mass /= total);
    distribution
}

/// Returns the nonconformity of a label: one minus the probability of the true role.
fn nonconformity(label: &CalibrationLabel) -> Option<f64> {
    let role = label.true_role?;
    Some(1.0 - label.distribution.get(&role).copied().unwrap_or(0.0))
}

/// Returns the quantile `⌈(n + 1)·coverage⌉ / n` of the nonconformities; 1 if there are too few labels.
pub(super) fn conformal_threshold(labels: &[&CalibrationLabel], coverage: f64) -> f64 {
    let mut scores: Vec<f64> = labels
        .iter()
        .filter_map(|label| nonconformity(label))
        .collect();
    scores.sort_by(f64::total_cmp);
    let rank = ((scores.len() as f64 + 1.0) * coverage).ceil() as usize;
    match rank.checked_sub(1).and_then(|at| scores.get(at)) {
        Some(score) => *score,
        None => 1.0,
    }
}

/// Returns the roles whose nonconformity is within the threshold; always at least the most probable one.
pub(super) fn prediction_set(
    distribution: &BTreeMap<CreditRole, f64>,
    threshold: f64,
) -> Vec<CreditRole> {
    let best = distribution.values().copied().fold(0.0, f64::max);
    let mut roles: Vec<(CreditRole, f64)> = distribution
        .iter()
        .map(|(role, probability)| (*role, *probability))
        .filter(|(_, probability)| 1.0 - probability <= threshold + 1e-12 || *probability >= best)
        .collect();
    roles.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    roles.into_iter().map(|(role, _)| role).collect()
}

/// Returns the share of labels whose true role is in the prediction set, and the mean size of the sets.
pub(super) fn coverage_of(labels: &[&CalibrationLabel], threshold: f64) -> (f64, f64) {
    let (mut covered, mut size, mut count) = (0usize, 0usize, 0usize);
    for label in labels {
        let Some(role) = label.true_role else {
            continue;
        };
        let set = prediction_set(&label.distribution, threshold);
        count += 1;
        size += set.len();
        covered += usize::from(set.contains(&role));
    }
    let share = |number: usize| {
        if count == 0 {
            0.0
        } else {
            number as f64 / count as f64
        }
    };
    (share(covered), share(size))
}

impl Calibration {
    /// Calibrates on labels. With no labels, prediction sets hold every role that cannot be excluded.
    pub fn new(labels: &[CalibrationLabel], coverage_level: f64) -> Self {
        let all: Vec<&CalibrationLabel> = labels.iter().collect();
        // Every second label is held out, so that the measured coverage is of labels the threshold has not seen.
        let (first, second): (Vec<_>, Vec<_>) = (
            all.iter().step_by(2).copied().collect(),
            all.iter().skip(1).step_by(2).copied().collect(),
        );
        let held_out_coverage = coverage_of(&second, conformal_threshold(&first, coverage_level)).0;
        let bins = reliability_bins(labels);
        Self {
            coverage_level,
            threshold: conformal_threshold(&all, coverage_level),
            label_count: labels.len(),
            held_out_coverage,
            expected_calibration_error: calibration_error(&bins, labels.len()),
            bins,
        }
    }

    /// Returns the prediction sets of a work.
    pub fn sets(&self, credits: &[Credit]) -> ConformalSet {
        let mut people: BTreeMap<&str, Vec<&Credit>> = BTreeMap::new();
        for credit in credits {
            people.entry(&credit.entity_id).or_default().push(credit);
        }
        let sets: BTreeMap<String, Vec<CreditRole>> = people
            .into_iter()
            .map(|(id, credits)| {
                (
                    id.to_owned(),
                    prediction_set(&role_distribution(credits), self.threshold),
                )
            })
            .collect();
        ConformalSet {
            coverage_level: self.coverage_level,
            set_sizes: sets
                .iter()
                .map(|(id, set)| (id.clone(), set.len()))
                .collect(),
            prediction_sets: sets,
            marginal_coverage: self.held_out_coverage,
            calibration_error: self.expected_calibration_error,
            calibration_method: match self.label_count {
                0 => "none: no labels".to_owned(),
                _ => "split-conformal".to_owned(),
            },
            calibration_set_size: self.label_count,
        }
    }
}

fn reliability_bins(labels: &[CalibrationLabel]) -> Vec<ReliabilityBin> {
    let mut bins: Vec<(usize, f64, usize)> = vec![(0, 0.0, 0); BINS];
    for label in labels {
        let at = ((label.confidence * BINS as f64) as usize).min(BINS - 1);
        bins[at].0 += 1;
        bins[at].1 += label.confidence;
        bins[at].2 += usize::from(label.is_correct);
    }
    let width = 1.0 / BINS as f64;
    bins.into_iter()
        .enumerate()
        .map(|(at, (count, confidence, correct))| {
            let share = |sum: f64| if count == 0 { 0.0 } else { sum / count as f64 };
            ReliabilityBin {
                from: at as f64 * width,
                to: (at + 1) as f64 * width,
                count,
                confidence: share(confidence),
                accuracy: share(correct as f64),
            }
        })
        .collect()
}

fn calibration_error(bins: &[ReliabilityBin], total: usize) -> f64 {
    if total == 0 {
        return 0.0;
    }
    bins.iter()
        .map(|bin| bin.count as f64 / total as f64 * (bin.accuracy - bin.confidence).abs())
        .sum()
}
