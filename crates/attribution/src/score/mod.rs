//! Scoring: confidence, agreement, assurance, prediction sets and priority.

mod calibration;
mod confidence;
mod priority;
mod simulation;

pub use calibration::{Calibration, CalibrationLabel, ReliabilityBin, role_distribution};
pub use confidence::{
    ScoredCredits, SourceClaim, SourceOpinion, agreement, assurance_of, reliability, role_group,
    score_credits,
};
pub use priority::{PriorityFactors, priority_factors};
pub use simulation::{CoverageReport, generate_labels, measure_coverage};
