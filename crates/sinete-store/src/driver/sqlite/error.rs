//! Maps SQLite errors to [`StoreFailure`], and SQLite's values to [`SqlValue`].

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use rusqlite::ErrorCode;
use rusqlite::ffi;
use rusqlite::types::{FromSqlError, ToSql, ToSqlOutput, ValueRef};
use std::io;
use std::path::Path;

/// Why a statement of a batch failed.
pub(super) enum StatementFailure {
    /// The data has changed.
    Conflict(GuardConflict),
    /// The database failed.
    Failed(StoreFailure),
}

/// Maps an error.
pub(super) fn to_failure(error: rusqlite::Error) -> StoreFailure {
    let Some(cause) = error.sqlite_error() else {
        return match error {
            // A fraction, or text that is not UTF-8: Sinete never writes that.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => StoreFailure::Damaged(format!("SQLite: {error}")),
            other => StoreFailure::Other(format!("SQLite: {other}")),
        };
    };
    match cause.code {
        ErrorCode::DiskFull => StoreFailure::Full,
        // Growing the shared-memory index of the log fails with this when the disk is full.
        ErrorCode::SystemIoFailure if cause.extended_code == ffi::SQLITE_IOERR_SHMSIZE => StoreFailure::Full,
        // The file itself is opened before SQLite does, so only its auxiliary files can fail to open.
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => StoreFailure::ReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreFailure::Locked,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreFailure::Damaged(error.to_string()),
        ErrorCode::OutOfMemory => StoreFailure::Overloaded,
        _ => StoreFailure::Other(format!("SQLite: {error}")),
    }
}

/// Maps the error of a statement, and names the statement if the cause is not a known one.
pub(super) fn to_statement_failure(statement: &SqlStatement, error: rusqlite::Error) -> StoreFailure {
    match to_failure(error) {
        StoreFailure::Other(reason) => {
            StoreFailure::Other(format!("{}: {reason}", statement.name()).replace('\n', " "))
        }
        failure => failure,
    }
}

/// Classifies an error in a batch: a unique key that is taken or a referenced row that is gone means that a
/// concurrent change won.
pub(super) fn classify_error(step: &GuardedStatement, error: rusqlite::Error) -> StatementFailure {
    match error.sqlite_extended_error_code() {
        Some(
            ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
        ) => StatementFailure::Conflict(step.conflict()),
        _ => StatementFailure::Failed(to_statement_failure(step.statement, error)),
    }
}

/// Maps a file system error.
pub(super) fn to_file_failure(path: &Path, error: &io::Error) -> StoreFailure {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreFailure::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreFailure::Full,
        io::ErrorKind::NotFound => {
            StoreFailure::Other(format!("there is no folder for the database {}", path.display()))
        }
        _ => StoreFailure::Other(format!("the database {} cannot be opened: {error}", path.display())),
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Reads a column value. Sinete never writes a fraction, or text that is not UTF-8.
pub(super) fn read_value(column: ValueRef<'_>) -> Result<SqlValue, rusqlite::Error> {
    Ok(match column {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Text(bytes) => SqlValue::from(str::from_utf8(bytes)?),
        ValueRef::Blob(bytes) => SqlValue::from(bytes),
        ValueRef::Real(_) => return Err(FromSqlError::InvalidType.into()),
    })
}
