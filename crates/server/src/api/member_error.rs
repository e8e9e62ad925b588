//! Errors in requests that name the wrong member.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::error::{ApiError, ErrorCode};

/// Error in a request, with the path of the member it is about.
#[derive(Debug)]
pub(super) struct MemberError {
    /// Path such as `data.citations.k`; empty for the request itself.
    path: String,
    problem: String,
    hint: Option<String>,
}

impl MemberError {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            problem: problem.into(),
            hint: None,
        }
    }

    pub(super) fn wrong_type(expected: &str, found: &str) -> Self {
        Self {
            hint: Some(format!("Send {expected}")),
            ..Self::new(format!("must be {expected}, but is {found}"))
        }
    }

    /// Prepends a member to the path.
    pub(super) fn inside(mut self, key: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => key.to_owned(),
            path if path.starts_with('[') => format!("{key}{path}"),
            path => format!("{key}.{path}"),
        };
        self
    }
}

impl fmt::Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "The body {}", self.problem),
            path => write!(f, "`{path}` {}", self.problem),
        }
    }
}

impl std::error::Error for MemberError {}

impl From<MemberError> for ApiError {
    fn from(error: MemberError) -> Self {
        let hint = error.hint.clone();
        let hint = hint
            .unwrap_or_else(|| "GET /openapi.json describes the requests of this server".into());
        Self::new(ErrorCode::InvalidInput, error.to_string(), hint)
    }
}

impl de::Error for MemberError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match unexpected {
            Unexpected::Other(found) => found.to_owned(),
            other => other.to_string(),
        };
        Self::wrong_type(&expected.to_string(), &found)
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            hint: Some(format!("Send the member `{field}`")),
            ..Self::new("is missing")
        }
        .inside(field)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self {
            hint: Some(format!("Send {}", alternatives(expected))),
            ..Self::new("is not a known member")
        }
        .inside(field)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let expected = alternatives(expected);
        let shown: String = variant.chars().take(100).collect();
        Self {
            hint: Some(format!("Send {expected}")),
            ..Self::new(format!("must be {expected}, but is `{shown}`"))
        }
    }
}

/// Returns `a`, `b` or `c`.
fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
