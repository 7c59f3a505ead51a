//! PostgreSQL: a few connections that everybody reads through, and a pool of others; each act is one transaction,
//! sent ahead without waiting in between.

pub(crate) mod asked;
mod commit;
mod connect;
mod fault;
mod gather;
mod lanes;
mod migration;
mod outcome;
mod transaction;
mod types;

use crate::act::Act;
use crate::counts::{Counters, Counts};
use crate::driver::address::PostgresAddress;
use crate::driver::deadline::Deadline;
use crate::driver::{Answer, AppliedMigration, Length, Migration};
use crate::facts::{Durability, Engine, Facts};
use crate::failed::Failed;
use crate::options::{Access, Options};
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use asked::Questions;
use deadpool_postgres::{Client, Object, Pool};
use fault::{failed, is_lost, is_stale};
use gather::{Gathering, Waiting};
use lanes::Lanes;
use outcome::Backends;
use sinete_core::time::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout_at;
use tokio_postgres::types::ToSql;

/// How much longer a list may take than anything else.
const LIST_PATIENCE: u32 = 5;

/// An open PostgreSQL database.
pub(crate) struct Postgres {
    shared: Arc<Shared>,
    access: Access,
}

/// What a task of its own needs to finish an act that nobody waits for any more.
struct Shared {
    pool: Pool,
    /// For short reads; none where there is one connection for everything.
    lanes: Option<Lanes>,
    gathering: Gathering,
    questions: Questions,
    backends: Backends,
    patience: Duration,
    counters: Counters,
}

impl Postgres {
    /// Makes the pool and asks the server once whether it will do.
    pub(crate) async fn open(server: &PostgresAddress, options: &Options) -> Result<Self, Failed> {
        let patience = options.answer_max.as_duration();
        let connections = options.connections.max(1);
        let lanes = lanes::count(connections);
        let backends = Backends::default();
        let pool = connect::pool(server, options, connections - lanes, &backends)?;
        let lanes = (lanes > 0).then(|| Lanes::new(lanes));
        let (gathering, questions, counters) = Default::default();
        let shared = Arc::new(Shared { pool, lanes, gathering, questions, backends, patience, counters });
        let this = Self { shared, access: options.access };
        this.refuse_unfit_server().await?;
        Ok(this)
    }

    async fn refuse_unfit_server(&self) -> Result<(), Failed> {
        let row = self
            .ask("SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), current_setting('server_encoding')")
            .await?;
        let (number, version, encoding): (i64, String, String) = (row.get(0), row.get(1), row.get(2));
        if number < 150_000 {
            return Err(Failed::Other(format!(
                "PostgreSQL {version} is too old: 15 is the oldest we work with"
            )));
        }
        if encoding != "UTF8" {
            return Err(Failed::Other(format!(
                "the database is encoded in {encoding}: create it with ENCODING 'UTF8'"
            )));
        }
        Ok(())
    }

    /// Carries the act out in a task of its own: a caller that goes away cannot halve it.
    pub(crate) async fn commit(&self, act: Act) -> Answer {
        if self.access == Access::ReadOnly {
            return Err(Failed::ReadOnly);
        }
        let shared = self.shared.clone();
        let deadline = Deadline::within(shared.patience);
        shared.counters.handed_in(act.steps().len());
        if gather::can_gather(&act) {
            return gathered(shared, act, deadline).await;
        }
        tokio::spawn(async move { shared.carry_out(&act, deadline).await }).await.unwrap_or_else(|stopped| {
            tracing::error!(%stopped, "an act was interrupted");
            Err(Failed::OutcomeUnknown)
        })
    }

    /// The same for an act that its caller could do without. It may still be carried out when they have stopped waiting.
    pub(crate) async fn commit_briefly(&self, act: Act) -> Answer {
        let by = Deadline::brief(self.shared.patience).answer_by();
        timeout_at(by, self.commit(act)).await.unwrap_or(Err(Failed::Overloaded))
    }

    pub(crate) async fn read(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
        length: Length,
    ) -> Result<Vec<Row>, Failed> {
        self.shared.counters.asked();
        let deadline = match length {
            Length::Short => Deadline::within(self.shared.patience),
            Length::Long => Deadline::within(self.shared.patience * LIST_PATIENCE),
        };
        match (length, &self.shared.lanes) {
            (Length::Short, Some(lanes)) if statement.welcomes_company() => {
                self.shared.ask(lanes, statement, parameters, deadline).await
            }
            (Length::Short, Some(lanes)) => {
                self.shared.ask_alone(lanes, statement, parameters, deadline).await
            }
            (Length::Short, None) | (Length::Long, _) => {
                self.shared.ask_apart(statement, parameters, deadline).await
            }
        }
    }

    pub(crate) async fn check(&self) -> Result<(), Failed> {
        self.ask("SELECT 1").await.map(drop)
    }

    /// What the server's clock says.
    pub(crate) async fn now(&self) -> Result<Timestamp, Failed> {
        let row = self.ask("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").await?;
        Ok(Timestamp::from_micros(row.get(0)))
    }

    pub(crate) async fn facts(&self) -> Result<Facts, Failed> {
        let row = self
            .ask("SELECT current_setting('server_version'), current_setting('synchronous_commit'), current_setting('fsync'), pg_database_size(current_database())")
            .await?;
        let (synchronous, fsync): (String, String) = (row.get(1), row.get(2));
        let durability = match (synchronous.as_str(), fsync.as_str()) {
            ("off", _) => Durability::AtRisk("synchronous_commit = off".into()),
            (_, "off") => Durability::AtRisk("fsync = off".into()),
            _ => Durability::Durable,
        };
        Ok(Facts {
            engine: Engine::Postgres,
            version: row.get(0),
            durability,
            journal_mode: None,
            schema_version: self.applied().await?.last().map(|newest| newest.version),
            size_bytes: row.get::<_, i64>(3).unsigned_abs(),
        })
    }

    pub(crate) async fn apply(&self, migration: Migration) -> Result<bool, Failed> {
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let client = shared.client(Deadline::within(shared.patience)).await?;
            migration::apply(client, &migration).await
        })
        .await
        .unwrap_or_else(|stopped| Err(Failed::Other(format!("the migration was interrupted: {stopped}"))))
    }

    pub(crate) async fn applied(&self) -> Result<Vec<AppliedMigration>, Failed> {
        if !self.ask(migration::IS_REMEMBERED).await?.get::<_, bool>(0) {
            return Ok(Vec::new());
        }
        let deadline = Deadline::within(self.shared.patience);
        let rows = self.shared.query(migration::REMEMBERED, &[], deadline).await?;
        Ok(rows.iter().map(migration::read).collect())
    }

    pub(crate) fn counts(&self) -> Counts {
        self.shared.counters.read()
    }

    pub(crate) fn close(&self) {
        self.shared.pool.close();
        if let Some(lanes) = &self.shared.lanes {
            lanes.give_all_up();
        }
    }

    /// Asks something that every server can answer in one row.
    async fn ask(&self, sql: &str) -> Result<tokio_postgres::Row, Failed> {
        let rows = self.shared.query(sql, &[], Deadline::within(self.shared.patience)).await?;
        rows.into_iter().next().ok_or_else(|| Failed::Other("PostgreSQL gave no answer".into()))
    }
}

/// Has the act carried out with others that come at the same time, in a task that goes on if the caller goes away.
async fn gathered(shared: Arc<Shared>, act: Act, deadline: Deadline) -> Answer {
    let (reply, answer) = oneshot::channel();
    if shared.gathering.join(Waiting { act, deadline, reply }) {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut turn = shared.gathering.turn();
            while let Some(acts) = turn.next() {
                shared.carry_out_together(acts).await;
            }
        });
    }
    // Whoever was to answer has gone, and may have handed the act in before.
    answer.await.unwrap_or(Err(Failed::OutcomeUnknown))
}

/// The columns of a row, from this one on.
fn read_row(
    statement: &'static Statement,
    row: &tokio_postgres::Row,
    from: usize,
) -> Result<Row, tokio_postgres::Error> {
    let columns: Result<_, _> = (from..row.len()).map(|column| row.try_get::<_, Value>(column)).collect();
    columns.map(|columns| Row::new(statement.name(), columns))
}

/// What a statement found.
fn read_rows(
    statement: &'static Statement,
    found: Result<Vec<tokio_postgres::Row>, Failed>,
) -> Result<Vec<Row>, Failed> {
    let named = |failed| match failed {
        Failed::Other(why) => Failed::Other(format!("{}: {why}", statement.name())),
        known => known,
    };
    let read = |row: &tokio_postgres::Row| read_row(statement, row, 0);
    let found = found.map_err(named)?;
    found.iter().map(read).collect::<Result<_, _>>().map_err(|error| named(failed(&error)))
}

impl Shared {
    /// Asks on a connection that others ask on, too.
    async fn ask_alone(
        &self,
        lanes: &Lanes,
        statement: &'static Statement,
        parameters: &[Value],
        deadline: Deadline,
    ) -> Result<Vec<Row>, Failed> {
        read_rows(statement, self.query_in(lanes, statement.postgres(), parameters, deadline).await)
    }

    /// Asks on a connection of its own.
    async fn ask_apart(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
        deadline: Deadline,
    ) -> Result<Vec<Row>, Failed> {
        read_rows(statement, self.query(statement.postgres(), parameters, deadline).await)
    }

    /// A connection, if one is free in time.
    async fn client(&self, deadline: Deadline) -> Result<Client, Failed> {
        connect::take(&self.pool, deadline).await
    }

    /// Runs a query. Nothing is changed by asking, so if the connection turns out to be lost, or the plan to
    /// be outdated, it is asked once more on a new one.
    async fn query(
        &self,
        sql: &str,
        parameters: &[Value],
        deadline: Deadline,
    ) -> Result<Vec<tokio_postgres::Row>, Failed> {
        let parameters: Vec<_> = parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let mut first_try = true;
        loop {
            let client = self.client(deadline).await?;
            let asked = async { client.query(&client.prepare_cached(sql).await?, &parameters).await };
            match timeout_at(deadline.answer_by(), asked).await {
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(error)) if first_try && (is_stale(&error) || is_lost(&error)) => {
                    drop(client);
                    self.drop_idle();
                    first_try = false;
                }
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => {
                    drop(Object::take(client));
                    return Err(Failed::Unreachable);
                }
            }
        }
    }

    /// The same for a short read, which shares its connection with others.
    async fn query_in(
        &self,
        lanes: &Lanes,
        sql: &str,
        parameters: &[Value],
        deadline: Deadline,
    ) -> Result<Vec<tokio_postgres::Row>, Failed> {
        let parameters: Vec<_> = parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let mut first_try = true;
        loop {
            let lane = lanes.take(&self.pool, deadline).await?;
            let client = &lane.client;
            let asked = async { client.query(&client.prepare_cached(sql).await?, &parameters).await };
            match timeout_at(deadline.answer_by(), asked).await {
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(error)) if first_try && (is_stale(&error) || is_lost(&error)) => {
                    self.drop_idle();
                    first_try = false;
                }
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => {
                    lanes.give_up(&lane);
                    return Err(Failed::Unreachable);
                }
            }
        }
    }

    /// Closes the connections nobody is using. Where one was lost or had an outdated plan, those that lie
    /// idle are likely to be no better, and the next try must not meet another of them.
    fn drop_idle(&self) {
        self.pool.retain(|_, _| false);
        if let Some(lanes) = &self.lanes {
            lanes.give_all_up();
        }
    }
}
