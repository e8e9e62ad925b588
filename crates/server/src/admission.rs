//! Admission of requests: authentication, required scopes, limits and the audit log.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use store::Timestamp;

use crate::access::{AccessScope, Caller, audit, links};
use crate::copilotkit;
use crate::error::{ApiError, ErrorCode};
use crate::operations::{self, RequiredScope};
use crate::page;
use crate::rejection::RejectionContext;
use crate::request_id::RequestId;
use crate::state::AppState;

/// Admits or rejects a request, completes error responses and counts the response.
pub(crate) async fn admit(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let wants_page = wants_error_page(&request);
    let context = RejectionContext::of(&request);
    let response = admit_or_reject(&app, request, next).await;
    let response = context.complete(response).await;
    app.metrics.count_response(response.status().as_u16());
    match wants_page {
        true => page::error_page(response),
        false => response,
    }
}

/// Returns true if a browser opens an evidence page: its errors are shown as pages, too.
fn wants_error_page(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    let accept = request.headers().get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    path.is_some_and(|path| path.as_str() == "/p/{id}")
        && accept.is_some_and(|accept| accept.contains("text/html"))
}

async fn admit_or_reject(app: &Arc<AppState>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let path = path.map_or("", MatchedPath::as_str).to_owned();
    let operation = operations::find(request.method(), &path);
    let required = match operation {
        Some(operation) => operation.required,
        // The response is 404 or 405, which needs no key.
        None if path.is_empty() || operations::has_path(&path) => RequiredScope::Nothing,
        // The console is the same for every principal; it sends the key with its own requests.
        None if path == "/app" || path.starts_with("/app/") => RequiredScope::Nothing,
        None => RequiredScope::Scope(
            foreign_scope(request.method(), &path).unwrap_or(AccessScope::Admin),
        ),
    };
    if required == RequiredScope::Nothing {
        return next.run(request).await;
    }
    let caller = match authenticate(app, &mut request, required).await {
        Ok(caller) => caller,
        Err(error) => return rejection(error),
    };
    let permit = match app.access.limiter.enter(&caller) {
        Ok(permit) => permit,
        Err(error) => return error.into_response(),
    };
    let target = audit::target(request.uri().path());
    let request_id = request.extensions().get::<RequestId>().cloned();
    request.extensions_mut().insert(caller.clone());
    let response = next.run(request).await;
    if let Some(rule) = operation.and_then(|operation| operation.audit) {
        audit::record(
            &app.store,
            app.now(),
            &caller,
            rule,
            target,
            request_id,
            &response,
        );
    }
    let response = response.map(|body| app.access.responses.track(caller.validity, body));
    match permit {
        Some(permit) => response.map(|body| permit.hold_until_end(body)),
        None => response,
    }
}

/// Returns the scope for a protocol whose paths are not operations of the API.
fn foreign_scope(method: &Method, path: &str) -> Option<AccessScope> {
    match path {
        // Tools that change data check the scope themselves.
        "/mcp" => Some(AccessScope::Read),
        path if !copilotkit::is_runtime_path(path) => None,
        _ if method == Method::GET => Some(AccessScope::Read),
        _ => Some(AccessScope::Write),
    }
}

async fn authenticate(
    app: &AppState,
    request: &mut Request,
    required: RequiredScope,
) -> Result<Caller, ApiError> {
    let now = app.now();
    if required == RequiredScope::ReadOrLink
        && let Some(caller) = link_holder(app, request, now)?
    {
        return Ok(caller);
    }
    let method = request.method().clone();
    let headers = request.headers_mut();
    let caller = app.access.identify(&method, headers, now).await?;
    let scope = match required {
        RequiredScope::Scope(scope) => scope,
        RequiredScope::Nothing | RequiredScope::ReadOrLink => AccessScope::Read,
    };
    if !caller.has_scope(scope) {
        let scope = scope.as_str();
        return Err(ApiError::new(
            ErrorCode::ScopeMissing,
            format!("Scope missing: `{scope}`"),
            format!("Use a key that has it: `pincite keys create --scope {scope}`"),
        ));
    }
    Ok(caller)
}

/// Returns the holder of a signed link, if the request uses one.
fn link_holder(
    app: &AppState,
    request: &Request,
    now: Timestamp,
) -> Result<Option<Caller>, ApiError> {
    let Some(signature) = links::read(request.uri().query().unwrap_or_default()) else {
        return Ok(None);
    };
    let opened = app.access.links.open(request.uri().path(), &signature, now);
    let (principal, link) = opened.ok_or_else(|| {
        ApiError::new(
            ErrorCode::LinkRefused,
            "The signed link has expired or was changed",
            "Ask the sender for a new link",
        )
    })?;
    Ok(Some(Caller::by_link(principal, link)))
}

/// Returns the error response; with status 401 it names the authentication scheme.
fn rejection(error: ApiError) -> Response {
    let mut response = error.into_response();
    if response.status() == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer realm=\"pincite\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}
