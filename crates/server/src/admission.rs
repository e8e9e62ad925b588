//! Admission of requests: identifies the caller, checks scopes and limits, and records audited actions.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use store::Timestamp;

use crate::access::{AccessScope, Caller, audit, links};
use crate::error::{ApiError, ErrorCode};
use crate::guard::RequestId;
use crate::operations::{self, RequiredScope};
use crate::page;
use crate::refusal::RejectionContext;
use crate::state::AppState;

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
        audit::record(
            &app.store,
            app.now(),
            &caller,
            action,
            target,
            id,
            &response,
        );
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
