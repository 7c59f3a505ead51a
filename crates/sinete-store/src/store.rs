//! The store as the other crates use it: reads, and commits of whole batches.

use crate::cache_list::CacheList;
use crate::database_info::{ClockOffset, DatabaseInfo};
use crate::driver::address::DatabaseAddress;
use crate::driver::{DatabaseDriver, ReadLength};
use crate::failure::StoreFailure;
use crate::full_disk::FullDiskRecord;
use crate::options::StoreOptions;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::statistics::StoreStatistics;
use crate::value::SqlValue;
use crate::write_batch::{BatchOutcome, CommitReceipt, WriteBatch};
use sinete_core::time::Timestamp;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// An open database. Clones are cheap and share it.
#[derive(Clone)]
pub struct Store {
    driver: Arc<DatabaseDriver>,
    caches: Arc<CacheList>,
    query_observer: Arc<OnceLock<QueryObserver>>,
    full_disk: Arc<FullDiskRecord>,
}

/// Called with the name of each statement.
type QueryObserver = Box<dyn Fn(&'static str) + Send + Sync>;

impl Store {
    /// Opens the database. Does not check or change its schema: see [`crate::migrate`].
    pub async fn open(address: &DatabaseAddress, options: &StoreOptions) -> Result<Self, StoreFailure> {
        let driver = Arc::new(DatabaseDriver::open(address, options).await?);
        Ok(Self { driver, caches: Arc::default(), query_observer: Arc::default(), full_disk: Arc::default() })
    }

    /// Commits the batch, entirely or not at all, and returns once it is durable. Dropping the future does
    /// not cancel it.
    pub async fn commit(&self, batch: WriteBatch) -> Result<BatchOutcome, StoreFailure> {
        if batch.is_empty() {
            return Ok(BatchOutcome::Committed(CommitReceipt::issue()));
        }
        self.require_storable(&batch)?;
        let result = self.driver.commit(batch).await;
        self.full_disk.record_result(&result);
        result
    }

    /// Commits a batch that is optional to the caller, such as a last-used time. If the database is slow, the
    /// caller waits only briefly, so that its request is still answered in time.
    pub async fn commit_best_effort(&self, batch: WriteBatch) {
        if batch.is_empty() || self.require_storable(&batch).is_err() {
            return;
        }
        let result = self.driver.commit_with_short_deadline(batch).await;
        self.full_disk.record_result(&result);
        if let Err(failed) = result {
            tracing::debug!(%failed, "an optional write was not recorded");
        }
    }

    fn require_storable(&self, batch: &WriteBatch) -> Result<(), StoreFailure> {
        for step in batch.statements() {
            check_storable(step.statement, &step.parameters)?;
            self.notify_observer(step.statement);
        }
        Ok(())
    }

    /// A cheap read that shows whether the database responds.
    pub async fn check_connection(&self) -> Result<(), StoreFailure> {
        self.driver.check_connection().await
    }

    /// Facts about the database, for diagnosis.
    pub async fn load_info(&self) -> Result<DatabaseInfo, StoreFailure> {
        self.driver.load_info().await
    }

    /// The offset of the database's clock from this node's, which reads `now`. SQLite has no clock of its
    /// own.
    pub async fn measure_clock_offset(&self, now: Timestamp) -> Result<ClockOffset, StoreFailure> {
        self.driver.measure_clock_offset(now).await
    }

    /// Counters since this store was opened.
    pub fn statistics(&self) -> StoreStatistics {
        self.driver.statistics()
    }

    /// Calls `listener` from now on with the name of every executed statement: once for a read, once per
    /// statement of a batch. Only the first observer is used. It lets tests count the work.
    pub fn set_query_observer(&self, listener: impl Fn(&'static str) + Send + Sync + 'static) {
        let _ = self.query_observer.set(Box::new(listener));
    }

    fn notify_observer(&self, statement: &'static SqlStatement) {
        if let Some(listener) = self.query_observer.get() {
            listener(statement.name());
        }
    }

    /// Finishes queued work and closes the database. Later calls fail.
    pub async fn close(&self) {
        self.driver.close().await;
    }

    /// The first row of a short read, if there is one.
    pub(crate) async fn read_first(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
    ) -> Result<Option<SqlRow>, StoreFailure> {
        self.read_all(statement, parameters).await.map(|rows| rows.into_iter().next())
    }

    /// All rows of a short read: a few, found by an index.
    pub(crate) async fn read_all(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        check_storable(statement, parameters)?;
        self.notify_observer(statement);
        self.driver.read_rows(statement, parameters, ReadLength::Short).await
    }

    /// All rows of a long read, such as a page of a list, done where it does not delay others.
    pub(crate) async fn read_list(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        check_storable(statement, parameters)?;
        self.notify_observer(statement);
        self.driver.read_rows(statement, parameters, ReadLength::Long).await
    }

    /// The cache of this type, which all clones share.
    pub(crate) fn cache<C: Any + Default + Send + Sync>(&self) -> &C {
        self.caches.get()
    }

    /// The writes that found no space.
    pub(crate) fn full_disk(&self) -> &FullDiskRecord {
        &self.full_disk
    }

    pub(crate) fn driver(&self) -> &DatabaseDriver {
        &self.driver
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match &*self.driver {
            DatabaseDriver::Sqlite(_) => "Store on SQLite",
            DatabaseDriver::Postgres(_) => "Store on PostgreSQL",
        })
    }
}

/// The engines differ in how they treat NUL in text, so none is sent.
fn check_storable(statement: &SqlStatement, parameters: &[SqlValue]) -> Result<(), StoreFailure> {
    match parameters.iter().position(|value| !value.is_storable()) {
        None => Ok(()),
        Some(index) => Err(StoreFailure::Unstorable(format!(
            "parameter {} of {} is a text with a NUL in it, which cannot be stored",
            index + 1,
            statement.name()
        ))),
    }
}
