//! Pages and files of the web console.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};

use crate::console;
use crate::state::AppState;

/// Redirects to the start page of the console.
pub(super) async fn redirect() -> Redirect {
    Redirect::temporary("/app/")
}

/// Returns the start page of the console.
pub(super) async fn index(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    console::respond(app.console, "index.html", &headers)
}

/// Returns a file of the console. Paths without a file extension are pages, which the console shows itself.
pub(super) async fn file(
    State(app): State<Arc<AppState>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    let is_page = !path.starts_with("assets/") && console::find(app.console, &path).is_none();
    console::respond(
        app.console,
        if is_page { "index.html" } else { &path },
        &headers,
    )
}
