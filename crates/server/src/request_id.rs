//! Ids of requests.

use axum::http::{HeaderMap, HeaderName};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Id of a request, for logs and errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestId(pub(crate) String);

impl RequestId {
    /// Returns the client's own id if it consists of harmless characters, so that logs on both sides agree; else a
    /// new one.
    pub(crate) fn of(headers: &HeaderMap, new_id: Option<fn() -> String>) -> Self {
        let sent = headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok());
        let is_plain = |id: &&str| {
            (1..=128).contains(&id.len())
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        Self(match (sent.filter(is_plain), new_id) {
            (Some(id), _) => id.to_owned(),
            (None, Some(new_id)) => new_id(),
            (None, None) => String::new(),
        })
    }
}
