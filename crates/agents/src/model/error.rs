//! Failures of models.

use std::time::Duration;

use agui_http::client::HttpError;
use json::Value;

use super::name::ModelName;

/// Limit on the part of a provider's message that is shown, in characters.
const MAX_MESSAGE: usize = 600;

/// Failure of a model. Messages never hold keys.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The provider needs a key and none is configured.
    #[error(
        "No key for {provider}. Set {variable}, or choose another model with `[models] default`."
    )]
    MissingKey {
        /// Name of the provider.
        provider: &'static str,
        /// Environment variable that holds the key.
        variable: &'static str,
    },
    /// The address or a header of the provider is unusable.
    #[error("The configuration of {model} is unusable: {reason}")]
    Configuration {
        /// Model.
        model: ModelName,
        /// Reason.
        reason: String,
    },
    /// The provider answered with an error status.
    #[error("{model} answered with HTTP {status}: {message}")]
    Status {
        /// Model.
        model: ModelName,
        /// Status.
        status: u16,
        /// Message of the provider.
        message: String,
        /// Delay that the provider asks for.
        retry_after: Option<Duration>,
    },
    /// The provider reported an error in its stream.
    #[error("{model} reported an error: {message}")]
    Reported {
        /// Model.
        model: ModelName,
        /// Message of the provider.
        message: String,
        /// True if a retry may help.
        is_transient: bool,
    },
    /// The connection failed.
    #[error("{model} cannot be reached: {source}")]
    Transport {
        /// Model.
        model: ModelName,
        /// Failure of the connection.
        source: HttpError,
    },
    /// The stream ended before the answer did.
    #[error("The answer of {model} ended before it was complete.")]
    Truncated {
        /// Model.
        model: ModelName,
    },
    /// The stream is not what the provider documents.
    #[error("The answer of {model} cannot be read: {reason}")]
    Protocol {
        /// Model.
        model: ModelName,
        /// Reason.
        reason: String,
    },
    /// Every configured model failed.
    #[error("No model answered. {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))]
    AllFailed(Vec<ModelError>),
}

impl ModelError {
    /// Converts a failure of the HTTP client.
    pub(super) fn from_http(model: &ModelName, error: HttpError) -> Self {
        let model = model.clone();
        match error {
            HttpError::Status {
                status,
                message,
                retry_after,
            } => Self::Status {
                model,
                status,
                message: provider_message(&message),
                retry_after,
            },
            HttpError::Truncated { .. } | HttpError::Closed { .. } => Self::Truncated { model },
            HttpError::BadUrl { .. } | HttpError::BadHeader { .. } => Self::Configuration {
                model,
                reason: error.to_string(),
            },
            source => Self::Transport { model, source },
        }
    }

    /// Returns the code for `RUN_ERROR`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MissingKey { .. } | Self::Configuration { .. } => "configuration",
            Self::Status { .. } | Self::Reported { .. } => "upstream_status",
            Self::Transport { source, .. } => source.code(),
            Self::Truncated { .. } => "upstream_truncated",
            Self::Protocol { .. } => "upstream_protocol",
            Self::AllFailed(errors) => errors.last().map_or("upstream_unreachable", Self::code),
        }
    }

    /// Returns true if the same request may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => {
                matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
            }
            Self::Reported { is_transient, .. } => *is_transient,
            Self::Transport { source, .. } => source.code() != "configuration",
            Self::Truncated { .. } => true,
            Self::MissingKey { .. }
            | Self::Configuration { .. }
            | Self::Protocol { .. }
            | Self::AllFailed(_) => false,
        }
    }

    /// Returns true if another model may answer the request.
    pub fn can_fail_over(&self) -> bool {
        // A request that one provider calls invalid is at fault itself.
        !matches!(
            self,
            Self::Status {
                status: 400 | 413 | 422,
                ..
            }
        )
    }

    /// Returns the delay that the provider asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// Returns the message in the error body of a provider: `{"error":{"message":…}}`, `{"error":…}`, or the body itself.
pub(super) fn provider_message(body: &str) -> String {
    let parsed = Value::parse(body).unwrap_or_default();
    let error = &parsed["error"];
    let message = error["message"]
        .as_str()
        .or(error.as_str())
        .or(parsed["message"].as_str())
        .unwrap_or(body);
    let mut shown: String = message.trim().chars().take(MAX_MESSAGE).collect();
    if shown.is_empty() {
        shown.push_str("no message");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_providers_are_extracted() {
        for (body, message) in [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "Overloaded",
            ),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            ("<html>Bad gateway</html>", "<html>Bad gateway</html>"),
            ("", "no message"),
        ] {
            assert_eq!(provider_message(body), message);
        }
    }
}
