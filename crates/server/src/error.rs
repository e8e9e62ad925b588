//! Errors as clients see them: one table of codes, one form.

use std::borrow::Cow;
use std::time::Duration;

use agui::input::RequestError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use json::{Map, Value};

/// Declares the table: a name on the wire, the status that goes with it, what it means.
macro_rules! codes {
    ($(#[doc = $meaning:literal] $name:ident = $wire:literal $status:ident,)*) => {
        /// What can be wrong with a request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $name,)*
        }

        impl ErrorCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $wire,)*
                }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning.trim(),)*
                }
            }

            /// The status that goes with it.
            pub const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }
        }
    };
}

codes! {
    /// The body is no JSON.
    InvalidJson = "invalid_json" BAD_REQUEST,
    /// The request makes no sense.
    BadRequest = "bad_request" BAD_REQUEST,
    /// There is no valid key.
    Unauthorized = "unauthorized" UNAUTHORIZED,
    /// The key or token is not for this.
    ScopeMissing = "scope_missing" FORBIDDEN,
    /// The signed link has expired or was changed.
    LinkRefused = "link_refused" FORBIDDEN,
    /// It may not be asked from there.
    Forbidden = "forbidden" FORBIDDEN,
    /// Fetching is off.
    FetchOff = "fetch_off" FORBIDDEN,
    /// There is no such thing.
    NotFound = "not_found" NOT_FOUND,
    /// Not with this method.
    MethodNotAllowed = "method_not_allowed" METHOD_NOT_ALLOWED,
    /// The rest of the request did not come in time.
    Timeout = "request_timeout" REQUEST_TIMEOUT,
    /// There is something else under that id.
    Conflict = "conflict" CONFLICT,
    /// Somebody watches another run of the thread.
    ThreadBusy = "thread_busy" CONFLICT,
    /// The body is too long.
    TooLarge = "too_large" PAYLOAD_TOO_LARGE,
    /// The body is of a kind that is not read.
    UnsupportedMedia = "unsupported_media_type" UNSUPPORTED_MEDIA_TYPE,
    /// The body is JSON, but not what is expected.
    InvalidInput = "invalid_input" UNPROCESSABLE_ENTITY,
    /// The document cannot be read.
    UnreadableDocument = "unreadable_document" UNPROCESSABLE_ENTITY,
    /// Too much was asked.
    TooMany = "too_many_requests" TOO_MANY_REQUESTS,
    /// A fault of ours.
    Internal = "internal" INTERNAL_SERVER_ERROR,
    /// The store does not answer as it should.
    Storage = "storage" SERVICE_UNAVAILABLE,
    /// Not now.
    Unavailable = "unavailable" SERVICE_UNAVAILABLE,
}

/// An error that a client sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// Which.
    pub code: ErrorCode,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Cow<'static, str>,
    /// In how many seconds it may be asked again.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// An error with what to do about it.
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
            retry_after: None,
        }
    }

    /// The same, for somebody who may ask again after a while.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        Self {
            retry_after: u64::try_from(seconds).ok(),
            ..self
        }
    }

    /// The body, with the page that tells of errors and the id of the request where they are known.
    pub(crate) fn body(&self, docs: Option<&str>, request_id: Option<&str>) -> String {
        let mut error = Map::new();
        let mut put = |key: &str, value: &str| drop(error.insert(key.to_owned(), value.into()));
        put("code", self.code.name());
        put("message", &self.message);
        put("hint", &self.hint);
        if let Some(docs) = docs {
            put("docs", &format!("{docs}#{}", self.code.name()));
        }
        if let Some(id) = request_id {
            put("requestId", id);
        }
        Value::from([("error", Value::Object(error))]).to_json()
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        let code = match error {
            RequestError::Empty | RequestError::NotUtf8 { .. } | RequestError::NotJson { .. } => {
                ErrorCode::InvalidJson
            }
            RequestError::NotAnObject { .. } | RequestError::Invalid(_) => ErrorCode::InvalidInput,
        };
        Self::new(
            code,
            error.to_string(),
            "send a RunAgentInput, at least {\"messages\":[{\"role\":\"user\",\"content\":\"…\"}]}",
        )
    }
}

impl IntoResponse for ApiError {
    /// The error rides along: [`guard`](crate::guard) writes the id of the request into it.
    fn into_response(self) -> Response {
        let body = self.body(None, None);
        let json = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.code.status(), json, body).into_response();
        if let Some(seconds) = self.retry_after {
            let seconds = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_of_its_own_and_an_error_status() {
        for (at, code) in ErrorCode::ALL.iter().enumerate() {
            let others = &ErrorCode::ALL[..at];
            assert!(others.iter().all(|other| other.name() != code.name()));
            assert!(code.status().is_client_error() || code.status().is_server_error());
        }
    }

    #[test]
    fn the_body_says_what_to_do() {
        let error = ApiError::new(
            ErrorCode::NotFound,
            "there is no agent 'x'",
            "see GET /agents",
        );
        assert_eq!(
            error.body(Some("/app/api"), Some("r1")),
            r#"{"error":{"code":"not_found","message":"there is no agent 'x'","hint":"see GET /agents","docs":"/app/api#not_found","requestId":"r1"}}"#
        );
    }
}
