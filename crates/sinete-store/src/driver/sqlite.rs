//! SQLite: one writer that commits for everybody, and readers that never wait for it.

mod connection;
pub(crate) mod copying;
mod desk;
mod fault;
mod group;
mod lock;
mod migration;
mod readers;
mod writer;

use crate::act::Act;
use crate::counts::{Counters, Counts};
use crate::driver::{Answer, AppliedMigration, Length, Migration};
use crate::facts::{Durability, Engine, Facts};
use crate::failed::Failed;
use crate::options::{Access, Options};
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use desk::Desk;
use fault::{failed, failed_in};
use readers::Readers;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use writer::Writer;

/// Connections for short reads, which are done on the asking task.
const READERS: usize = 8;
/// Connections for lists, so that those never take a short read's place.
const LIST_READERS: usize = 2;

/// An open SQLite database.
pub(crate) struct Sqlite {
    // Readers go first when this is dropped: the writer, closing last, can fold its log into the file.
    readers: Readers,
    lists: Arc<Readers>,
    writer: Option<Writer>,
    counters: Arc<Counters>,
    path: PathBuf,
}

impl Sqlite {
    pub(crate) async fn open(path: &Path, options: &Options) -> Result<Self, Failed> {
        let (path, options) = (path.to_owned(), options.clone());
        off_the_runtime(move || Self::open_now(path, &options)).await
    }

    fn open_now(path: PathBuf, options: &Options) -> Result<Self, Failed> {
        let counters = Arc::new(Counters::default());
        let patience = options.answer_max.as_duration();
        let writer = match options.access {
            Access::ReadOnly => None,
            Access::Serve | Access::Beside => {
                let held = (options.access == Access::Serve).then(|| lock::hold(&path)).transpose()?;
                let connection = connection::for_writing(&path, patience)?;
                let desk = Desk::new(connection, counters.clone(), patience)?;
                Some(Writer::start(desk, held, options.waiting_acts, patience)?)
            }
        };
        let readers = Readers::open(READERS, &path, patience)?;
        let lists = Arc::new(Readers::open(LIST_READERS, &path, patience)?);
        Ok(Self { readers, lists, writer, counters, path })
    }

    pub(crate) async fn commit(&self, act: Act) -> Answer {
        self.counters.handed_in(act.steps().len());
        self.writer()?.commit(act).await
    }

    pub(crate) async fn commit_briefly(&self, act: Act) -> Answer {
        self.counters.handed_in(act.steps().len());
        self.writer()?.commit_briefly(act).await
    }

    pub(crate) async fn read(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
        length: Length,
    ) -> Result<Vec<Row>, Failed> {
        self.counters.asked();
        match length {
            Length::Short => self.readers.here(|reader| query(reader, statement, parameters)).await,
            Length::Long => {
                let parameters = parameters.to_vec();
                self.lists.clone().elsewhere(move |reader| query(reader, statement, &parameters)).await
            }
        }
    }

    /// Reads the first page of the file, so that a file that has gone bad is noticed.
    pub(crate) async fn check(&self) -> Result<(), Failed> {
        let first_page = |reader: &Connection| {
            let mut statement = reader.prepare_cached("SELECT count(*) FROM sqlite_schema")?;
            statement.query_row([], |_| Ok(()))
        };
        self.readers.here(|reader| first_page(reader).map_err(failed)).await
    }

    pub(crate) async fn facts(&self) -> Result<Facts, Failed> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let log_bytes = std::fs::metadata(log).map_or(0, |file| file.len());
        let read = |reader: &Connection| {
            let number = |pragma| reader.query_row(pragma, [], |row| row.get::<_, i64>(0));
            let bytes = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
            let mode: String = reader.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
            Ok((bytes, mode))
        };
        let (bytes, mode) = self.readers.here(|reader| read(reader).map_err(failed)).await?;
        Ok(Facts {
            engine: Engine::Sqlite,
            version: rusqlite::version().to_owned(),
            // The writer asks for nothing less, see its settings.
            durability: Durability::Durable,
            journal_mode: Some(mode),
            schema_version: self.applied().await?.last().map(|newest| newest.version),
            size_bytes: bytes.unsigned_abs() + log_bytes,
        })
    }

    pub(crate) async fn apply(&self, migration: Migration) -> Result<bool, Failed> {
        self.writer()?.maintain(move |connection| migration::apply(connection, &migration)).await
    }

    pub(crate) async fn applied(&self) -> Result<Vec<AppliedMigration>, Failed> {
        self.readers.here(migration::applied).await
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counters.read()
    }

    /// The writer closes last, so that SQLite can fold the log in and leave a single file.
    pub(crate) async fn close(&self) {
        self.readers.close();
        self.lists.close();
        if let Some(writer) = &self.writer {
            writer.stop().await;
        }
    }

    /// Makes the database full once it has this many pages.
    #[cfg(test)]
    pub(crate) async fn limit_pages(&self, pages: u32) -> Result<(), Failed> {
        let limit = move |connection: &mut Connection| {
            connection.pragma_update(None, "max_page_count", pages).map_err(failed)
        };
        self.writer()?.maintain(limit).await
    }

    fn writer(&self) -> Result<&Writer, Failed> {
        self.writer.as_ref().ok_or(Failed::ReadOnly)
    }
}

/// Runs a statement to its end and gives its rows, so that nothing of it stays open.
fn query(
    connection: &Connection,
    statement: &'static Statement,
    parameters: &[Value],
) -> Result<Vec<Row>, Failed> {
    let read = || {
        let mut prepared = connection.prepare_cached(statement.sqlite())?;
        let width = prepared.column_count();
        let mut found = prepared.query(rusqlite::params_from_iter(parameters))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let mut columns = Vec::with_capacity(width);
            for column in 0..width {
                columns.push(fault::value(row.get_ref(column)?)?);
            }
            rows.push(Row::new(statement.name(), columns));
        }
        Ok(rows)
    };
    read().map_err(|error| failed_in(statement, error))
}

/// Runs work that may block on a thread where blocking is allowed.
async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|stopped| {
        Err(Failed::Other(format!("reading the database was interrupted: {stopped}")))
    })
}
