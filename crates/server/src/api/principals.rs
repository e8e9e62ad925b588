//! Principals: identity, audit log and deletion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::AccessScope;

/// Sender of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallerInfo {
    /// Principal whose data the request sees.
    pub(crate) principal: String,
    /// Id of the key; null without a key.
    pub(crate) key: Option<String>,
    /// Granted scopes.
    pub(crate) scopes: Vec<AccessScope>,
}

/// Confirmation of a deletion.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ForgetQuery {
    /// Name of the principal to delete, as a confirmation.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) confirm: Option<String>,
    /// Other principal to delete; requires the scope `admin`.
    #[schemars(length(min = 1))]
    pub(crate) principal: Option<String>,
}

/// Result of a deletion.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForgottenPrincipal {
    /// Principal whose data was deleted.
    pub(crate) principal: String,
    /// False if there was no data.
    pub(crate) deleted: bool,
}

/// Part of the audit log.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AuditQuery {
    /// Cursor: the `next` of the previous page. Absent for the first page.
    pub(crate) after: Option<String>,
    /// Maximum number of entries; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: Option<usize>,
    /// True for the entries of all principals; requires the scope `admin`.
    pub(crate) all: Option<bool>,
}

/// Entry of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditRecord {
    /// Principal that sent the request.
    pub(crate) principal: String,
    /// Id of its key; null without a key.
    pub(crate) key: Option<String>,
    /// Action, such as `thread.deleted`.
    pub(crate) action: String,
    /// Path of the request, or the principal that it was about.
    pub(crate) target: String,
    /// Id of the request.
    pub(crate) request_id: Option<String>,
    /// Time of the request (RFC 3339).
    pub(crate) at: String,
}
