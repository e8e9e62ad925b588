//! Permissions of rights holders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{DelegationRole, PermissionScope, PermissionType, PermissionValue};

/// Condition of a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionCondition {
    /// Type, for example `non_commercial_only`, `max_duration_seconds`, `date_range`.
    pub condition_type: String,
    /// Value as text.
    pub value: String,
}

/// Permission for one use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionEntry {
    /// Use.
    pub permission_type: PermissionType,
    /// Answer.
    pub value: PermissionValue,
    /// Conditions, all of which must hold.
    #[serde(default)]
    pub conditions: Vec<PermissionCondition>,
    /// Rate of royalties; required for `ALLOW_WITH_ROYALTY`.
    #[serde(default)]
    pub royalty_rate: Option<f64>,
    /// Text of the attribution; required for `ALLOW_WITH_ATTRIBUTION`.
    #[serde(default)]
    pub attribution_requirement: Option<String>,
    /// Countries (ISO 3166-1 alpha-2); null for the whole world.
    #[serde(default)]
    pub territory: Option<Vec<String>>,
}

/// Link of a chain of delegation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelegationLink {
    /// Person or company.
    pub entity_id: String,
    /// Role.
    pub role: DelegationRole,
    /// True if it may change permissions.
    pub can_modify: bool,
    /// True if it may delegate further.
    pub can_delegate: bool,
}

/// Permissions of a rights holder for one scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionBundle {
    /// Id. Assigned by the server if absent.
    #[serde(default)]
    pub permission_id: String,
    /// Rights holder. Taken from the path if absent.
    #[serde(default)]
    pub entity_id: String,
    /// Scope.
    pub scope: PermissionScope,
    /// Release, recording or work that the scope names; null for the catalog.
    #[serde(default)]
    pub scope_entity_id: Option<String>,
    /// Permissions.
    pub permissions: Vec<PermissionEntry>,
    /// Beginning (RFC 3339).
    pub effective_from: String,
    /// End (RFC 3339); null for no end.
    #[serde(default)]
    pub effective_until: Option<String>,
    /// Chain of delegation, the owner first.
    #[serde(default)]
    pub delegation_chain: Vec<DelegationLink>,
    /// Answer for uses without an entry.
    pub default_permission: PermissionValue,
    /// Author of the last change. An author other than the rights holder must be in the chain of delegation.
    #[serde(default)]
    pub created_by: String,
    /// Time of the last change (RFC 3339). Set by the server.
    #[serde(default)]
    pub updated_at: String,
    /// Version; a change must name the current one.
    #[serde(default)]
    pub version: u64,
}

/// Entry of the log of permission checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAuditEntry {
    /// Id.
    pub audit_id: String,
    /// Bundle that decided; null if none did.
    pub permission_id: Option<String>,
    /// Rights holder.
    pub entity_id: String,
    /// Requester.
    pub requester_id: String,
    /// Kind of requester, for example `platform`.
    pub requester_type: String,
    /// Use.
    pub permission_type: PermissionType,
    /// Answer.
    pub result: PermissionValue,
    /// Reasons of the answer.
    pub reasons: Vec<String>,
    /// Details of the request.
    pub request_context: serde_json::Value,
    /// Time of the check (RFC 3339).
    pub checked_at: String,
}
