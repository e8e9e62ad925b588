//! Access control: who sends a request, and what they may do.
//!
//! Without a key and on loopback there is one principal, `local`, who may do everything. As soon as a key exists
//! or a token issuer is configured, every request must carry a valid key or token. It is removed from the request
//! headers, so that it is never forwarded to an agent.

pub(crate) mod audit;
mod keys;
pub(crate) mod limits;
pub(crate) mod links;
pub(crate) mod revocation;
pub(crate) mod sessions;
mod tokens;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, header};
use gateway::WorkOwner;
use store::{ApiKey, KeyHash, Principal, Store, StoreError, Timestamp};

use crate::error::{ApiError, ErrorCode};

pub use keys::{KEY_PREFIX, NewKey};
pub use links::LinkKey;
pub(crate) use links::{LinkSignature, ValidLink};
pub use tokens::{TokenIssuer, UnusableIssuer};

pub use crate::scope::AccessScope;

use limits::RateLimiter;
use revocation::{CredentialValidity, OpenResponses};
use sessions::SessionTable;

/// Alternative header for a key, for clients whose `Authorization` header is meant for the agent.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Milliseconds between two updates of the time at which a key was last used.
const KEY_USE_INTERVAL: i64 = 60_000;

/// Authenticated sender of a request.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Owner of the data that the request may see.
    pub(crate) principal: Principal,
    /// Id of the key that was sent, if any.
    pub(crate) key: Option<String>,
    /// Granted scopes.
    pub(crate) scopes: Vec<AccessScope>,
    /// Signed link, if the request uses one.
    pub(crate) link: Option<ValidLink>,
    /// Conditions under which the key or token stays valid.
    pub(crate) validity: CredentialValidity,
}

impl Caller {
    fn local() -> Self {
        Self {
            principal: Principal::local(),
            key: None,
            scopes: AccessScope::ALL.to_vec(),
            link: None,
            validity: CredentialValidity::default(),
        }
    }

    /// Returns the holder of a signed link.
    pub(crate) fn by_link(principal: Principal, link: ValidLink) -> Self {
        Self {
            principal,
            key: None,
            scopes: vec![AccessScope::Read],
            validity: CredentialValidity {
                key: None,
                expires: Some(link.expires),
            },
            link: Some(link),
        }
    }

    /// Returns the owner of the work that requests of the caller cause.
    pub(crate) fn work_owner(&self) -> WorkOwner {
        match self.link {
            Some(_) => WorkOwner::LinkHolders(self.principal.clone()),
            None => WorkOwner::Principal(self.principal.clone()),
        }
    }

    /// Returns true if the scope was granted.
    pub(crate) fn has_scope(&self, scope: AccessScope) -> bool {
        self.scopes.contains(&scope)
    }

    /// Returns true for the operator of a server that needs no keys.
    pub(crate) fn is_operator(&self) -> bool {
        self.principal == Principal::local() && self.key.is_none() && self.link.is_none()
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // A route behind no admission check is a defect and must not grant access.
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(
                ErrorCode::Internal,
                "The sender of the request was not authenticated",
                "Report this as a defect: the route is not guarded",
            )
        })
    }
}

/// Authentication by keys, tokens and signed links, and the limits per principal.
pub(crate) struct AccessControl {
    store: Arc<dyn Store>,
    issuers: Vec<TokenIssuer>,
    pub(crate) links: LinkKey,
    pub(crate) limiter: RateLimiter,
    /// Open responses, which end with their key or token.
    pub(crate) responses: Arc<OpenResponses>,
    /// Sessions of browsers.
    pub(crate) sessions: SessionTable,
    /// True if requests need a key or token although no key was ever created: there are issuers, or other machines can
    /// reach the server. It never becomes false again.
    closed: AtomicBool,
    /// Last answer of the store to the question if requests need a key.
    is_key_required: AtomicBool,
    /// Time of the last recorded use of each key, by key id.
    key_uses: Mutex<HashMap<String, Timestamp>>,
}

impl AccessControl {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        issuers: Vec<TokenIssuer>,
        links: LinkKey,
        limiter: RateLimiter,
    ) -> Self {
        Self {
            store,
            closed: AtomicBool::new(!issuers.is_empty()),
            is_key_required: AtomicBool::new(false),
            issuers,
            links,
            limiter,
            responses: Arc::default(),
            sessions: SessionTable::default(),
            key_uses: Mutex::new(HashMap::new()),
        }
    }

    /// Requires a key or token for all later requests.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Returns true if requests need a key or token. Asks the store, because another process may create the
    /// first key, or switch access off, at any time.
    pub(crate) async fn needs_key(&self) -> Result<bool, StoreError> {
        if self.closed.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let is_required = self.store.is_key_required().await?;
        self.is_key_required.store(is_required, Ordering::Relaxed);
        Ok(is_required)
    }

    /// Returns true if the last request needed a key or token.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed) || self.is_key_required.load(Ordering::Relaxed)
    }

    /// Identifies the sender by its key, token or session, and removes that from the headers.
    pub(crate) async fn identify(
        &self,
        method: &Method,
        headers: &mut HeaderMap,
        now: Timestamp,
    ) -> Result<Caller, ApiError> {
        if !self.needs_key().await? {
            return Ok(Caller::local());
        }
        if let Some(secret) = take_secret(headers) {
            return self.identify_secret(&secret, now).await;
        }
        let session = self.sessions.find(headers, now).ok_or_else(|| {
            unauthorized(
                "Key or token missing",
                "Send it as `Authorization: Bearer …`. `pincite keys create` creates a key",
            )
        })?;
        if !session.allows(method, headers) {
            return Err(csrf_error());
        }
        // The cookie is ours and must not reach an agent.
        headers.remove(header::COOKIE);
        self.identify_secret(&session.secret, now).await
    }

    /// Identifies the owner of a key or token.
    pub(crate) async fn identify_secret(
        &self,
        secret: &str,
        now: Timestamp,
    ) -> Result<Caller, ApiError> {
        if !self.needs_key().await? {
            return Ok(Caller::local());
        }
        let hash = KeyHash::of(secret);
        if let Some(key) = self.store.key(hash).await? {
            return self.identify_by_key(key, hash, now);
        }
        if secret.split('.').count() == 3 && !self.issuers.is_empty() {
            return tokens::identify(&self.issuers, secret, now).map_err(|reason| {
                unauthorized(
                    &format!("Token rejected: {reason}"),
                    "Get a new token from its issuer",
                )
            });
        }
        Err(unauthorized(
            "Key not known",
            "Check the key. `pincite keys list` lists the keys of this server",
        ))
    }

    fn identify_by_key(
        &self,
        key: ApiKey,
        hash: KeyHash,
        now: Timestamp,
    ) -> Result<Caller, ApiError> {
        if !key.is_valid(now) {
            let reason = match key.revoked {
                Some(_) => "Key revoked",
                None => "Key expired",
            };
            return Err(unauthorized(
                reason,
                "Create a new key with `pincite keys create`",
            ));
        }
        self.record_key_use(&key.id, now);
        Ok(Caller {
            principal: key.principal,
            key: Some(key.id),
            scopes: key
                .scopes
                .iter()
                .filter_map(|word| AccessScope::from_word(word))
                .collect(),
            link: None,
            validity: CredentialValidity {
                key: Some(hash),
                expires: key.expires,
            },
        })
    }

    fn record_key_use(&self, id: &str, now: Timestamp) {
        let mut uses = self.key_uses.lock().unwrap_or_else(PoisonError::into_inner);
        let last = uses.get(id).copied();
        if last.is_none_or(|last| (now.0 - last.0).abs() >= KEY_USE_INTERVAL) {
            uses.insert(id.to_owned(), now);
            // The store queues the write at once; the request does not wait for its result.
            drop(self.store.record_key_use(id, now));
        }
    }
}

/// Takes the key or token out of the headers.
fn take_secret(headers: &mut HeaderMap) -> Option<String> {
    let own = headers
        .remove(&API_KEY)
        .and_then(|value| Some(value.to_str().ok()?.trim().to_owned()));
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(bearer_token)
        .map(str::to_owned);
    // Beside `X-Api-Key`, the `Authorization` header belongs to the agent, unless it holds one of our keys.
    let is_our_key = bearer
        .as_deref()
        .is_some_and(|bearer| bearer.starts_with(KEY_PREFIX));
    if own.is_none() || is_our_key {
        headers.remove(header::AUTHORIZATION);
    }
    own.or(bearer).filter(|secret| !secret.is_empty())
}

/// Returns the part of a header value after the scheme `Bearer`.
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(rest.trim())
}

fn unauthorized(message: &str, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::Unauthorized, message, hint)
}

/// Returns the error for a request of a session that lacks its CSRF token.
pub(crate) fn csrf_error() -> ApiError {
    ApiError::new(
        ErrorCode::Forbidden,
        "CSRF token missing or wrong",
        "Send the `csrfToken` of GET /session as `X-CSRF-Token`, or a key instead of the session cookie",
    )
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_str(value).expect("plain");
                (HeaderName::from_static(name), value)
            })
            .collect()
    }

    #[test]
    fn keys_and_tokens_are_removed_from_the_headers() {
        let mut one = headers(&[("authorization", "bearer  abc")]);
        assert_eq!(take_secret(&mut one).as_deref(), Some("abc"));
        assert!(one.is_empty());

        let mut both = headers(&[("authorization", "Bearer theirs"), ("x-api-key", "ours")]);
        assert_eq!(take_secret(&mut both).as_deref(), Some("ours"));
        assert_eq!(both["authorization"], "Bearer theirs");

        let mut key = headers(&[("authorization", "Bearer sk-dc-1"), ("x-api-key", "ours")]);
        assert_eq!(take_secret(&mut key).as_deref(), Some("ours"));
        assert!(key.is_empty(), "our own keys are always removed");

        let mut other = headers(&[("authorization", "Basic abc")]);
        assert_eq!(take_secret(&mut other), None);
    }
}
