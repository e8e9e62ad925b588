//! Why a file was not read, or not drawn.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use documents::ReadError;

/// Why a file was not read, or a picture of it not made.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// It was refused; see [`ReadError`].
    #[error("{reason}")]
    Refused {
        /// Why.
        reason: String,
        /// What can be done about it.
        hint: String,
    },
    /// It took too long, and the process was killed.
    #[error("it took longer than {} s and was stopped", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The process died.
    #[error(
        "it ended the process that worked on it ({how}): it needs more than {memory} MB of memory, or it is made to do harm"
    )]
    Died {
        /// The signal or exit code.
        how: String,
        /// How much memory it had, in megabytes.
        memory: u64,
    },
    /// The process said something that makes no sense.
    #[error("the process that worked on it said something that makes no sense")]
    Garbled,
    /// There is no process to read it.
    #[error("the process that reads documents cannot be started: {0}")]
    NotStarted(Arc<io::Error>),
}

impl Unread {
    /// What can be done about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Refused { hint, .. } => hint,
            Self::TooSlow(_) => "Allow more seconds, or split the file.",
            Self::Died { .. } => {
                "Open it in another program and save a copy, or allow more memory."
            }
            Self::Garbled => "Report this fault with the file that caused it.",
            Self::NotStarted(_) => "Check that the program may start processes, and reinstall it.",
        }
    }
}

impl From<ReadError> for Unread {
    fn from(error: ReadError) -> Self {
        Self::Refused {
            reason: error.to_string(),
            hint: error.hint().to_owned(),
        }
    }
}
