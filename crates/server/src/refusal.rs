//! Refusals that say what to do: those of the framework in our form, and those that depend on what a route takes.

use axum::body::to_bytes;
use axum::extract::{MatchedPath, Request};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ErrorCode};
use crate::operations::{self, ApiOperation, JsonShape, ShapeField};

/// How long a refusal of the framework may be.
const MAX_REFUSAL: usize = 4 << 10;
/// How many letters of a type of body are told back.
const MAX_MEDIA: usize = 100;
/// How the framework begins what it says of a query that it cannot read.
const BAD_QUERY: &str = "Failed to deserialize query string: ";

/// What was asked, as far as a refusal depends on it.
pub(crate) struct RejectionContext {
    operation: Option<&'static ApiOperation>,
    /// What the body is called, without parameters.
    media: Option<String>,
}

impl RejectionContext {
    pub(crate) fn of(request: &Request) -> Self {
        let path = request.extensions().get::<MatchedPath>();
        let operation = path.and_then(|path| operations::find(request.method(), path.as_str()));
        Self {
            operation,
            media: media_type(request),
        }
    }

    /// An answer; a refusal is made clear.
    pub(crate) async fn answered(&self, mut response: Response) -> Response {
        let clear = match response.extensions().get::<ApiError>() {
            Some(error) => self.of_another_kind(error),
            None => in_our_form(&mut response)
                .await
                .map(|error| self.clear(error)),
        };
        clear.map_or(response, IntoResponse::into_response)
    }

    /// A body that is no JSON, and is not called anything that the route takes.
    fn of_another_kind(&self, error: &ApiError) -> Option<ApiError> {
        let media = self.media.as_deref()?;
        let takes = self.operation?.takes;
        let is_taken = |(taken, _): &(&str, JsonShape)| *taken == media;
        if error.code != ErrorCode::InvalidJson
            || media.ends_with("+json")
            || takes.iter().any(is_taken)
        {
            return None;
        }
        let shown: String = media.chars().take(MAX_MEDIA).collect();
        let takes_files = takes
            .iter()
            .any(|(taken, _)| *taken == "multipart/form-data");
        Some(ApiError::new(
            ErrorCode::UnsupportedMedia,
            format!(
                "a body of the type {shown} is not read here: {}",
                error.message
            ),
            if takes_files {
                "send a form with the file in a part named file (curl -F file=@FILE), or JSON as application/json"
            } else {
                "send JSON, as application/json"
            },
        ))
    }

    /// What the framework says, in words of ours.
    fn clear(&self, error: ApiError) -> ApiError {
        let Some((operation, reason)) = self.operation.zip(error.message.strip_prefix(BAD_QUERY))
        else {
            return error;
        };
        let takes: Vec<String> = operation.query.iter().map(parameter).collect();
        ApiError::new(
            ErrorCode::BadRequest,
            format!("what follows the question mark cannot be used: {reason}"),
            match takes.as_slice() {
                [] => "leave it out: nothing is expected there".to_owned(),
                takes => format!("what may be there: {}", takes.join(", ")),
            },
        )
    }
}

fn media_type(request: &Request) -> Option<String> {
    let named = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = named.split(';').next().unwrap_or_default().trim();
    (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
}

/// A parameter, and what it may be.
fn parameter(field: &ShapeField) -> String {
    match field.form {
        JsonShape::Whole(least, i64::MAX) => format!("{} (a number from {least})", field.name),
        JsonShape::Whole(least, most) => {
            format!("{} (a number from {least} to {most})", field.name)
        }
        JsonShape::OneOf(words) => format!("{} ({})", field.name, words.join(" or ")),
        _ => field.name.to_owned(),
    }
}

/// A refusal of the framework, which answers in plain text, in our form.
pub(crate) async fn in_our_form(response: &mut Response) -> Option<ApiError> {
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !failed || !plain || response.extensions().get::<ApiError>().is_some() {
        return None;
    }
    let body = std::mem::take(response.body_mut());
    let body = to_bytes(body, MAX_REFUSAL).await.unwrap_or_default();
    let message = String::from_utf8_lossy(&body).into_owned();
    let codes = ErrorCode::ALL.iter().copied();
    let code = codes.rev().find(|code| code.status() == status);
    Some(ApiError::new(
        code.unwrap_or(if status.is_server_error() {
            ErrorCode::Internal
        } else {
            ErrorCode::BadRequest
        }),
        message,
        "GET /openapi.json tells what may be asked",
    ))
}
