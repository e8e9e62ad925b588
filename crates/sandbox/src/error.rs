//! Failures of reading and rendering in the sandbox.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use documents::DocumentError;

/// Failure of reading or rendering a file.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The file was refused; see [`DocumentError`].
    #[error("{reason}")]
    Refused {
        /// Reason.
        reason: String,
        /// Hint: what a person can do.
        hint: String,
    },
    /// The timeout passed and the process was killed.
    #[error("processing took longer than {} s and was stopped", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The process died.
    #[error(
        "the worker process ended ({how}): the file needs more than {memory} MB of memory, or it is malicious"
    )]
    Died {
        /// Signal or exit code.
        how: String,
        /// Memory limit in megabytes.
        memory: u64,
    },
    /// The process sent an invalid reply.
    #[error("the worker process sent an invalid reply")]
    InvalidReply,
    /// The process cannot be started.
    #[error("the worker process cannot be started: {0}")]
    NotStarted(Arc<io::Error>),
}

impl SandboxError {
    /// Returns a hint: what a person can do about the failure.
    pub fn hint(&self) -> &str {
        match self {
            Self::Refused { hint, .. } => hint,
            Self::TooSlow(_) => "Raise the time limit, or split the file.",
            Self::Died { .. } => {
                "Open the file in another program and save a copy, or raise the memory limit."
            }
            Self::InvalidReply => "Report this as a bug, with the file that causes it.",
            Self::NotStarted(_) => "Check that the program may start processes, and reinstall it.",
        }
    }
}

impl From<DocumentError> for SandboxError {
    fn from(error: DocumentError) -> Self {
        Self::Refused {
            reason: error.to_string(),
            hint: error.hint().to_owned(),
        }
    }
}
