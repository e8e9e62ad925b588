//! What can go wrong, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Why the store could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such thing, or it belongs to somebody else: the two are not told apart.
    #[error("{what} does not exist")]
    NotFound {
        /// What was looked for, "the thread".
        what: &'static str,
    },
    /// The id is taken by other content.
    #[error("{what} '{id}' already exists with other content")]
    Conflict {
        /// What has the id, "attachment".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// Another run of the thread is open.
    #[error("run '{run}' of this thread has not ended")]
    ThreadBusy {
        /// The open run.
        run: String,
    },
    /// The run has ended, so nothing can be added to it.
    #[error("the run has ended")]
    RunEnded,
    /// A value from outside that cannot be kept.
    #[error("{what} cannot be stored: {reason}")]
    Invalid {
        /// Which value.
        what: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A list is to be read on from where no page of it ended.
    #[error("no page of this list ended at the place given by `after`")]
    BadCursor,
    /// The changes asked for are no longer kept.
    #[error("the changes after {after} are no longer kept; the oldest is {oldest}")]
    Forgotten {
        /// Where the reader wanted to go on.
        after: u64,
        /// The oldest change that is kept.
        oldest: u64,
    },
    /// There is no room: the disk, or the size that the store is allowed.
    #[error("there is no room to store anything")]
    Full,
    /// The data directory cannot be written.
    #[error("the data directory cannot be written: {detail}")]
    ReadOnly {
        /// What the system said.
        detail: String,
    },
    /// What was read is not what was written.
    #[error("the stored data is damaged: {detail}")]
    Corrupt {
        /// Where.
        detail: String,
    },
    /// Another program holds the database.
    #[error("another program holds the database")]
    Locked,
    /// Another server uses the data directory.
    #[error("the data directory {directory} is used by another server ({holder})")]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// What the other server wrote about itself, its process id.
        holder: String,
    },
    /// A newer version wrote the data.
    #[error("the data was written by a newer version (schema {found}; this one knows {known})")]
    Newer {
        /// The version found.
        found: u32,
        /// The newest that is understood.
        known: u32,
    },
    /// Too much is waiting to be written.
    #[error("too much is waiting to be stored")]
    Overloaded,
    /// The store was closed.
    #[error("the store was closed")]
    Closed,
    /// Reading or writing failed.
    #[error("the storage failed: {detail}")]
    Io {
        /// What the system said.
        detail: String,
    },
    /// A defect of the store.
    #[error("the store failed: {detail}")]
    Internal {
        /// What happened.
        detail: String,
    },
}

impl StoreError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "check the id, and whose key is used",
            Self::Conflict { .. } => "use another id, or delete the old one first",
            Self::ThreadBusy { .. } => "wait for the open run, or cancel it",
            Self::RunEnded => "start a new run",
            Self::Invalid { .. } => "send a value within the limits",
            Self::BadCursor => "give the `next` of the page before, or begin without `after`",
            Self::Forgotten { .. } => "take a new snapshot and go on from there",
            Self::Full => {
                "free space on the disk or raise the limit; what was stored before is unharmed"
            }
            Self::ReadOnly { .. } => {
                "make the data directory writable for the user who runs the server"
            }
            Self::Corrupt { .. } => "stop the server and restore a backup",
            Self::Locked => "end the program that holds the database, and try again",
            Self::InUse { .. } => "stop the other server, or use another data directory",
            Self::Newer { .. } => "use the newer version, or a backup made before the update",
            Self::Overloaded => "try again in a moment",
            Self::Closed => "start the server again",
            Self::Io { .. } => {
                "look at the disk, its quota and the permissions of the data directory"
            }
            Self::Internal { .. } => "report it, with this message",
        }
    }

    /// A code for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::ThreadBusy { .. } => "thread_busy",
            Self::RunEnded => "run_ended",
            Self::Invalid { .. } | Self::BadCursor => "invalid",
            Self::Forgotten { .. } => "changes_forgotten",
            Self::Full => "storage_full",
            Self::ReadOnly { .. } => "storage_read_only",
            Self::Corrupt { .. } => "storage_corrupt",
            Self::Locked => "storage_locked",
            Self::InUse { .. } => "storage_in_use",
            Self::Newer { .. } => "storage_newer",
            Self::Overloaded => "storage_overloaded",
            Self::Closed => "storage_closed",
            Self::Io { .. } => "storage_io",
            Self::Internal { .. } => "storage_internal",
        }
    }

    /// Whether the storage failed, rather than the request.
    pub fn is_storage(&self) -> bool {
        !matches!(
            self,
            Self::NotFound { .. }
                | Self::Conflict { .. }
                | Self::ThreadBusy { .. }
                | Self::RunEnded
                | Self::Invalid { .. }
                | Self::BadCursor
                | Self::Forgotten { .. }
        )
    }

    pub(crate) const fn invalid(what: &'static str, reason: &'static str) -> Self {
        Self::Invalid { what, reason }
    }

    pub(crate) fn corrupt(detail: impl Into<String>) -> Self {
        Self::Corrupt {
            detail: detail.into(),
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        let detail = error.to_string();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                Self::ReadOnly { detail }
            }
            _ => Self::Io { detail },
        }
    }
}

/// What the store answers.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
