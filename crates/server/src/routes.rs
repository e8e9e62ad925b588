//! Routes, by what they are about.

mod agents;
mod body;
pub(crate) mod documents;
mod evidence;
mod export;
mod files;
mod health;
mod links;
mod me;
mod pictures;
pub(crate) mod reviews;
mod sdk;
mod sdk_images;
mod sdk_verify;
mod server;
mod threads;
mod turns;
pub(crate) mod uploads;
mod verify;

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing;
use json::Value;
use store::{PageRequest, Sequence};

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

use body::{RequestMembers, object, whole};

/// Routes, and a list of what they are: the description of the API is compared with it.
pub(crate) struct RouteTable {
    pub(crate) router: Router<Arc<AppState>>,
    pub(crate) listed: Vec<(Method, &'static str)>,
}

macro_rules! methods {
    ($($name:ident $method:ident,)*) => {
        $(fn $name<H, T>(mut self, path: &'static str, handler: H) -> Self
        where
            H: Handler<T, Arc<AppState>>,
            T: 'static,
        {
            self.router = self.router.route(path, routing::$name(handler));
            self.listed.push((Method::$method, path));
            self
        })*
    };
}

impl RouteTable {
    methods! { get GET, post POST, put PUT, patch PATCH, delete DELETE, }
}

/// All routes.
pub(crate) fn all() -> RouteTable {
    let routes = RouteTable {
        router: Router::new(),
        listed: Vec::new(),
    };
    let mut routes = routes
        .get("/agents", agents::list)
        .get("/agents/{name}", agents::about)
        .post("/agents/{name}", agents::run)
        .get("/threads", threads::list)
        .get("/threads/{id}", threads::about)
        .patch("/threads/{id}", threads::change)
        .delete("/threads/{id}", threads::delete)
        .get("/threads/{id}/messages", threads::messages)
        .get("/threads/{id}/state", threads::state)
        .get("/threads/{id}/events", threads::events)
        .get("/threads/{id}/turns", threads::turns)
        .post("/threads/{id}/cancel", threads::cancel)
        .get("/documents", documents::list)
        .post("/documents", documents::attach)
        .get("/documents/{id}", documents::about)
        .delete("/documents/{id}", documents::detach)
        .get("/documents/{id}/file", files::file)
        .get("/documents/{id}/pages/{page}", pictures::page)
        .post("/verify", verify::verify)
        .get("/citations/{key}/reviews", reviews::list)
        .post("/citations/{key}/reviews", reviews::add)
        .get("/p/{id}", evidence::page)
        .post("/prepareAttachments", sdk::prepare)
        .post("/prepareAttachment", sdk::prepare)
        .post("/prepareFile", sdk::prepare)
        .post("/convertFile", sdk::convert)
        .post("/verifyCitations", sdk_verify::verify)
        .post("/verifyCitation", sdk_verify::verify)
        .post("/getAttachment", sdk::about)
        .post("/attachments/{id}/extend", sdk::extend)
        .delete("/attachments/{id}", sdk::detach)
        .post("/p/{id}/links", links::share)
        .get("/me", me::about)
        .delete("/me", me::forget)
        .get("/me/export", export::export)
        .get("/audit", me::audit)
        .get("/openapi.json", server::description)
        .get("/app/api", server::reading)
        .get("/log", server::level)
        .put("/log", server::set_level)
        .get("/healthz", health::alive)
        .post("/healthz/stream", health::stream)
        .get("/readyz", health::ready)
        .get("/metrics", health::metrics);
    routes.router = routes
        .router
        .method_not_allowed_fallback(wrong_method)
        .fallback(nowhere);
    routes
}

async fn nowhere(method: Method, uri: Uri) -> Response {
    if uri.path() == "/" && matches!(method, Method::GET | Method::HEAD) {
        // Whoever opens the server in a browser is shown what it can do.
        return Redirect::temporary("/app/api").into_response();
    }
    ApiError::new(
        ErrorCode::NotFound,
        format!("there is nothing at {}", uri.path()),
        "GET /openapi.json lists what there is",
    )
    .into_response()
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        format!("{method} is not for {}", uri.path()),
        "GET /openapi.json lists what can be done with it",
    )
}

/// An answer in JSON.
fn json(status: StatusCode, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, value.to_json()).into_response()
}

fn ok(value: &Value) -> Response {
    json(StatusCode::OK, value)
}

/// The last event that a client has, as it says.
fn last_event_id(headers: &HeaderMap) -> Option<Sequence> {
    let id = headers.get("last-event-id")?.to_str().ok()?;
    id.trim().parse().ok()
}

/// Which part of a list is wanted.
fn slice(after: Option<String>, limit: Option<usize>) -> Result<PageRequest, ApiError> {
    let limit = limit.unwrap_or(100);
    if !(1..=1_000).contains(&limit) {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "limit must be a number from 1 to 1000",
            "read on with after, and the next of the page before",
        ));
    }
    Ok(PageRequest { after, limit })
}
