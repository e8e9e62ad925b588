//! Conversion of SQLite's errors.

use rusqlite::{Error, ErrorCode, ffi};

use crate::error::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match &error {
            Error::SqliteFailure(failure, _) => from_code(failure, detail),
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => Self::Corrupt { detail },
            _ => Self::Internal { detail },
        }
    }
}

fn from_code(failure: &ffi::Error, detail: String) -> StoreError {
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { detail },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Corrupt { detail },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked,
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::FileLockingProtocolFailed
        | ErrorCode::NoLargeFileSupport => StoreError::Io { detail },
        _ => StoreError::Internal { detail },
    }
}
