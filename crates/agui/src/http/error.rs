//! What can go wrong between a client and an agent.

use std::io;
use std::time::Duration;

/// Why a run over HTTP failed.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The URL cannot be used.
    #[error("'{url}' is no URL of an agent: {reason}")]
    BadUrl {
        /// What was given.
        url: String,
        /// Why not.
        reason: &'static str,
    },
    /// A header cannot be sent.
    #[error("the header '{name}' cannot be sent: {reason}")]
    BadHeader {
        /// Its name; never its value, which may be a secret.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// No connection.
    #[error("cannot connect to {to}: {error}; is the agent running there?")]
    Unreachable {
        /// Host and port.
        to: String,
        /// What the system says.
        error: io::Error,
    },
    /// No secure connection.
    #[error("no secure connection to {to}: {reason}")]
    Tls {
        /// Host and port.
        to: String,
        /// Why.
        reason: String,
    },
    /// A proxy is in the way.
    #[error("the proxy {proxy} does not connect to {to}: {reason}")]
    Proxy {
        /// The proxy, without credentials.
        proxy: String,
        /// Host and port.
        to: String,
        /// Why.
        reason: String,
    },
    /// Nothing came in time.
    #[error("{waiting} took longer than {}", seconds(*.limit))]
    Timeout {
        /// What was waited for.
        waiting: Waiting,
        /// How long.
        limit: Duration,
    },
    /// The connection ended before an answer.
    #[error("{to} closed the connection without an answer")]
    Closed {
        /// Host and port.
        to: String,
    },
    /// The connection ended in the middle of the answer.
    #[error("the connection broke after {events} events{}", .error.as_ref().map(|error| format!(": {error}")).unwrap_or_default())]
    Truncated {
        /// How many came before.
        events: u64,
        /// What the system says, if anything.
        error: Option<io::Error>,
    },
    /// The answer is no HTTP.
    #[error("the answer is no HTTP: {0}")]
    BadAnswer(&'static str),
    /// The head of the answer never ends.
    #[error("the head of the answer is longer than {limit} bytes")]
    HeadTooLarge {
        /// The limit.
        limit: usize,
    },
    /// The agent refuses.
    #[error("HTTP {status}: {message}")]
    Status {
        /// The status.
        status: u16,
        /// The body, or the beginning of it.
        message: String,
        /// When to try again, if the agent says so.
        retry_after: Option<Duration>,
    },
    /// An answer without a body.
    #[error("HTTP {status} without a body; an event stream was expected")]
    NoBody {
        /// The status.
        status: u16,
    },
    /// A redirect that is not followed.
    #[error("HTTP {status} redirects to {location}, which is not followed: {reason}")]
    Redirect {
        /// The status.
        status: u16,
        /// Where to.
        location: String,
        /// Why not.
        reason: &'static str,
    },
    /// Something else than a stream of events.
    #[error("the answer is {content_type}, not a stream of events; it begins: {start}")]
    ContentType {
        /// What the agent calls it.
        content_type: String,
        /// Its first characters.
        start: String,
    },
    /// A compressed answer, although none was asked for.
    #[error("the answer is compressed ({0}), although that was not asked for")]
    Compressed(String),
    /// More than is wanted.
    #[error("the answer is longer than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
}

/// What was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// The connection.
    Connect,
    /// The first event.
    FirstEvent,
    /// More bytes.
    Idle,
    /// The end of the run.
    Total,
}

impl std::fmt::Display for Waiting {
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
    /// A code for machines, as a gateway puts it into `RUN_ERROR`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } | Self::BadHeader { .. } => "configuration",
            Self::Unreachable { .. } | Self::Tls { .. } | Self::Proxy { .. } => {
                "upstream_unreachable"
            }
            Self::Timeout { .. } => "upstream_timeout",
            Self::Closed { .. } | Self::Truncated { .. } => "upstream_truncated",
            Self::Status { .. } | Self::NoBody { .. } | Self::Redirect { .. } => "upstream_status",
            Self::BadAnswer(_) | Self::ContentType { .. } | Self::Compressed(_) => {
                "upstream_protocol"
            }
            Self::HeadTooLarge { .. } | Self::TooLarge { .. } => "limit",
        }
    }

    /// Whether trying again may help.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Closed { .. } | Self::Truncated { .. } => true,
            Self::Timeout { waiting, .. } => *waiting == Waiting::Connect,
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
