//! Who asks, and what they may do.
//!
//! Without a key and on loopback there is one principal, `local`, who may do everything. From the first key
//! on, or with an issuer of tokens, a request names a valid one; what it brought to say so is taken out of it,
//! so that nothing can pass it on.

pub(crate) mod audit;
mod keys;
pub(crate) mod limits;
pub(crate) mod links;
mod tokens;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use store::{ApiKey, KeyHash, Principal, Store, Timestamp};

use crate::error::{ApiError, ErrorCode};

pub use keys::{KEY_PREFIX, NewKey};
pub use links::LinkKey;
pub use tokens::{TokenIssuer, UnusableIssuer};

pub use crate::scope::AccessScope;

use limits::RateLimiter;

/// Another place for a key, for clients whose `Authorization` is meant for the agent behind us.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// How often the use of a key is written down, in milliseconds.
const TOUCHED_EVERY: i64 = 60_000;

/// Who asks: every route that reads or changes something takes one.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Whose things they see.
    pub(crate) principal: Principal,
    /// The key that they have shown.
    pub(crate) key: Option<String>,
    /// What they may do.
    pub(crate) scopes: Vec<AccessScope>,
    /// Until when, if they have come by a signed link.
    pub(crate) link: Option<Timestamp>,
}

impl Caller {
    fn local() -> Self {
        Self {
            principal: Principal::local(),
            key: None,
            scopes: AccessScope::ALL.to_vec(),
            link: None,
        }
    }

    /// Whether they may do such things.
    pub(crate) fn may(&self, scope: AccessScope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // A route that nobody guards is a fault of ours, not a way in.
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(
                ErrorCode::Internal,
                "it is not known who asks",
                "report this: the route is not guarded",
            )
        })
    }
}

/// What decides who may ask.
pub(crate) struct AccessControl {
    store: Arc<dyn Store>,
    issuers: Vec<TokenIssuer>,
    pub(crate) links: LinkKey,
    pub(crate) limiter: RateLimiter,
    /// Whether a key or token is needed; once it is, it stays so.
    needed: AtomicBool,
    /// When the use of a key was last written down.
    touched: Mutex<HashMap<String, Timestamp>>,
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
            needed: AtomicBool::new(!issuers.is_empty()),
            issuers,
            links,
            limiter,
            touched: Mutex::new(HashMap::new()),
        }
    }

    /// Whether a key or token is needed.
    pub(crate) fn is_closed(&self) -> bool {
        self.needed.load(Ordering::Relaxed)
    }

    /// From now on nobody is let in without a key or token.
    pub(crate) fn close(&self) {
        self.needed.store(true, Ordering::Relaxed);
    }

    /// Whether a key or token is needed. A key may be made by another process at any time.
    async fn is_needed(&self) -> Result<bool, ApiError> {
        if self.needed.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let needed = self.store.has_keys().await?;
        if needed {
            self.close();
        }
        Ok(needed)
    }

    /// Who asks, by what the request brings; that is taken out of it.
    pub(crate) async fn identify(
        &self,
        headers: &mut HeaderMap,
        now: Timestamp,
    ) -> Result<Caller, ApiError> {
        if !self.is_needed().await? {
            return Ok(Caller::local());
        }
        let secret = take_secret(headers).ok_or_else(|| {
            unauthorized(
                "a key or token is needed",
                "send it as 'Authorization: Bearer …'; a key is made with pincite keys create",
            )
        })?;
        if let Some(key) = self.store.key(KeyHash::of(&secret)).await? {
            return self.with_key(key, now);
        }
        if secret.split('.').count() == 3 && !self.issuers.is_empty() {
            return tokens::identify(&self.issuers, &secret, now).map_err(|reason| {
                unauthorized(
                    &format!("the token is refused: {reason}"),
                    "get a new token from its issuer",
                )
            });
        }
        Err(unauthorized(
            "the key is not known",
            "check it; pincite keys list shows which there are",
        ))
    }

    fn with_key(&self, key: ApiKey, now: Timestamp) -> Result<Caller, ApiError> {
        if !key.is_valid(now) {
            let reason = if key.revoked.is_some() {
                "the key was revoked"
            } else {
                "the key has expired"
            };
            return Err(unauthorized(reason, "make a new one: pincite keys create"));
        }
        self.touch(&key.id, now);
        Ok(Caller {
            principal: key.principal,
            key: Some(key.id),
            scopes: key
                .scopes
                .iter()
                .filter_map(|word| AccessScope::from_word(word))
                .collect(),
            link: None,
        })
    }

    fn touch(&self, id: &str, now: Timestamp) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        let last = touched.get(id).copied();
        if last.is_none_or(|last| (now.0 - last.0).abs() >= TOUCHED_EVERY) {
            touched.insert(id.to_owned(), now);
            // Nobody waits for it: it is done whether or not somebody listens.
            drop(self.store.record_key_use(id, now));
        }
    }
}

/// The key or token of a request; afterwards no header has it.
fn take_secret(headers: &mut HeaderMap) -> Option<String> {
    let own = headers
        .remove(&API_KEY)
        .and_then(|value| Some(value.to_str().ok()?.trim().to_owned()));
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(bearer)
        .map(str::to_owned);
    // With a header of its own, the other is the agent's, unless it holds a key of ours.
    let ours = bearer
        .as_deref()
        .is_some_and(|bearer| bearer.starts_with(KEY_PREFIX));
    if own.is_none() || ours {
        headers.remove(header::AUTHORIZATION);
    }
    own.or(bearer).filter(|secret| !secret.is_empty())
}

/// What follows the word `Bearer`.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(rest.trim())
}

fn unauthorized(message: &str, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::Unauthorized, message, hint)
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
    fn what_says_who_asks_is_taken_out() {
        let mut one = headers(&[("authorization", "bearer  abc")]);
        assert_eq!(take_secret(&mut one).as_deref(), Some("abc"));
        assert!(one.is_empty());

        let mut both = headers(&[("authorization", "Bearer theirs"), ("x-api-key", "ours")]);
        assert_eq!(take_secret(&mut both).as_deref(), Some("ours"));
        assert_eq!(both["authorization"], "Bearer theirs");

        let mut key = headers(&[("authorization", "Bearer sk-dc-1"), ("x-api-key", "ours")]);
        assert_eq!(take_secret(&mut key).as_deref(), Some("ours"));
        assert!(key.is_empty(), "a key of ours is never left");

        let mut other = headers(&[("authorization", "Basic abc")]);
        assert_eq!(take_secret(&mut other), None);
    }
}
