//! SQLite's errors in our words, and our values in SQLite's.

use crate::act::{Conflict, Step};
use crate::failed::Failed;
use crate::statement::Statement;
use crate::value::Value;
use rusqlite::ErrorCode;
use rusqlite::ffi;
use rusqlite::types::{FromSqlError, ToSql, ToSqlOutput, ValueRef};
use std::io;
use std::path::Path;

/// Why a step of an act did not do what it should.
pub(super) enum Trouble {
    /// The facts have changed.
    Conflict(Conflict),
    /// The database could not.
    Failed(Failed),
}

/// The failure an error stands for.
pub(super) fn failed(error: rusqlite::Error) -> Failed {
    let Some(cause) = error.sqlite_error() else {
        return match error {
            // A fraction, or text that is not UTF-8: nothing of ours wrote that.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => Failed::Damaged(format!("SQLite: {error}")),
            other => Failed::Other(format!("SQLite: {other}")),
        };
    };
    match cause.code {
        ErrorCode::DiskFull => Failed::Full,
        // Growing the shared index of the log fails with this one when there is no room.
        ErrorCode::SystemIoFailure if cause.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Failed::Full,
        // We open the file itself before SQLite does, so what it cannot open are the files beside it.
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => Failed::ReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Failed::Locked,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Failed::Damaged(error.to_string()),
        ErrorCode::OutOfMemory => Failed::Overloaded,
        _ => Failed::Other(format!("SQLite: {error}")),
    }
}

/// The failure of a statement, which is named where the cause is not one of the known.
pub(super) fn failed_in(statement: &Statement, error: rusqlite::Error) -> Failed {
    match failed(error) {
        Failed::Other(why) => Failed::Other(format!("{}: {why}", statement.name()).replace('\n', " ")),
        known => known,
    }
}

/// What an error in a step of an act stands for: a key that is taken or a parent that has gone means that
/// somebody else was faster.
pub(super) fn trouble(step: &Step, error: rusqlite::Error) -> Trouble {
    match error.sqlite_extended_error_code() {
        Some(
            ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
        ) => Trouble::Conflict(step.conflict()),
        _ => Trouble::Failed(failed_in(step.statement, error)),
    }
}

/// The failure that an error of the file system stands for.
pub(super) fn failed_file(path: &Path, error: &io::Error) -> Failed {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Failed::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failed::Full,
        io::ErrorKind::NotFound => {
            Failed::Other(format!("there is no folder for the database {}", path.display()))
        }
        _ => Failed::Other(format!("the database {} cannot be opened: {error}", path.display())),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A column as it was read. A fraction, or text that is not UTF-8, is nothing of ours.
pub(super) fn value(column: ValueRef<'_>) -> Result<Value, rusqlite::Error> {
    Ok(match column {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(bytes) => Value::from(str::from_utf8(bytes)?),
        ValueRef::Blob(bytes) => Value::from(bytes),
        ValueRef::Real(_) => return Err(FromSqlError::InvalidType.into()),
    })
}
