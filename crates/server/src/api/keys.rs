//! Access keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::AccessScope;

/// List of access keys.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AccessKeyList {
    /// All keys of the server, ordered by id.
    pub(crate) items: Vec<AccessKeyInfo>,
}

/// Access key without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccessKeyInfo {
    /// Id of the key.
    pub(crate) id: String,
    /// Name that people gave it.
    pub(crate) name: String,
    /// Principal whose data it gives access to.
    pub(crate) principal: String,
    /// Scopes.
    pub(crate) scopes: Vec<String>,
    /// `valid`, `expired` or `revoked`.
    #[schemars(extend("enum" = ["valid", "expired", "revoked"]))]
    pub(crate) state: &'static str,
    /// Time at which it was created (RFC 3339).
    pub(crate) created_at: String,
    /// Time at which it expires (RFC 3339); null if it does not.
    pub(crate) expires_at: Option<String>,
    /// Time of its last use (RFC 3339); null if it was not used.
    pub(crate) used_at: Option<String>,
}

/// Key to create. From the first key on every request needs one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccessKeyRequest {
    /// Name for people.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) name: String,
    /// Scopes; `read` and `write` if absent.
    pub(crate) scopes: Option<Vec<AccessScope>>,
    /// Principal whose data it gives access to; that of the request if absent.
    #[schemars(length(min = 1))]
    pub(crate) principal: Option<String>,
    /// Days until it expires; it does not expire if absent.
    #[schemars(range(min = 1, max = 36500))]
    pub(crate) expires_in_days: Option<u32>,
}

/// New key with its secret, which is shown only once.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreatedAccessKey {
    /// Key.
    pub(crate) key: AccessKeyInfo,
    /// Secret to send as `Authorization: Bearer …`. It is not stored.
    pub(crate) secret: String,
}
