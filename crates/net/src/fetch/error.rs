//! Failures of a download.

use std::io;
use std::time::Duration;

/// Failure of a download.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No host is allowed.
    #[error("fetching is switched off")]
    Off,
    /// The host is not allowed.
    #[error("{place} is not among the allowed hosts")]
    NotAllowed {
        /// The host, with its port if that is an unusual one.
        place: String,
    },
    /// The host is not public.
    #[error("{host} has a private address, and only public addresses are fetched from")]
    NotPublic {
        /// The host.
        host: String,
    },
    /// The URL cannot be used.
    #[error("the URL cannot be used: {reason}")]
    BadUrl {
        /// Reason.
        reason: &'static str,
    },
    /// The name has no address.
    #[error("the name {host} cannot be resolved: {error}")]
    Unresolved {
        /// The name.
        host: String,
        /// Error of the system.
        error: io::Error,
    },
    /// No connection.
    #[error("cannot connect to {host}: {error}")]
    Unreachable {
        /// The host.
        host: String,
        /// Error of the system.
        error: io::Error,
    },
    /// No secure connection.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// The host.
        host: String,
        /// Reason.
        reason: String,
    },
    /// The answer is not HTTP, or it ends too early.
    #[error("the answer of {host} cannot be read: {reason}")]
    BadAnswer {
        /// The host.
        host: String,
        /// Reason.
        reason: String,
    },
    /// The host refuses.
    #[error("{host} answers HTTP {status}")]
    Status {
        /// The host.
        host: String,
        /// The status.
        status: u16,
    },
    /// The answer is compressed although the request excluded that.
    #[error("{host} sends a compressed answer although the request excluded that")]
    Compressed {
        /// The host.
        host: String,
    },
    /// A redirect to a connection that is not secure.
    #[error("a redirect leads from https to http")]
    Downgrade,
    /// More redirects than the limit.
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    /// The document is too large.
    #[error("the document has more than {limit} bytes")]
    TooLarge {
        /// [`FetchLimits::bytes`](crate::FetchLimits::bytes).
        limit: usize,
    },
    /// The download took longer than the limit.
    #[error("the download took longer than {} s", .0.as_secs_f64())]
    TooSlow(Duration),
}

impl FetchError {
    /// Returns a hint: what a person can do about the failure.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Off | Self::NotAllowed { .. } => {
                "Download the document and add the file, or allow the host with --allow-fetch HOST."
            }
            Self::NotPublic { .. } => "Download the document and add the file.",
            Self::BadUrl { .. } => "Check the URL.",
            Self::Unresolved { .. } | Self::Unreachable { .. } => "Check the URL and the network.",
            Self::Tls { .. } => "Check the certificate of the host.",
            Self::Status { .. } => "Open the URL in a browser, save the document and add the file.",
            Self::BadAnswer { .. } | Self::Compressed { .. } => {
                "Download the document with another program and add the file."
            }
            Self::Downgrade | Self::TooManyRedirects(_) => {
                "Use the URL that the redirects lead to."
            }
            Self::TooLarge { .. } => "Raise the limit, or add a part of the document as a file.",
            Self::TooSlow(_) => "Try again later, or download the document and add the file.",
        }
    }

    /// Returns true if the policy forbids the download, and false for failures of the network or server.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Off
                | Self::NotAllowed { .. }
                | Self::NotPublic { .. }
                | Self::BadUrl { .. }
                | Self::Downgrade
        )
    }
}
