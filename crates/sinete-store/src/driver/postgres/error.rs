//! Maps PostgreSQL errors to [`StoreFailure`].

use crate::driver::closed_failure;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use deadpool_postgres::{PoolError, TimeoutType};
use std::error::Error as _;
use std::io;
use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// Maps an error.
pub(super) fn to_failure(error: &Error) -> StoreFailure {
    if is_connection_lost(error) {
        tracing::warn!(error = %format_error(error), "the connection to PostgreSQL is lost or was never made");
        return StoreFailure::Unreachable;
    }
    let Some(code) = error.code() else { return StoreFailure::Other(format_error(error)) };
    match *code {
        SqlState::DISK_FULL => StoreFailure::Full,
        SqlState::OUT_OF_MEMORY | SqlState::TOO_MANY_CONNECTIONS | SqlState::QUERY_CANCELED => {
            StoreFailure::Overloaded
        }
        SqlState::LOCK_NOT_AVAILABLE => StoreFailure::Locked,
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreFailure::ReadOnly,
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreFailure::Damaged(format_error(error)),
        _ => StoreFailure::Other(format_error(error)),
    }
}

/// Maps the error of a statement, and names the statement if the cause is not a known one.
pub(super) fn to_statement_failure(statement: &SqlStatement, error: &Error) -> StoreFailure {
    match to_failure(error) {
        StoreFailure::Other(reason) => StoreFailure::Other(format!("{}: {reason}", statement.name())),
        failure => failure,
    }
}

/// Maps the error of a pool that returned no connection.
pub(super) fn to_pool_failure(error: PoolError) -> StoreFailure {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => StoreFailure::Overloaded,
        PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle) => StoreFailure::Unreachable,
        PoolError::Backend(error) => to_failure(&error),
        PoolError::Closed => closed_failure(),
        PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
            StoreFailure::Other(error.to_string())
        }
    }
}

/// Whether the connection is lost, or the server is stopping or not up yet.
pub(super) fn is_connection_lost(error: &Error) -> bool {
    if let Some(db_error) = error.as_db_error() {
        let leaving = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW];
        let ended = matches!(db_error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
        // A database configured to take no connections responds with 55000.
        let shut = *db_error.code() == SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
        return leaving.contains(db_error.code())
            || (ended && (shut || db_error.code().code().starts_with("57P")));
    }
    // A certificate that fails verification is `InvalidData`, an invalid name `InvalidInput`: retrying helps
    // against neither.
    let wire = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let about_tls = |kind| matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput);
    error.is_closed() || wire.is_some_and(|wire| !about_tls(wire.kind()))
}

/// Whether a prepared statement no longer fits the schema or is unknown to the server. Preparing it again
/// helps.
pub(super) fn is_stale_statement(error: &Error) -> bool {
    error.as_db_error().is_some_and(|error| {
        *error.code() == SqlState::INVALID_SQL_STATEMENT_NAME
            || (*error.code() == SqlState::FEATURE_NOT_SUPPORTED && error.message().contains("cached plan"))
    })
}

/// Whether a concurrent change won: a unique key is taken, or a referenced row is gone.
pub(super) fn is_guard_conflict(error: &Error) -> bool {
    let codes = [SqlState::UNIQUE_VIOLATION, SqlState::FOREIGN_KEY_VIOLATION];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Whether the server rolled this transaction back because of a deadlock. That says nothing about its guards.
pub(super) fn is_deadlock(error: &Error) -> bool {
    let codes = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Whether a guard did not touch exactly one row, which the statement reports as a division by zero.
pub(super) fn is_unmatched_guard(error: &Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

/// One line, without the server's detail, which can contain key values.
fn format_error(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(error), _) => format!("PostgreSQL: {}", error.message().replace('\n', " ")),
        (None, Some(source)) => format!("PostgreSQL: {error}: {source}").replace('\n', " "),
        (None, None) => format!("PostgreSQL: {error}"),
    }
}
