//! The database as the rest of the house sees it: reads, and commits of whole acts.

use crate::act::{Act, Committed, Conflict};
use crate::counts::Counts;
use crate::driver::address::Address;
use crate::driver::{Driver, Length};
use crate::facts::{ClockOffset, Facts};
use crate::failed::Failed;
use crate::offered::KeptOffers;
use crate::options::Options;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use sinete_core::time::Timestamp;
use std::sync::{Arc, OnceLock};

/// An open database. Copies are cheap and share it.
#[derive(Clone)]
pub struct Store {
    driver: Arc<Driver>,
    offers: Arc<KeptOffers>,
    listener: Arc<OnceLock<Listener>>,
}

/// Whoever is told of what is asked.
type Listener = Box<dyn Fn(&'static str) + Send + Sync>;

impl Store {
    /// Opens the database. Its schema is neither looked at nor changed: that is [`crate::migrate`]'s.
    pub async fn open(address: &Address, options: &Options) -> Result<Self, Failed> {
        let driver = Arc::new(Driver::open(address, options).await?);
        Ok(Self { driver, offers: Arc::default(), listener: Arc::default() })
    }

    /// Carries the act out, whole or not at all, and answers once it is durable. A caller who stops waiting
    /// does not stop it.
    pub async fn commit(&self, act: Act) -> Result<Result<Committed, Conflict>, Failed> {
        if act.is_empty() {
            return Ok(Ok(Committed::witnessed()));
        }
        self.must_be_storable(&act)?;
        self.driver.commit(act).await
    }

    /// Carries out an act that its caller could do without, such as when something was last used. Where the database is held
    /// up, they wait for it only briefly, so that what they are about to do is still answered in time.
    pub async fn commit_best_effort(&self, act: Act) {
        if act.is_empty() || self.must_be_storable(&act).is_err() {
            return;
        }
        if let Err(failed) = self.driver.commit_briefly(act).await {
            tracing::debug!(%failed, "something was not noted");
        }
    }

    fn must_be_storable(&self, act: &Act) -> Result<(), Failed> {
        for step in act.steps() {
            storable(step.statement, &step.parameters)?;
            self.tell(step.statement);
        }
        Ok(())
    }

    /// A cheap read that shows whether the database answers.
    pub async fn check(&self) -> Result<(), Failed> {
        self.driver.check().await
    }

    /// What the database says about itself.
    pub async fn facts(&self) -> Result<Facts, Failed> {
        self.driver.facts().await
    }

    /// How far the database's clock is from this node's, which reads `now`. SQLite has no clock of its own.
    pub async fn now_offset(&self, now: Timestamp) -> Result<ClockOffset, Failed> {
        self.driver.now_offset(now).await
    }

    /// How much was read and committed since this store was opened, and in how many transactions.
    pub fn counts(&self) -> Counts {
        self.driver.counts()
    }

    /// Has somebody told, from now on, of everything that is asked of the database, by the name of the statement:
    /// of a read once, of an act step by step. Whoever came first is told, so that work can be counted by those who
    /// doubt that it is the same.
    pub fn overheard_by(&self, listener: impl Fn(&'static str) + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    fn tell(&self, statement: &'static Statement) {
        if let Some(listener) = self.listener.get() {
            listener(statement.name());
        }
    }

    /// Finishes what has been asked for and lets go of the database. Whatever is asked later fails.
    pub async fn close(&self) {
        self.driver.close().await;
    }

    /// The first row of a short read, if there is one.
    pub(crate) async fn first(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
    ) -> Result<Option<Row>, Failed> {
        self.all(statement, parameters).await.map(|rows| rows.into_iter().next())
    }

    /// All rows of a short read: a few, found by an index.
    pub(crate) async fn all(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
    ) -> Result<Vec<Row>, Failed> {
        storable(statement, parameters)?;
        self.tell(statement);
        self.driver.read(statement, parameters, Length::Short).await
    }

    /// All rows of a long read, such as a page of a list, done where it holds nobody else up.
    pub(crate) async fn list(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
    ) -> Result<Vec<Row>, Failed> {
        storable(statement, parameters)?;
        self.tell(statement);
        self.driver.read(statement, parameters, Length::Long).await
    }

    /// What is kept in memory of what organizations are offered.
    pub(crate) fn offers(&self) -> &KeptOffers {
        &self.offers
    }

    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match &*self.driver {
            Driver::Sqlite(_) => "Store on SQLite",
            Driver::Postgres(_) => "Store on PostgreSQL",
        })
    }
}

/// The engines differ in what they make of a NUL in a text, so neither of them sees one.
fn storable(statement: &Statement, parameters: &[Value]) -> Result<(), Failed> {
    match parameters.iter().position(|value| !value.is_storable()) {
        None => Ok(()),
        Some(place) => Err(Failed::Unstorable(format!(
            "parameter {} of {} is a text with a NUL in it, which cannot be stored",
            place + 1,
            statement.name()
        ))),
    }
}
