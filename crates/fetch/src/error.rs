//! Why there is no document.

use std::io;
use std::time::Duration;

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No host is allowed.
    #[error("nothing is fetched from other hosts")]
    Off,
    /// The host is not allowed.
    #[error("{place} is not among the hosts that are fetched from")]
    NotAllowed {
        /// The host, with its port if that is an unusual one.
        place: String,
    },
    /// The host is not public.
    #[error("{host} is on this machine or in a network of its own, which is not fetched from")]
    NotPublic {
        /// The host.
        host: String,
    },
    /// It is no address to get something from.
    #[error("the address cannot be used: {reason}")]
    BadUrl {
        /// Why not.
        reason: &'static str,
    },
    /// The name has no address.
    #[error("the name {host} cannot be resolved: {error}")]
    Unresolved {
        /// The name.
        host: String,
        /// What the platform says.
        error: io::Error,
    },
    /// No connection.
    #[error("cannot connect to {host}: {error}")]
    Unreachable {
        /// The host.
        host: String,
        /// What the platform says.
        error: io::Error,
    },
    /// No secure connection.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// The answer is no HTTP, or ends too early.
    #[error("{host} answers with something that cannot be read: {reason}")]
    BadAnswer {
        /// The host.
        host: String,
        /// Why.
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
    /// A compressed answer, although none was asked for.
    #[error("{host} sends a compressed answer, although that was not asked for")]
    Compressed {
        /// The host.
        host: String,
    },
    /// A redirect to a connection that is not secure.
    #[error("a redirect leads from https to http")]
    Downgrade,
    /// Redirects without an end.
    #[error("it redirects more than {0} times")]
    TooManyRedirects(usize),
    /// The document is too large.
    #[error("the document has more than {limit} bytes")]
    TooLarge {
        /// [`Limits::bytes`](crate::Limits::bytes).
        limit: usize,
    },
    /// It took too long.
    #[error("fetching it took longer than {} s", .0.as_secs_f64())]
    TooSlow(Duration),
}

impl FetchError {
    /// What can be done about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Off | Self::NotAllowed { .. } => {
                "Save it and give the file, or allow the host with --allow-fetch HOST."
            }
            Self::NotPublic { .. } => "Save it and give the file.",
            Self::BadUrl { .. } => "Check the address.",
            Self::Unresolved { .. } | Self::Unreachable { .. } => {
                "Check the address and the network."
            }
            Self::Tls { .. } => "Check the certificate of the host.",
            Self::Status { .. } => "Open the address in a browser, save it and give the file.",
            Self::BadAnswer { .. } | Self::Compressed { .. } => {
                "Save it with another program and give the file."
            }
            Self::Downgrade | Self::TooManyRedirects(_) => {
                "Give the address that it leads to in the end."
            }
            Self::TooLarge { .. } => "Raise the limit, or save a part of it and give the file.",
            Self::TooSlow(_) => "Try again later, or save it and give the file.",
        }
    }

    /// Whether the policy forbids it, rather than something going wrong on the way.
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
