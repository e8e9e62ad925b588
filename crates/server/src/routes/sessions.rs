//! Sessions of browsers: signing in with a key, and signing out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;

use super::extract::JsonBody;
use super::{ok, time_text};
use crate::access::sessions::{BrowserSession, cookie_header};
use crate::access::{Caller, csrf_error};
use crate::api::{SessionInfo, SessionRequest};
use crate::error::ApiError;
use crate::state::{AppState, new_id};

/// Describes the access of the browser. The response is 200 also if it must sign in.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    mut headers: HeaderMap,
) -> Result<Response, ApiError> {
    let now = app.now();
    let needs_key = app.access.needs_key().await?;
    let session = app.access.sessions.find(&headers, now);
    let caller = app.access.identify(&Method::GET, &mut headers, now).await;
    ok(&describe(needs_key, caller.ok().as_ref(), session.as_ref()))
}

/// Exchanges a key for a session cookie.
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    JsonBody(body): JsonBody<SessionRequest>,
) -> Result<Response, ApiError> {
    let now = app.now();
    let needs_key = app.access.needs_key().await?;
    let secret = body.key.trim().to_owned();
    let caller = app.access.identify_secret(&secret, now).await?;
    // Two random ids of 122 bits each.
    let random = || format!("{}{}", new_id(), new_id());
    let cookie = random();
    let sessions = &app.access.sessions;
    let session = sessions.open(secret, &cookie, random(), now);
    with_cookie(
        &app,
        &cookie,
        &describe(needs_key, Some(&caller), Some(&session)),
    )
}

/// Ends the session of the browser and removes its cookie.
pub(super) async fn delete(
    State(app): State<Arc<AppState>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let needs_key = app.access.needs_key().await?;
    let session = app.access.sessions.find(&headers, app.now());
    if session.is_some_and(|session| !session.allows(&method, &headers)) {
        return Err(csrf_error());
    }
    app.access.sessions.close(&headers);
    with_cookie(&app, "", &describe(needs_key, None, None))
}

fn describe(
    needs_key: bool,
    caller: Option<&Caller>,
    session: Option<&BrowserSession>,
) -> SessionInfo {
    let session = session.filter(|_| caller.is_some());
    SessionInfo {
        needs_key,
        principal: caller.map(|caller| caller.principal.to_string()),
        scopes: caller.map_or_else(Vec::new, |caller| caller.scopes.clone()),
        csrf_token: session.map(|session| session.csrf_token.clone()),
        expires_at: session.map(|session| time_text(session.expires)),
    }
}

fn with_cookie(app: &AppState, value: &str, info: &SessionInfo) -> Result<Response, ApiError> {
    let public = app.settings.server.public_url.as_deref();
    let is_https = public.is_some_and(|url| url.starts_with("https:"));
    let mut response = ok(info)?;
    if let Ok(cookie) = HeaderValue::from_str(&cookie_header(value, is_https)) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
