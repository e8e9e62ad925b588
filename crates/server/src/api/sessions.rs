//! Sessions of browsers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::AccessScope;

/// Key to exchange for a session.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SessionRequest {
    /// Key or token.
    pub(crate) key: String,
}

/// Access of a browser to this server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionInfo {
    /// True if requests need a key, a token or a session.
    pub(crate) needs_key: bool,
    /// Principal whose data requests see; null if the browser must sign in.
    pub(crate) principal: Option<String>,
    /// Granted scopes.
    pub(crate) scopes: Vec<AccessScope>,
    /// Token to send as `X-CSRF-Token` with requests that change something; null without a session.
    pub(crate) csrf_token: Option<String>,
    /// Time at which the session ends (RFC 3339); null without a session.
    pub(crate) expires_at: Option<String>,
}
