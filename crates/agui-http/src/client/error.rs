//! Failures between a client and an agent.

use std::io;
use std::time::Duration;

use net::connect::ConnectError;

/// Failure of a run over HTTP.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The URL cannot be used.
    #[error("'{url}' is no URL of an agent: {reason}")]
    BadUrl {
        /// URL without credentials.
        url: String,
        /// Reason.
        reason: &'static str,
    },
    /// A header cannot be sent.
    #[error("the header '{name}' cannot be sent: {reason}")]
    BadHeader {
        /// Name of the header. Its value may be a secret.
        name: String,
        /// Reason.
        reason: &'static str,
    },
    /// The host cannot be reached.
    #[error("cannot connect to {to}: {error}; is the agent running there?")]
    Unreachable {
        /// Host and port.
        to: String,
        /// Error of the system.
        error: io::Error,
    },
    /// The TLS handshake failed.
    #[error("no secure connection to {to}: {reason}")]
    Tls {
        /// Host and port.
        to: String,
        /// Reason.
        reason: String,
    },
    /// The proxy does not connect.
    #[error("the proxy {proxy} does not connect to {to}: {reason}")]
    Proxy {
        /// Host and port of the proxy, without credentials.
        proxy: String,
        /// Host and port.
        to: String,
        /// Reason.
        reason: String,
    },
    /// A timeout passed.
    #[error("{waiting} took longer than {}", seconds(*.limit))]
    Timeout {
        /// Phase of the run.
        waiting: TimeoutPhase,
        /// Timeout.
        limit: Duration,
    },
    /// The connection closed before an answer.
    #[error("{to} closed the connection without an answer")]
    Closed {
        /// Host and port.
        to: String,
    },
    /// The connection closed in the middle of the answer.
    #[error("the connection broke after {events} events{}", .error.as_ref().map(|error| format!(": {error}")).unwrap_or_default())]
    Truncated {
        /// Number of events received before.
        events: u64,
        /// Error of the system, if there was one.
        error: Option<io::Error>,
    },
    /// The answer is not HTTP.
    #[error("the answer is no HTTP: {0}")]
    BadAnswer(&'static str),
    /// The head of the answer is longer than the limit.
    #[error("the head of the answer is longer than {limit} bytes")]
    HeadTooLarge {
        /// Limit in bytes.
        limit: usize,
    },
    /// The agent answered with an error status.
    #[error("HTTP {status}: {message}")]
    Status {
        /// The status.
        status: u16,
        /// Body, or its beginning.
        message: String,
        /// Value of `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// The answer has no body.
    #[error("HTTP {status} without a body; an event stream was expected")]
    MissingBody {
        /// The status.
        status: u16,
    },
    /// A redirect was not followed.
    #[error("HTTP {status} redirects to {location}, which is not followed: {reason}")]
    Redirect {
        /// The status.
        status: u16,
        /// Value of `Location`.
        location: String,
        /// Reason.
        reason: &'static str,
    },
    /// The answer is not a stream of events.
    #[error("the answer is {content_type}, not a stream of events; it begins: {start}")]
    ContentType {
        /// Content type that the agent declares.
        content_type: String,
        /// First characters of the answer.
        start: String,
    },
    /// The answer is compressed although the request excluded that.
    #[error("the answer is compressed ({0}), although that was not asked for")]
    Compressed(String),
    /// The answer is larger than the limit.
    #[error("the answer is longer than {limit} bytes")]
    TooLarge {
        /// Limit in bytes.
        limit: u64,
    },
}

/// Phase of a run that has a timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// Connecting.
    Connect,
    /// Waiting for the first event.
    FirstEvent,
    /// Waiting for more bytes.
    Idle,
    /// The whole run.
    Total,
}

impl std::fmt::Display for TimeoutPhase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "connecting",
            Self::FirstEvent => "waiting for the first event",
            Self::Idle => "waiting for the next event",
            Self::Total => "the run",
        })
    }
}

impl HttpError {
    /// Returns the code of the failure, as it appears in `RUN_ERROR`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } | Self::BadHeader { .. } => "configuration",
            Self::Unreachable { .. } | Self::Tls { .. } | Self::Proxy { .. } => {
                "upstream_unreachable"
            }
            Self::Timeout { .. } => "upstream_timeout",
            Self::Closed { .. } | Self::Truncated { .. } => "upstream_truncated",
            Self::Status { .. } | Self::MissingBody { .. } | Self::Redirect { .. } => {
                "upstream_status"
            }
            Self::BadAnswer(_) | Self::ContentType { .. } | Self::Compressed(_) => {
                "upstream_protocol"
            }
            Self::HeadTooLarge { .. } | Self::TooLarge { .. } => "limit",
        }
    }

    /// Returns true if the agent rejects the input because it has a protocol version, as releases before 1.0 with a
    /// strict schema do.
    pub(super) fn rejects_protocol_version(&self) -> bool {
        let names_field = |message: &str| {
            message.contains("protocolVersion") || message.contains("protocol_version")
        };
        matches!(self, Self::Status { status: 422, message, .. } if names_field(message))
    }

    /// Returns true if a retry may help.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Closed { .. } | Self::Truncated { .. } => true,
            Self::Timeout { waiting, .. } => *waiting == TimeoutPhase::Connect,
            Self::Status { status, .. } => matches!(status, 429 | 502 | 503 | 504),
            _ => false,
        }
    }
}

fn seconds(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

impl HttpError {
    /// Converts a failure to connect to host and port `to`.
    pub(super) fn from_connect(error: ConnectError, to: String) -> Self {
        match error {
            ConnectError::Unreachable(error) => Self::Unreachable { to, error },
            ConnectError::Tls(reason) => Self::Tls { to, reason },
            ConnectError::Proxy { proxy, reason } => Self::Proxy { proxy, to, reason },
        }
    }
}

impl From<HttpError> for agui::AgentError {
    fn from(error: HttpError) -> Self {
        agui::agent::TransportError::new(error.code(), error).into()
    }
}
