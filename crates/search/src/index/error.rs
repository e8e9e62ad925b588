//! Failures of the index.

use tantivy::TantivyError;

/// Failure of the index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another writer has the index open.
    #[error("another process writes the search index")]
    Locked,
    /// The index was made by another version of the program.
    #[error(
        "the search index was made by another version of the program; rebuild it with `pincite reindex`"
    )]
    OtherVersion,
    /// A file of the index is damaged. Holds its name.
    #[error("the search index is damaged (`{0}`); rebuild it with `pincite reindex`")]
    Damaged(String),
    /// The disk or folder failed.
    #[error("the search index cannot be read or written: {0}")]
    Storage(#[from] std::io::Error),
}

impl From<TantivyError> for IndexError {
    fn from(error: TantivyError) -> Self {
        match error {
            TantivyError::LockFailure(..) => Self::Locked,
            TantivyError::IoError(error) => {
                Self::Storage(std::io::Error::new(error.kind(), error.to_string()))
            }
            error => Self::Damaged(error.to_string()),
        }
    }
}

impl IndexError {
    /// Returns true if rebuilding the index helps.
    pub fn needs_rebuild(&self) -> bool {
        matches!(self, Self::OtherVersion | Self::Damaged(_))
    }
}
