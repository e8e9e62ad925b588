//! Data model: records of sources, entities, attributions, feedback, permissions. Names on the wire are snake_case.

mod attribution;
mod feedback;
mod permission;
mod record;
mod words;

pub use attribution::{
    AttributionRecord, ConfidenceTerm, ConformalSet, Credit, CreditConflict, ProvenanceDetails,
    ProvenanceEvent, RecordReference, ResolvedEntity, SourceContribution, UncertaintySummary,
};
pub use feedback::{Correction, CorrectionStatus, FeedbackCard, is_center_biased};
pub use permission::{
    DelegationLink, PermissionAuditEntry, PermissionBundle, PermissionCondition, PermissionEntry,
};
pub use record::{EntityIdentifiers, NormalizedRecord, RecordMetadata, RecordRelationship};
pub use words::{
    AssuranceLevel, ConflictSeverity, CreditRole, CreditSource, DelegationRole, EntityType,
    EvidenceType, PermissionScope, PermissionType, PermissionValue, ProvenanceEventType,
    RelationshipType, ResolutionMethod, ReviewerRole,
};

/// Version of the data model, which all records carry.
pub const SCHEMA_VERSION: &str = "1.0.0";
