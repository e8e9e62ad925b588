//! Routes, by what they are about.

mod agents;
pub(crate) mod documents;
mod evidence;
mod health;
mod sdk;
mod verify;

use std::sync::Arc;

use agui::json::{Map, Value};
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};

use crate::app::App;
use crate::error::{ApiError, Code};

/// All routes.
pub(crate) fn all() -> Router<Arc<App>> {
    Router::new()
        .route("/agents", get(agents::list))
        .route("/agents/{name}", get(agents::about).post(agents::run))
        .route("/documents", get(documents::list).post(documents::attach))
        .route(
            "/documents/{id}",
            get(documents::about).delete(documents::detach),
        )
        .route("/verify", post(verify::verify))
        .route("/p/{id}", get(evidence::page))
        .route("/prepareAttachments", post(sdk::prepare))
        .route("/prepareAttachment", post(sdk::prepare))
        .route("/prepareFile", post(sdk::prepare))
        .route("/convertFile", post(sdk::convert))
        .route("/verifyCitations", post(sdk::verify))
        .route("/verifyCitation", post(sdk::verify))
        .route("/getAttachment", post(sdk::about))
        .route("/attachments/{id}/extend", post(sdk::extend))
        .route("/attachments/{id}", delete(sdk::detach))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .method_not_allowed_fallback(wrong_method)
        .fallback(nowhere)
}

async fn nowhere(uri: Uri) -> ApiError {
    ApiError::new(
        Code::NotFound,
        format!("there is nothing at {}", uri.path()),
        "see GET /agents and GET /documents",
    )
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::new(
        Code::MethodNotAllowed,
        format!("{method} is not for {}", uri.path()),
        "see the documentation of the routes",
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

/// The body of a request as a JSON object.
fn object(body: Result<Bytes, BytesRejection>) -> Result<Map, ApiError> {
    let body = whole(body)?;
    let invalid = |message: String| ApiError::new(Code::InvalidJson, message, "send a JSON object");
    let text =
        std::str::from_utf8(&body).map_err(|_| invalid("the body is not UTF-8".to_owned()))?;
    match Value::parse(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(invalid("the body is no JSON object".to_owned())),
        Err(error) => Err(invalid(format!("the body is not JSON: {error}"))),
    }
}

/// The whole body of a request.
fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
            _ => Code::BadRequest,
        };
        ApiError::new(code, rejection.body_text(), "a request may have 64 MiB")
    })
}

/// A member that is a text which is not empty.
fn text<'m>(map: &'m Map, key: &str) -> Option<&'m str> {
    map.get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}
