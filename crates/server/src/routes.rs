//! Router and handlers.

mod agents;
mod attributions;
mod console;
mod conversation_actions;
mod conversations;
mod copilotkit;
mod document_events;
mod document_reading;
mod documents;
mod events;
mod evidence;
mod export;
mod extract;
mod files;
mod health;
mod keys;
mod links;
mod mcp;
mod ontology;
mod page_images;
mod page_text;
mod permissions;
mod principals;
mod review_url;
mod reviews;
mod sdk;
mod sdk_images;
mod sdk_verify;
mod search;
mod server;
mod server_info;
mod sessions;
mod threads;
mod turns;
mod uploads;
mod upstreams;
mod verify;

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing;
use serde::Serialize;
use store::{Sequence, Timestamp};

use crate::copilotkit::runtime_bases;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use crate::time_text::time_text;

pub use search::search_json;

/// Router with a list of its routes, which a test compares with the table of operations.
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

/// Returns all routes.
pub(crate) fn all() -> RouteTable {
    let routes = RouteTable {
        router: Router::new(),
        listed: Vec::new(),
    };
    let mut routes = with_attributions(with_administration(with_conversations(routes)))
        .get("/agents", agents::list)
        .get("/agents/{name}", agents::about)
        .post("/agents/{name}", agents::run)
        .get("/threads", threads::list)
        .get("/threads/{id}", threads::about)
        .patch("/threads/{id}", threads::change)
        .delete("/threads/{id}", threads::delete)
        .get("/threads/{id}/messages", threads::messages)
        .get("/threads/{id}/state", threads::state)
        .get("/threads/{id}/events", events::events)
        .get("/threads/{id}/runs", threads::runs)
        .get("/threads/{id}/turns", turns::turns)
        .post("/threads/{id}/cancel", threads::cancel)
        .get("/documents", documents::list)
        .post("/documents", documents::attach)
        .get("/documents/events", document_events::events)
        .get("/documents/{id}", documents::about)
        .patch("/documents/{id}", documents::change)
        .delete("/documents/{id}", documents::detach)
        .get("/documents/{id}/file", files::file)
        .get("/documents/{id}/pages/{page}", page_images::page)
        .get("/documents/{id}/text", page_text::text)
        .get("/documents/{id}/outline", page_text::outline)
        .get(
            "/documents/{id}/citations",
            document_reading::citing_answers,
        )
        .post("/documents/{id}/read", document_reading::read_again)
        .get("/search", search::search)
        .get("/chunks/{id}", search::chunk)
        .get("/labels", search::labels)
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
        .post("/reviewUrl", review_url::review)
        .post("/attachments/{id}/extend", sdk::extend)
        .delete("/attachments/{id}", sdk::detach)
        .post("/p/{id}/links", links::create)
        .get("/me", principals::about)
        .delete("/me", principals::forget)
        .get("/me/export", export::export)
        .get("/session", sessions::about)
        .post("/session", sessions::create)
        .delete("/session", sessions::delete)
        .get("/audit", principals::audit)
        .get("/openapi.json", server::description)
        .get("/app/api", server::page)
        .get("/log", server::log_level)
        .put("/log", server::set_log_level)
        .get("/healthz", health::alive)
        .post("/healthz/stream", health::stream)
        .get("/readyz", health::ready)
        .get("/metrics", health::metrics);
    routes.router = routes
        .router
        .route("/app", routing::get(console::redirect))
        .route("/app/", routing::get(console::index))
        .route("/app/{*path}", routing::get(console::file));
    routes.router = with_foreign_protocols(routes.router);
    routes.router = routes
        .router
        .method_not_allowed_fallback(wrong_method)
        .fallback(not_found);
    routes
}

/// Adds the routes for administrators, and the description of the server.
fn with_administration(routes: RouteTable) -> RouteTable {
    routes
        .put("/agents/{name}", upstreams::add)
        .delete("/agents/{name}", upstreams::remove)
        .post("/agents/{name}/check", upstreams::check)
        .get("/keys", keys::list)
        .post("/keys", keys::create)
        .delete("/keys/{id}", keys::revoke)
        .get("/server", server_info::about)
}

/// Adds the protocols of others. They are not in the OpenAPI document; `admission` knows their scopes.
fn with_foreign_protocols(router: Router<Arc<AppState>>) -> Router<Arc<AppState>> {
    let mut router = router.route("/mcp", routing::any(mcp::serve));
    for base in runtime_bases() {
        for path in ["", "/", "/{*path}"] {
            let path = format!("{base}{path}");
            router = router.route(&path, routing::any(copilotkit::serve));
        }
    }
    router
}

/// Adds the routes of music credits and permissions.
fn with_attributions(routes: RouteTable) -> RouteTable {
    routes
        .get("/api/v1/attributions/", attributions::list)
        .get("/api/v1/attributions/search", attributions::search)
        .get("/api/v1/attributions/{id}", attributions::about)
        .get("/api/v1/attributions/work/{id}", attributions::about)
        .get(
            "/api/v1/attributions/{id}/provenance",
            attributions::provenance,
        )
        .post("/api/v1/attributions/{id}/feedback", attributions::feedback)
        .post(
            "/api/v1/attributions/{id}/corrections/{correction}/accept",
            attributions::accept,
        )
        .post(
            "/api/v1/attributions/{id}/corrections/{correction}/reject",
            attributions::reject,
        )
        .post(
            "/api/v1/attributions/{id}/corrections/{correction}/undo",
            attributions::undo,
        )
        .get("/api/v1/review/queue", attributions::queue)
        .post("/api/v1/review/approve-all", attributions::approve)
        .get("/api/v1/review/calibration", attributions::calibration)
        .post("/api/v1/permissions/check", permissions::check)
        .get("/api/v1/permissions/audit", permissions::audit)
        .get("/api/v1/permissions/{entity_id}", permissions::list)
        .put("/api/v1/permissions/{entity_id}", permissions::put)
}

/// Adds the routes of conversations and of the ontology.
fn with_conversations(routes: RouteTable) -> RouteTable {
    routes
        .post("/conversations/{id}/messages", conversations::send)
        .get("/conversations/{id}/messages", conversations::list)
        .get("/conversations/{id}/messages/events", conversations::events)
        .get(
            "/conversations/{id}/messages/{message}",
            conversations::about,
        )
        .patch(
            "/conversations/{id}/messages/{message}",
            conversations::update,
        )
        .get(
            "/conversations/{id}/messages/{message}/actions",
            conversation_actions::executions,
        )
        .post(
            "/conversations/{id}/messages/{message}/actions/{action}",
            conversation_actions::execute,
        )
        .post(
            "/conversations/{id}/messages/{message}/actions/{action}/result",
            conversation_actions::report,
        )
        .post(
            "/conversations/{id}/messages/{message}/context",
            conversation_actions::answer_context,
        )
        .get(
            "/conversations/{id}/messages/{message}/context",
            conversation_actions::context_answer,
        )
        .get("/conversations/{id}/context", conversation_actions::context)
        .put(
            "/conversations/{id}/context/{key}",
            conversation_actions::share,
        )
        .delete(
            "/conversations/{id}/context/{key}",
            conversation_actions::withdraw,
        )
        .get("/context-grants", conversation_actions::grants)
        .delete("/context-grants/{id}", conversation_actions::revoke)
        .get("/canvas/catalog", conversations::catalog)
        .get("/canvas/catalog/{component}", conversations::component)
        .get("/things", ontology::things)
        .get("/connections", ontology::connections)
        .get("/events", ontology::events)
        .get("/knowledge", ontology::knowledge)
}

async fn not_found(method: Method, uri: Uri) -> Response {
    if uri.path() == "/" && matches!(method, Method::GET | Method::HEAD) {
        // A browser that opens the server shows the console.
        return Redirect::temporary("/app/").into_response();
    }
    ApiError::new(
        ErrorCode::NotFound,
        format!("Path not found: `{}`", uri.path()),
        "GET /openapi.json lists all paths",
    )
    .into_response()
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        format!("Method not allowed: {method} on `{}`", uri.path()),
        "GET /openapi.json lists the methods of each path",
    )
}

/// Returns a JSON response with status 200.
fn ok(body: &impl Serialize) -> Result<Response, ApiError> {
    json(StatusCode::OK, body)
}

/// Returns a JSON response.
fn json(status: StatusCode, body: &impl Serialize) -> Result<Response, ApiError> {
    let body = serde_json::to_string(body).map_err(|error| {
        ApiError::new(
            ErrorCode::Internal,
            format!("The response could not be written: {error}"),
            "Report this as a defect",
        )
    })?;
    Ok(json_text(status, body))
}

/// Returns a response with a body that is JSON already.
fn json_text(status: StatusCode, body: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body).into_response()
}

/// Returns the sequence number of the last event that a reconnecting client has.
fn last_event_id(headers: &HeaderMap) -> Option<Sequence> {
    let id = headers.get("last-event-id")?.to_str().ok()?;
    id.trim().parse().ok()
}

/// Returns an expiry in RFC 3339 form, or `never`.
fn expiry_text(expires: Option<Timestamp>) -> String {
    expires.map_or_else(|| "never".to_owned(), time_text)
}
