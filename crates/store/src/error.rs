//! Errors of the store, with hints.

use std::io;
use std::path::PathBuf;

/// Failure of a call to the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The object does not exist, or belongs to another principal: the two look the same.
    #[error("{what} does not exist")]
    NotFound {
        /// Kind of object, such as "the thread".
        what: &'static str,
    },
    /// The id is taken by an object with other content.
    #[error("{what} '{id}' already exists with other content")]
    Conflict {
        /// Kind of object, such as "attachment".
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
    /// The value cannot be stored.
    #[error("{what} cannot be stored: {reason}")]
    Invalid {
        /// Name of the value.
        what: &'static str,
        /// Reason.
        reason: &'static str,
    },
    /// The cursor of a list is malformed.
    #[error("no page of this list ended at the place given by `after`")]
    BadCursor,
    /// The requested changes are no longer stored.
    #[error("the changes after {after} are no longer stored; the oldest is {oldest}")]
    Forgotten {
        /// Requested position.
        after: u64,
        /// Oldest stored change.
        oldest: u64,
    },
    /// The disk is full, or the database has reached its configured size.
    #[error("there is no room to store anything")]
    Full,
    /// The data directory cannot be written.
    #[error("the data directory cannot be written: {detail}")]
    ReadOnly {
        /// Message of the system.
        detail: String,
    },
    /// The stored data is damaged.
    #[error("the stored data is damaged: {detail}")]
    Corrupt {
        /// Place and kind of the damage.
        detail: String,
    },
    /// The backup lacks files, or they are not those that were written.
    #[error("the backup is not complete: {detail}")]
    IncompleteBackup {
        /// Missing or changed part.
        detail: String,
    },
    /// Another program holds the database.
    #[error("another program holds the database")]
    Locked,
    /// Another server uses the data directory.
    #[error("the data directory {directory} is used by another server ({holder})")]
    InUse {
        /// The data directory.
        directory: PathBuf,
        /// Description that the other server wrote, usually its process id.
        holder: String,
    },
    /// A newer version of the program wrote the database.
    #[error(
        "the database was written by a newer version (schema {found}; this version uses {known})"
    )]
    Newer {
        /// Schema version of the database.
        found: u32,
        /// Schema version of this program.
        known: u32,
    },
    /// An older version of the program wrote the database.
    #[error(
        "the database was written by an older version (schema {found}; this version needs {known})"
    )]
    Older {
        /// Schema version of the database.
        found: u32,
        /// Schema version of this program.
        known: u32,
    },
    /// The queue of the store is full.
    #[error("too much is waiting to be stored")]
    Overloaded,
    /// The store is closed.
    #[error("the store was closed")]
    Closed,
    /// Reading or writing failed.
    #[error("the storage failed: {detail}")]
    Io {
        /// Message of the system.
        detail: String,
    },
    /// Defect of the store itself.
    #[error("the store failed: {detail}")]
    Internal {
        /// Description.
        detail: String,
    },
}

impl StoreError {
    /// Returns what a person can do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "check the id, and that the key belongs to its owner",
            Self::Conflict { .. } => "use another id, or delete the old one first",
            Self::ThreadBusy { .. } => "wait for the open run, or cancel it",
            Self::RunEnded => "start a new run",
            Self::Invalid { .. } => "send a value within the limits",
            Self::BadCursor => "pass the `next` of the page before, or omit `after`",
            Self::Forgotten { .. } => "take a new snapshot and continue from there",
            Self::Full => "free space on the disk or raise the limit; data stored before is intact",
            Self::ReadOnly { .. } => {
                "make the data directory writable for the user who runs the server"
            }
            Self::Corrupt { .. } => "stop the server and restore a backup",
            Self::IncompleteBackup { .. } => {
                "name a directory that `pincite backup` has created and nothing has changed since"
            }
            Self::Locked => "end the program that holds the database, and try again",
            Self::InUse { .. } => "stop the other server, or use another data directory",
            Self::Newer { .. } => "use the newer version, or a backup made before the update",
            Self::Older { .. } => {
                "there is no conversion: use the older version to export the data, then move the data \
                 directory away and start with an empty one"
            }
            Self::Overloaded => "try again in a moment",
            Self::Closed => "start the server again",
            Self::Io { .. } => {
                "check the disk, its quota and the permissions of the data directory"
            }
            Self::Internal { .. } => "report this message as a bug",
        }
    }

    /// Returns the code for programs.
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
            Self::IncompleteBackup { .. } => "backup_incomplete",
            Self::Locked => "storage_locked",
            Self::InUse { .. } => "storage_in_use",
            Self::Newer { .. } => "storage_newer",
            Self::Older { .. } => "storage_older",
            Self::Overloaded => "storage_overloaded",
            Self::Closed => "storage_closed",
            Self::Io { .. } => "storage_io",
            Self::Internal { .. } => "storage_internal",
        }
    }

    /// Returns true if the storage failed, false if the request was wrong.
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

/// Result of a call to the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
