//! Errors as clients see them: one table of codes, one form.

use agui::input::RequestError;
use agui::json::Value;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What can be wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The body is no JSON.
    InvalidJson,
    /// The body is JSON, but no input.
    InvalidInput,
    /// The body is too long.
    TooLarge,
    /// Not with this method.
    MethodNotAllowed,
}

impl Code {
    /// Its name on the wire and the status that goes with it.
    const fn row(self) -> (&'static str, StatusCode) {
        match self {
            Self::InvalidJson => ("invalid_json", StatusCode::BAD_REQUEST),
            Self::InvalidInput => ("invalid_input", StatusCode::UNPROCESSABLE_ENTITY),
            Self::TooLarge => ("too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
        }
    }
}

/// An error that a client sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// Which.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        let code = match error {
            RequestError::Empty | RequestError::NotUtf8 { .. } | RequestError::NotJson { .. } => {
                Code::InvalidJson
            }
            RequestError::NotAnObject { .. } | RequestError::Invalid(_) => Code::InvalidInput,
        };
        Self {
            code,
            message: error.to_string(),
            hint: "send a RunAgentInput, at least {\"messages\":[{\"role\":\"user\",\"content\":\"…\"}]}",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (code, status) = self.code.row();
        let error = Value::from([
            ("code", code.into()),
            ("message", self.message.into()),
            ("hint", self.hint.into()),
        ]);
        let body = Value::from([("error", error)]).to_json();
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}
