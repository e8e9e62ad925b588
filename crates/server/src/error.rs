//! Errors as clients receive them: one table of codes and one JSON form.

use std::borrow::Cow;
use std::time::Duration;

use agui::input::RequestError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use canvas::MessageError;
use json::{Map, Value};

/// Declares the table of error codes: name in Rust, name on the wire, HTTP status, meaning.
macro_rules! codes {
    ($(#[doc = $meaning:literal] $name:ident = $wire:literal $status:ident,)*) => {
        /// Code of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $name,)*
        }

        impl ErrorCode {
            /// All codes, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $wire,)*
                }
            }

            /// Returns the meaning as a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning.trim(),)*
                }
            }

            /// Returns the HTTP status.
            pub const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }
        }
    };
}

codes! {
    /// The request body is not valid JSON.
    InvalidJson = "invalid_json" BAD_REQUEST,
    /// The request cannot be understood, for example because of a broken query string.
    BadRequest = "bad_request" BAD_REQUEST,
    /// The key or token is missing, unknown, expired or revoked.
    Unauthorized = "unauthorized" UNAUTHORIZED,
    /// The key or token lacks the required scope.
    ScopeMissing = "scope_missing" FORBIDDEN,
    /// The signed link has expired or was changed.
    LinkRefused = "link_refused" FORBIDDEN,
    /// The `Host` or `Origin` of the request is not allowed.
    Forbidden = "forbidden" FORBIDDEN,
    /// Fetching documents from this host is not allowed.
    FetchOff = "fetch_off" UNPROCESSABLE_ENTITY,
    /// The resource does not exist, or belongs to another principal.
    NotFound = "not_found" NOT_FOUND,
    /// The path exists, but does not support this method.
    MethodNotAllowed = "method_not_allowed" METHOD_NOT_ALLOWED,
    /// The request body did not arrive in time.
    Timeout = "request_timeout" REQUEST_TIMEOUT,
    /// The id is already used for different content.
    Conflict = "conflict" CONFLICT,
    /// Another run of the thread is in progress and has subscribers.
    ThreadBusy = "thread_busy" CONFLICT,
    /// The person must confirm the action first.
    ConfirmationRequired = "confirmation_required" CONFLICT,
    /// The request body is too large.
    TooLarge = "too_large" PAYLOAD_TOO_LARGE,
    /// The route does not accept bodies of this media type.
    UnsupportedMedia = "unsupported_media_type" UNSUPPORTED_MEDIA_TYPE,
    /// The input is well-formed, but a value is missing or wrong.
    InvalidInput = "invalid_input" UNPROCESSABLE_ENTITY,
    /// The message of an agent, or the parameters of an action, are not valid. `errors` lists each problem.
    InvalidMessage = "invalid_message" UNPROCESSABLE_ENTITY,
    /// The document cannot be read.
    UnreadableDocument = "unreadable_document" UNPROCESSABLE_ENTITY,
    /// The principal sent too many requests, or has too many open.
    TooMany = "too_many_requests" TOO_MANY_REQUESTS,
    /// An internal error, which is a defect of the server.
    Internal = "internal" INTERNAL_SERVER_ERROR,
    /// The database failed.
    Storage = "storage" SERVICE_UNAVAILABLE,
    /// The server is too busy at the moment.
    Unavailable = "unavailable" SERVICE_UNAVAILABLE,
}

/// Error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// Code, which also decides the HTTP status.
    pub code: ErrorCode,
    /// Description of the failure, as a sentence.
    pub message: String,
    /// Advice on what to do, as a sentence.
    pub hint: Cow<'static, str>,
    /// Seconds after which a retry can succeed.
    pub retry_after: Option<u64>,
    /// Errors of the message that was sent.
    pub errors: Vec<MessageError>,
}

impl ApiError {
    /// Creates an error. Message and hint become sentences: a capital letter first, a full stop last.
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            message: sentence(&message.into()),
            hint: sentence(&hint.into()).into(),
            retry_after: None,
            errors: Vec::new(),
        }
    }

    /// Adds the errors of the message that was sent.
    #[must_use]
    pub fn with_errors(self, errors: Vec<MessageError>) -> Self {
        Self { errors, ..self }
    }

    /// Adds the time after which a retry can succeed, rounded up to seconds.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        Self {
            retry_after: u64::try_from(seconds).ok(),
            ..self
        }
    }

    /// Returns the JSON body. `docs` is the address of the page about error codes.
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
        let mut body = Value::from([("error", Value::Object(error))]).to_json();
        if !self.errors.is_empty()
            && let Ok(errors) = serde_json::to_string(&self.errors)
        {
            body.pop();
            body.push_str(&format!(",\"errors\":{errors}}}"));
        }
        body
    }
}

/// Returns the text with a capital letter first and a full stop last.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let end = match text.ends_with(['.', '!', '?', '…']) || text.is_empty() {
        true => "",
        false => ".",
    };
    format!("{first}{}{end}", letters.as_str())
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
            "Send a RunAgentInput, at least {\"messages\":[{\"role\":\"user\",\"content\":\"…\"}]}",
        )
    }
}

impl IntoResponse for ApiError {
    /// Also stores the error as an extension, because [`guard`](crate::guard) adds the request id to the body.
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
    fn codes_have_unique_names_and_error_statuses() {
        for (at, code) in ErrorCode::ALL.iter().enumerate() {
            let others = &ErrorCode::ALL[..at];
            assert!(others.iter().all(|other| other.name() != code.name()));
            assert!(code.status().is_client_error() || code.status().is_server_error());
        }
    }

    #[test]
    fn body_has_code_message_hint_docs_and_request_id() {
        let error = ApiError::new(
            ErrorCode::NotFound,
            "agent not found: `x`",
            "GET /agents lists the agents",
        );
        assert_eq!(
            error.body(Some("/app/api"), Some("r1")),
            r#"{"error":{"code":"not_found","message":"Agent not found: `x`.","hint":"GET /agents lists the agents.","docs":"/app/api#not_found","requestId":"r1"}}"#
        );
    }

    #[test]
    fn sentences_begin_with_a_capital_and_end_with_a_stop() {
        assert_eq!(sentence("a number differs"), "A number differs.");
        assert_eq!(sentence("élan? "), "Élan?");
        assert_eq!(sentence(""), "");
    }
}
