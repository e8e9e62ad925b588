//! Errors and repairs of messages, precise enough for a model to repair its message.

use std::fmt;

use serde::Serialize;

/// Error in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageError {
    /// JSON Pointer from the message root. For a missing field it names the field.
    pub path: String,
    /// Code, one of those in the protocol document.
    pub code: &'static str,
    /// Description of the error.
    pub message: String,
    /// Description of the values that are accepted at the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "/"
        } else {
            &self.path
        };
        write!(f, "{path}: {}", self.message)?;
        match &self.expected {
            Some(expected) => write!(f, " Expected: {expected}."),
            None => Ok(()),
        }
    }
}

/// Repair of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageRepair {
    /// JSON Pointer from the message root, as the message was sent.
    pub path: String,
    /// `numeric_string`, `columns_for_headers` or `unknown_field`.
    pub code: &'static str,
    /// Description of the repair.
    pub message: String,
}

/// Refusal of a message with all errors that were found; there is at least one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))]
pub struct InvalidMessage {
    /// Errors in the order of the message.
    pub errors: Vec<MessageError>,
}

impl InvalidMessage {
    /// Creates a refusal with one error.
    pub fn new(
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
        expected: Option<&str>,
    ) -> Self {
        Self {
            errors: vec![MessageError {
                path: path.into(),
                code,
                message: message.into(),
                expected: expected.map(str::to_owned),
            }],
        }
    }
}
