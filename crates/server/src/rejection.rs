//! Completes rejections: those of the framework get our JSON form, and hints that depend on the route.

use axum::body::to_bytes;
use axum::extract::{MatchedPath, Request};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ErrorCode};
use crate::openapi::{QueryParameter, query_parameters};
use crate::operations::{self, ApiOperation, RequestBody};

/// Bytes of a framework error that are used.
const MAX_FRAMEWORK_ERROR: usize = 4 << 10;
/// Characters of a media type that are repeated in a message.
const MAX_MEDIA_TYPE: usize = 100;
/// Prefix of the framework's message about an invalid query string.
const INVALID_QUERY: &str = "Failed to deserialize query string: ";

/// Parts of a request on which the text of a rejection depends.
pub(crate) struct RejectionContext {
    operation: Option<&'static ApiOperation>,
    /// Media type of the body, without parameters.
    media_type: Option<String>,
}

impl RejectionContext {
    pub(crate) fn of(request: &Request) -> Self {
        let path = request.extensions().get::<MatchedPath>();
        let operation = path.and_then(|path| operations::find(request.method(), path.as_str()));
        Self {
            operation,
            media_type: media_type(request),
        }
    }

    /// Returns the response. Errors get the code and hint that fit the route.
    pub(crate) async fn complete(&self, mut response: Response) -> Response {
        let error = match response.extensions().get::<ApiError>() {
            Some(error) => self.unsupported_media_type(error),
            None => framework_error(&mut response)
                .await
                .map(|error| self.invalid_query(error)),
        };
        error.map_or(response, IntoResponse::into_response)
    }

    /// Returns the error for a body that is not JSON and has a media type that the route does not accept.
    fn unsupported_media_type(&self, error: &ApiError) -> Option<ApiError> {
        let media_type = self.media_type.as_deref()?;
        let accepted = self.operation?.bodies;
        let is_accepted = |body: &RequestBody| body.media_type == media_type;
        if error.code != ErrorCode::InvalidJson
            || media_type.ends_with("+json")
            || accepted.iter().any(is_accepted)
        {
            return None;
        }
        let shown: String = media_type.chars().take(MAX_MEDIA_TYPE).collect();
        let accepts_files = accepted
            .iter()
            .any(|body| body.media_type == "multipart/form-data");
        Some(ApiError::new(
            ErrorCode::UnsupportedMedia,
            format!("Media type not supported: `{shown}`. {}", error.message),
            if accepts_files {
                "Send a form with the file in a part named `file` (curl -F file=@FILE), or JSON as application/json"
            } else {
                "Send JSON as application/json"
            },
        ))
    }

    /// Returns the error for an invalid query string, with the parameters of the route as its hint.
    fn invalid_query(&self, error: ApiError) -> ApiError {
        let Some((operation, reason)) = self
            .operation
            .zip(error.message.strip_prefix(INVALID_QUERY))
        else {
            return error;
        };
        let parameters = query_parameters(operation);
        let parameters: Vec<String> = parameters.iter().map(QueryParameter::hint).collect();
        ApiError::new(
            ErrorCode::BadRequest,
            format!("Invalid query string: {reason}"),
            match parameters.as_slice() {
                [] => "This route has no query parameters".to_owned(),
                parameters => format!("Query parameters: {}", parameters.join(", ")),
            },
        )
    }
}

fn media_type(request: &Request) -> Option<String> {
    let value = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default().trim();
    (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
}

/// Returns the error of a response that the framework made, which has a plain text body.
pub(crate) async fn framework_error(response: &mut Response) -> Option<ApiError> {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !is_error || !is_plain || response.extensions().get::<ApiError>().is_some() {
        return None;
    }
    let body = std::mem::take(response.body_mut());
    let body = to_bytes(body, MAX_FRAMEWORK_ERROR)
        .await
        .unwrap_or_default();
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
        "GET /openapi.json describes the requests of this server",
    ))
}
