//! Music credits: who wrote, performed and produced a recording, according to which source, and how sure that is.
//!
//! Importers turn files of five kinds of sources into records. Resolution finds the records that mean one person,
//! recording or work. Scoring computes the confidence of each credit from the sources that assert it and those that
//! contradict it. Review orders the works by the need for a person's decision and applies corrections.
//!
//! The crate opens no connection and calls no model. Time and ids are passed in.

mod compare;
mod ids;
mod import;
mod model;
mod names;
mod permissions;
mod pipeline;
mod resolve;
mod review;
mod score;
mod search;

pub use compare::{
    CompareError, ComparedContext, ComparedRecord, Comparison, compare_line, compare_records,
};
pub use ids::derived_id;
pub use import::{
    ImportError, ImportInput, ImportProblem, ImportSink, ImportedItem, detect_source, import_file,
};
pub use model::*;
pub use names::{
    NameRelation, NameToken, PersonName, RelationKind, fold_text, relate_names, search_words,
};
pub use permissions::{
    BundleError, PermissionAnswer, PermissionRequest, check_delegation, check_permission,
    validate_bundle,
};
pub use pipeline::build_attribution;
pub use resolve::{
    DoubtfulMerge, EarlierEntities, MergeDecision, Resolution, ResolvedCredit, ResolvedWork,
    resolve,
};
pub use review::{
    CorrectionError, CorrectionField, ReviewDecision, accept_correction, confirm_record,
    current_values, reject_correction, undo_correction, validate_correction,
};
pub use score::{
    Calibration, CalibrationLabel, CoverageReport, PriorityFactors, ReliabilityBin, ScoredCredits,
    SourceClaim, SourceOpinion, agreement, assurance_of, generate_labels, measure_coverage,
    priority_factors, reliability, role_distribution, role_group, score_credits,
};
pub use search::{WorkDocument, WorkHit, WorkIndex};
