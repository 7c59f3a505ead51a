//! The two engines behind one door. Nothing outside this folder knows which of them runs.

pub(crate) mod address;
mod deadline;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use crate::act::{Act, Committed, Conflict};
use crate::counts::Counts;
use crate::facts::{ClockOffset, Facts};
use crate::failed::Failed;
use crate::options::Options;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use address::Address;
use postgres::Postgres;
use sinete_core::time::Timestamp;
use sqlite::Sqlite;

/// What becomes of an act: durable, refused by a guard, or not carried out.
pub(crate) type Answer = Result<Result<Committed, Conflict>, Failed>;

/// What whoever comes after [`Driver::close`] is told.
pub(crate) fn closed() -> Failed {
    Failed::Other("the database has been closed".into())
}

/// The engine that runs.
pub(crate) enum Driver {
    Sqlite(Box<Sqlite>),
    Postgres(Postgres),
}

/// How long a read may be expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// A few rows by index: done where it is asked.
    Short,
    /// A list: done where it holds nobody else up.
    Long,
}

/// A migration in the text of one engine, with what is kept about it.
#[derive(Clone, Debug)]
pub(crate) struct Migration {
    pub(crate) version: u32,
    pub(crate) name: &'static str,
    pub(crate) checksum: [u8; 32],
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

/// A migration that was applied, as the database remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppliedMigration {
    pub(crate) version: u32,
    pub(crate) name: String,
    pub(crate) checksum: Vec<u8>,
    pub(crate) at: Timestamp,
}

/// What waits for a server is in a box of its own: everything that may ask the database would carry it otherwise, also
/// where there is no server, and it is larger than most of that.
impl Driver {
    pub(crate) async fn open(address: &Address, options: &Options) -> Result<Self, Failed> {
        match address {
            Address::Sqlite(path) => Sqlite::open(path, options).await.map(Box::new).map(Self::Sqlite),
            Address::Postgres(server) => Postgres::open(server, options).await.map(Self::Postgres),
        }
    }

    pub(crate) async fn commit(&self, act: Act) -> Answer {
        match self {
            Self::Sqlite(engine) => engine.commit(act).await,
            Self::Postgres(engine) => Box::pin(engine.commit(act)).await,
        }
    }

    pub(crate) async fn commit_briefly(&self, act: Act) -> Answer {
        match self {
            Self::Sqlite(engine) => engine.commit_briefly(act).await,
            Self::Postgres(engine) => Box::pin(engine.commit_briefly(act)).await,
        }
    }

    pub(crate) async fn read(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
        length: Length,
    ) -> Result<Vec<Row>, Failed> {
        match self {
            Self::Sqlite(engine) => engine.read(statement, parameters, length).await,
            Self::Postgres(engine) => Box::pin(engine.read(statement, parameters, length)).await,
        }
    }

    pub(crate) async fn check(&self) -> Result<(), Failed> {
        match self {
            Self::Sqlite(engine) => engine.check().await,
            Self::Postgres(engine) => engine.check().await,
        }
    }

    pub(crate) async fn facts(&self) -> Result<Facts, Failed> {
        match self {
            Self::Sqlite(engine) => engine.facts().await,
            Self::Postgres(engine) => engine.facts().await,
        }
    }

    pub(crate) async fn now_offset(&self, now: Timestamp) -> Result<ClockOffset, Failed> {
        match self {
            Self::Sqlite(_) => Ok(ClockOffset::NONE),
            Self::Postgres(engine) => Ok(ClockOffset::between(engine.now().await?, now)),
        }
    }

    /// Applies a migration unless the same version is there already; says whether it was applied now.
    pub(crate) async fn apply(&self, migration: Migration) -> Result<bool, Failed> {
        match self {
            Self::Sqlite(engine) => engine.apply(migration).await,
            Self::Postgres(engine) => engine.apply(migration).await,
        }
    }

    /// The migrations the database remembers, oldest first; none on an empty database.
    pub(crate) async fn applied(&self) -> Result<Vec<AppliedMigration>, Failed> {
        match self {
            Self::Sqlite(engine) => engine.applied().await,
            Self::Postgres(engine) => engine.applied().await,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Sqlite(engine) => engine.counts(),
            Self::Postgres(engine) => engine.counts(),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close(),
        }
    }
}
