//! One interface for the two database engines. Nothing outside this folder knows which one is used.

pub(crate) mod address;
mod deadline;
pub(crate) mod outcome_statements;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use crate::database_info::{ClockOffset, DatabaseInfo};
use crate::failure::StoreFailure;
use crate::options::StoreOptions;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::statistics::StoreStatistics;
use crate::value::SqlValue;
use crate::write_batch::{BatchOutcome, WriteBatch};
use address::DatabaseAddress;
use postgres::PostgresDriver;
use sinete_core::time::Timestamp;
use sqlite::SqliteDriver;

/// The result of a commit: durable, rejected by a guard, or failed.
pub(crate) type CommitResult = Result<BatchOutcome, StoreFailure>;

/// The error of every call after [`DatabaseDriver::close`].
pub(crate) fn closed_failure() -> StoreFailure {
    StoreFailure::Other("the database has been closed".into())
}

/// The engine in use.
pub(crate) enum DatabaseDriver {
    Sqlite(Box<SqliteDriver>),
    Postgres(PostgresDriver),
}

/// The expected duration of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadLength {
    /// A few rows by index, read on the calling task.
    Short,
    /// A list, read where it does not delay others.
    Long,
}

/// The table of applied migrations.
const MIGRATIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version    BIGINT PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL,
    checksum   BYTEA NOT NULL,
    applied_at BIGINT NOT NULL
)";

/// A migration in the text of one engine, with the data recorded about it.
#[derive(Clone, Debug)]
pub(crate) struct EngineMigration {
    pub(crate) version: u32,
    pub(crate) name: &'static str,
    pub(crate) checksum: [u8; 32],
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

/// An applied migration, as recorded in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedMigration {
    pub(crate) version: u32,
    pub(crate) name: String,
    pub(crate) checksum: Vec<u8>,
    pub(crate) at: Timestamp,
}

/// Futures that wait for a server are boxed: otherwise every future that may query the database would contain
/// them, even on SQLite, and they are larger than most of those futures.
impl DatabaseDriver {
    pub(crate) async fn open(
        address: &DatabaseAddress,
        options: &StoreOptions,
    ) -> Result<Self, StoreFailure> {
        match address {
            DatabaseAddress::Sqlite(path) => {
                SqliteDriver::open(path, options).await.map(Box::new).map(Self::Sqlite)
            }
            DatabaseAddress::Postgres(server) => {
                PostgresDriver::open(server, options).await.map(Self::Postgres)
            }
        }
    }

    pub(crate) async fn commit(&self, batch: WriteBatch) -> CommitResult {
        match self {
            Self::Sqlite(engine) => engine.commit(batch).await,
            Self::Postgres(engine) => Box::pin(engine.commit(batch)).await,
        }
    }

    pub(crate) async fn commit_with_short_deadline(&self, batch: WriteBatch) -> CommitResult {
        match self {
            Self::Sqlite(engine) => engine.commit_with_short_deadline(batch).await,
            Self::Postgres(engine) => Box::pin(engine.commit_with_short_deadline(batch)).await,
        }
    }

    pub(crate) async fn read_rows(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        length: ReadLength,
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        match self {
            Self::Sqlite(engine) => engine.read_rows(statement, parameters, length).await,
            Self::Postgres(engine) => Box::pin(engine.read_rows(statement, parameters, length)).await,
        }
    }

    pub(crate) async fn check_connection(&self) -> Result<(), StoreFailure> {
        match self {
            Self::Sqlite(engine) => engine.check_file().await,
            Self::Postgres(engine) => engine.check_connection().await,
        }
    }

    pub(crate) async fn load_info(&self) -> Result<DatabaseInfo, StoreFailure> {
        match self {
            Self::Sqlite(engine) => engine.load_info().await,
            Self::Postgres(engine) => engine.load_info().await,
        }
    }

    pub(crate) async fn measure_clock_offset(&self, now: Timestamp) -> Result<ClockOffset, StoreFailure> {
        match self {
            Self::Sqlite(_) => Ok(ClockOffset::NONE),
            Self::Postgres(engine) => Ok(ClockOffset::between(engine.read_clock().await?, now)),
        }
    }

    /// Applies a migration unless its version is recorded already; returns whether it was applied now.
    pub(crate) async fn apply_migration(&self, migration: EngineMigration) -> Result<bool, StoreFailure> {
        match self {
            Self::Sqlite(engine) => engine.apply_migration(migration).await,
            Self::Postgres(engine) => engine.apply_migration(migration).await,
        }
    }

    /// The recorded migrations, oldest first; empty on an empty database.
    pub(crate) async fn list_migrations(&self) -> Result<Vec<RecordedMigration>, StoreFailure> {
        match self {
            Self::Sqlite(engine) => engine.list_migrations().await,
            Self::Postgres(engine) => engine.list_migrations().await,
        }
    }

    pub(crate) fn statistics(&self) -> StoreStatistics {
        match self {
            Self::Sqlite(engine) => engine.statistics(),
            Self::Postgres(engine) => engine.statistics(),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close(),
        }
    }
}
