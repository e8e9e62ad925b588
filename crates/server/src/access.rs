//! Who asks, and what they may do.
//!
//! Without a key and on loopback there is one principal, `local`, who may do everything. From the first key
//! on, or with an issuer of tokens, a request names a valid one; what it brought to say so is taken out of it,
//! so that nothing can pass it on.

pub(crate) mod audit;
mod keys;
pub(crate) mod limits;
mod links;
mod tokens;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use store::{ApiKey, KeyHash, Principal, Store, Timestamp};

use crate::app::AppState;
use crate::error::{ApiError, ErrorCode};
use crate::guard::RequestId;
use crate::operations::{self, RequiredScope};
use crate::page;
use crate::refusal::RejectionContext;

pub use keys::{KEY_PREFIX, NewKey};
pub use links::LinkKey;
pub use tokens::{TokenIssuer, UnusableIssuer};

use limits::RateLimiter;

/// Another place for a key, for clients whose `Authorization` is meant for the agent behind us.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// How often the use of a key is written down, in milliseconds.
const TOUCHED_EVERY: i64 = 60_000;

/// What may be done with a key or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessScope {
    /// Look at what is one's own.
    Read,
    /// Run agents, add, change and delete what is one's own.
    Write,
    /// Metrics, the log's level, what was done by anybody, and being somebody else to export or forget them.
    Admin,
}

impl AccessScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

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
    async fn identify(&self, headers: &mut HeaderMap, now: Timestamp) -> Result<Caller, ApiError> {
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

/// Finds out who asks and whether they may, and counts what comes of it.
pub(crate) async fn admit(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let is_read = is_read_by_people(&request);
    let asked = RejectionContext::of(&request);
    let response = asked.answered(admitted(&app, request, next).await).await;
    app.metrics.answered(response.status().as_u16());
    match is_read {
        true => page::readable(response),
        false => response,
    }
}

/// Whether somebody opens a page of evidence in a browser: then a refusal is a page, too.
fn is_read_by_people(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    let accept = request.headers().get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    path.is_some_and(|path| path.as_str() == "/p/{id}")
        && accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Lets a request in, and writes down what was done.
async fn admitted(app: &Arc<AppState>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let path = path.map_or("", MatchedPath::as_str).to_owned();
    let operation = operations::find(request.method(), &path);
    let need = match operation {
        Some(operation) => operation.need,
        // Nothing is there, or it cannot be done: that is told to everybody.
        None if path.is_empty() || operations::is_known(&path) => RequiredScope::Nothing,
        None => RequiredScope::Scope(AccessScope::Admin),
    };
    if need == RequiredScope::Nothing {
        return next.run(request).await;
    }
    let caller = match caller(app, &mut request, need).await {
        Ok(caller) => caller,
        Err(error) => return refused(error),
    };
    let permit = match app.access.limiter.enter(&caller) {
        Ok(permit) => permit,
        Err(error) => return error.into_response(),
    };
    let target = audit::target(request.uri().path());
    let id = request.extensions().get::<RequestId>().cloned();
    request.extensions_mut().insert(caller.clone());
    let response = next.run(request).await;
    if let Some(action) = operation.and_then(|operation| operation.audit) {
        audit::record(app, &caller, action, target, id, &response);
    }
    match permit {
        Some(permit) => response.map(|body| permit.until_the_end_of(body)),
        None => response,
    }
}

async fn caller(
    app: &AppState,
    request: &mut Request,
    need: RequiredScope,
) -> Result<Caller, ApiError> {
    let now = app.now();
    if need == RequiredScope::ReadOrLink
        && let Some(caller) = linked(app, request, now)?
    {
        return Ok(caller);
    }
    let caller = app.access.identify(request.headers_mut(), now).await?;
    let scope = match need {
        RequiredScope::Scope(scope) => scope,
        RequiredScope::Nothing | RequiredScope::ReadOrLink => AccessScope::Read,
    };
    if !caller.may(scope) {
        return Err(ApiError::new(
            ErrorCode::ScopeMissing,
            format!("this needs the scope '{}'", scope.as_str()),
            "use a key that has it: pincite keys create --scope …",
        ));
    }
    Ok(caller)
}

/// The holder of a signed link, if the request is one.
fn linked(app: &AppState, request: &Request, now: Timestamp) -> Result<Option<Caller>, ApiError> {
    let Some(query) = links::read(request.uri().query().unwrap_or_default()) else {
        return Ok(None);
    };
    let opened = app.access.links.open(request.uri().path(), &query, now);
    let (principal, until) = opened.ok_or_else(|| {
        ApiError::new(
            ErrorCode::LinkRefused,
            "the link has expired or was changed",
            "ask whoever sent it for a new one",
        )
    })?;
    Ok(Some(Caller {
        principal,
        key: None,
        scopes: vec![AccessScope::Read],
        link: Some(until),
    }))
}

/// A refusal; one for want of a key says which kind is wanted.
fn refused(error: ApiError) -> Response {
    let mut response = error.into_response();
    if response.status() == StatusCode::UNAUTHORIZED {
        let wanted = HeaderValue::from_static("Bearer realm=\"pincite\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, wanted);
    }
    response
}

#[cfg(test)]
mod tests {
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
