//! The database as the rest of the house sees it: reads, and commits of whole acts.

use crate::database_info::{ClockOffset, DatabaseInfo};
use crate::driver::address::DatabaseAddress;
use crate::driver::{DatabaseDriver, ReadLength};
use crate::failure::StoreFailure;
use crate::oauth::cache::api_catalog::ApiCatalogCache;
use crate::options::StoreOptions;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::statistics::StoreStatistics;
use crate::value::SqlValue;
use crate::write_batch::{CommitReceipt, GuardConflict, WriteBatch};
use sinete_core::time::Timestamp;
use std::sync::{Arc, OnceLock};

/// An open database. Copies are cheap and share it.
#[derive(Clone)]
pub struct Store {
    driver: Arc<DatabaseDriver>,
    offers: Arc<ApiCatalogCache>,
    listener: Arc<OnceLock<QueryObserver>>,
}

/// Whoever is told of what is asked.
type QueryObserver = Box<dyn Fn(&'static str) + Send + Sync>;

impl Store {
    /// Opens the database. Its schema is neither looked at nor changed: that is [`crate::migrate`]'s.
    pub async fn open(address: &DatabaseAddress, options: &StoreOptions) -> Result<Self, StoreFailure> {
        let driver = Arc::new(DatabaseDriver::open(address, options).await?);
        Ok(Self { driver, offers: Arc::default(), listener: Arc::default() })
    }

    /// Carries the act out, whole or not at all, and answers once it is durable. A caller who stops waiting
    /// does not stop it.
    pub async fn commit(
        &self,
        act: WriteBatch,
    ) -> Result<Result<CommitReceipt, GuardConflict>, StoreFailure> {
        if act.is_empty() {
            return Ok(Ok(CommitReceipt::issue()));
        }
        self.must_be_storable(&act)?;
        self.driver.commit(act).await
    }

    /// Carries out an act that its caller could do without, such as when something was last used. Where the database is held
    /// up, they wait for it only briefly, so that what they are about to do is still answered in time.
    pub async fn commit_best_effort(&self, act: WriteBatch) {
        if act.is_empty() || self.must_be_storable(&act).is_err() {
            return;
        }
        if let Err(failed) = self.driver.commit_with_short_deadline(act).await {
            tracing::debug!(%failed, "something was not noted");
        }
    }

    fn must_be_storable(&self, act: &WriteBatch) -> Result<(), StoreFailure> {
        for step in act.statements() {
            check_storable(step.statement, &step.parameters)?;
            self.notify_observer(step.statement);
        }
        Ok(())
    }

    /// A cheap read that shows whether the database answers.
    pub async fn check_connection(&self) -> Result<(), StoreFailure> {
        self.driver.check_connection().await
    }

    /// What the database says about itself.
    pub async fn load_info(&self) -> Result<DatabaseInfo, StoreFailure> {
        self.driver.load_info().await
    }

    /// How far the database's clock is from this node's, which reads `now`. SQLite has no clock of its own.
    pub async fn measure_clock_offset(&self, now: Timestamp) -> Result<ClockOffset, StoreFailure> {
        self.driver.measure_clock_offset(now).await
    }

    /// How much was read and committed since this store was opened, and in how many transactions.
    pub fn statistics(&self) -> StoreStatistics {
        self.driver.statistics()
    }

    /// Has somebody told, from now on, of everything that is asked of the database, by the name of the statement:
    /// of a read once, of an act step by step. Whoever came first is told, so that work can be counted by those who
    /// doubt that it is the same.
    pub fn set_query_observer(&self, listener: impl Fn(&'static str) + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    fn notify_observer(&self, statement: &'static SqlStatement) {
        if let Some(listener) = self.listener.get() {
            listener(statement.name());
        }
    }

    /// Finishes what has been asked for and lets go of the database. Whatever is asked later fails.
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

    /// All rows of a long read, such as a page of a list, done where it holds nobody else up.
    pub(crate) async fn read_list(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        check_storable(statement, parameters)?;
        self.notify_observer(statement);
        self.driver.read_rows(statement, parameters, ReadLength::Long).await
    }

    /// What is kept in memory of what organizations are offered.
    pub(crate) fn api_catalog_cache(&self) -> &ApiCatalogCache {
        &self.offers
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

/// The engines differ in what they make of a NUL in a text, so neither of them sees one.
fn check_storable(statement: &SqlStatement, parameters: &[SqlValue]) -> Result<(), StoreFailure> {
    match parameters.iter().position(|value| !value.is_storable()) {
        None => Ok(()),
        Some(place) => Err(StoreFailure::Unstorable(format!(
            "parameter {} of {} is a text with a NUL in it, which cannot be stored",
            place + 1,
            statement.name()
        ))),
    }
}
