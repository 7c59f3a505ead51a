//! SQLite: one writer that commits for all callers, and readers that never wait for it.

pub(crate) mod backup;
mod commit_group;
mod connection;
mod error;
mod lock;
mod lock_wait;
mod migration;
mod read_connections;
mod write_connection;
mod writer;

use crate::database_info::{CommitDurability, DatabaseEngine, DatabaseInfo};
use crate::driver::{CommitResult, EngineMigration, ReadLength, RecordedMigration};
use crate::failure::StoreFailure;
use crate::options::{StoreAccess, StoreOptions};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::statistics::{StoreCounters, StoreStatistics};
use crate::value::SqlValue;
use crate::write_batch::WriteBatch;
use error::{to_failure, to_statement_failure};
use read_connections::ReadConnectionPool;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use write_connection::WriteConnection;
use writer::SqliteWriter;

/// Connections for short reads, which run on the calling task.
const READERS: usize = 8;
/// Connections for lists, so that they never block short reads.
const LIST_READERS: usize = 2;

/// An open SQLite database.
pub(crate) struct SqliteDriver {
    // Dropped in this order: the writer closes last and can checkpoint the log into the file.
    readers: ReadConnectionPool,
    list_readers: Arc<ReadConnectionPool>,
    writer: Option<SqliteWriter>,
    counters: Arc<StoreCounters>,
    path: PathBuf,
}

impl SqliteDriver {
    pub(crate) async fn open(path: &Path, options: &StoreOptions) -> Result<Self, StoreFailure> {
        let (path, options) = (path.to_owned(), options.clone());
        run_blocking(move || Self::open_now(path, &options)).await
    }

    fn open_now(path: PathBuf, options: &StoreOptions) -> Result<Self, StoreFailure> {
        let counters = Arc::new(StoreCounters::default());
        let timeout = options.answer_max.as_duration();
        let writer = match options.access {
            StoreAccess::ReadOnly => None,
            StoreAccess::Serve | StoreAccess::AlongsideServer => {
                let database_lock =
                    (options.access == StoreAccess::Serve).then(|| lock::acquire_lock(&path)).transpose()?;
                let connection = connection::open_for_writing(&path, timeout)?;
                let write_connection = WriteConnection::new(connection, counters.clone(), timeout)?;
                Some(SqliteWriter::start(write_connection, database_lock, options.waiting_batches, timeout)?)
            }
        };
        let readers = ReadConnectionPool::open(READERS, &path, timeout)?;
        let lists = Arc::new(ReadConnectionPool::open(LIST_READERS, &path, timeout)?);
        Ok(Self { readers, list_readers: lists, writer, counters, path })
    }

    pub(crate) async fn commit(&self, batch: WriteBatch) -> CommitResult {
        self.counters.count_statements(batch.statements().len());
        self.writer()?.commit_batch(batch).await
    }

    pub(crate) async fn commit_with_short_deadline(&self, batch: WriteBatch) -> CommitResult {
        self.counters.count_statements(batch.statements().len());
        self.writer()?.commit_with_short_deadline(batch).await
    }

    pub(crate) async fn read_rows(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        length: ReadLength,
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        self.counters.count_read();
        match length {
            ReadLength::Short => {
                self.readers.read_on_task(|reader| query(reader, statement, parameters)).await
            }
            ReadLength::Long => {
                let parameters = parameters.to_vec();
                self.list_readers
                    .clone()
                    .read_on_blocking_thread(move |reader| query(reader, statement, &parameters))
                    .await
            }
        }
    }

    /// Reads the first page of the file, to notice a damaged one.
    pub(crate) async fn check_file(&self) -> Result<(), StoreFailure> {
        let first_page = |reader: &Connection| {
            let mut statement = reader.prepare_cached("SELECT count(*) FROM sqlite_schema")?;
            statement.query_row([], |_| Ok(()))
        };
        self.readers.read_on_task(|reader| first_page(reader).map_err(to_failure)).await
    }

    pub(crate) async fn load_info(&self) -> Result<DatabaseInfo, StoreFailure> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let log_bytes = std::fs::metadata(log).map_or(0, |file| file.len());
        let read = |reader: &Connection| {
            let number = |pragma| reader.query_row(pragma, [], |row| row.get::<_, i64>(0));
            let bytes = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
            let mode: String = reader.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
            Ok((bytes, mode))
        };
        let (bytes, mode) = self.readers.read_on_task(|reader| read(reader).map_err(to_failure)).await?;
        Ok(DatabaseInfo {
            engine: DatabaseEngine::Sqlite,
            version: rusqlite::version().to_owned(),
            // Guaranteed by the writer's settings.
            durability: CommitDurability::Durable,
            journal_mode: Some(mode),
            schema_version: self.list_migrations().await?.last().map(|newest| newest.version),
            size_bytes: bytes.unsigned_abs() + log_bytes,
        })
    }

    pub(crate) async fn apply_migration(&self, migration: EngineMigration) -> Result<bool, StoreFailure> {
        self.writer()?
            .run_maintenance(move |connection| migration::apply_migration(connection, &migration))
            .await
    }

    pub(crate) async fn list_migrations(&self) -> Result<Vec<RecordedMigration>, StoreFailure> {
        self.readers.read_on_task(migration::list_migrations).await
    }

    pub(crate) fn statistics(&self) -> StoreStatistics {
        self.counters.snapshot()
    }

    /// The writer closes last, so that SQLite can checkpoint the log and leave a single file.
    pub(crate) async fn close(&self) {
        self.readers.close();
        self.list_readers.close();
        if let Some(writer) = &self.writer {
            writer.stop().await;
        }
    }

    /// Makes the database full at this number of pages.
    #[cfg(test)]
    pub(crate) async fn limit_pages(&self, pages: u32) -> Result<(), StoreFailure> {
        let limit = move |connection: &mut Connection| {
            connection.pragma_update(None, "max_page_count", pages).map_err(to_failure)
        };
        self.writer()?.run_maintenance(limit).await
    }

    fn writer(&self) -> Result<&SqliteWriter, StoreFailure> {
        self.writer.as_ref().ok_or(StoreFailure::ReadOnly)
    }
}

/// Runs a statement to completion and returns its rows, so that it does not stay open.
fn query(
    connection: &Connection,
    statement: &'static SqlStatement,
    parameters: &[SqlValue],
) -> Result<Vec<SqlRow>, StoreFailure> {
    let read = || {
        let mut prepared = connection.prepare_cached(statement.sqlite_text())?;
        let width = prepared.column_count();
        let mut result_rows = prepared.query(rusqlite::params_from_iter(parameters))?;
        let mut rows = Vec::new();
        while let Some(row) = result_rows.next()? {
            let mut columns = Vec::with_capacity(width);
            for column in 0..width {
                columns.push(error::read_value(row.get_ref(column)?)?);
            }
            rows.push(SqlRow::new(statement, columns));
        }
        Ok(rows)
    };
    read().map_err(|error| to_statement_failure(statement, error))
}

/// Runs blocking work on a thread where that is allowed.
async fn run_blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, StoreFailure> + Send + 'static,
) -> Result<T, StoreFailure> {
    tokio::task::spawn_blocking(operation).await.unwrap_or_else(|stopped| {
        Err(StoreFailure::Other(format!("reading the database was interrupted: {stopped}")))
    })
}
