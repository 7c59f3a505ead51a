//! PostgreSQL: a few connections that everybody reads through, and a pool of others; each act is one transaction,
//! sent ahead without waiting in between.

pub(crate) mod asked;
mod connect;
mod fault;
mod gather;
mod lanes;
mod migration;
mod transaction;
mod types;

use crate::act::{Act, Committed, Conflict};
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
use sinete_core::time::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout_at;
use tokio_postgres::types::ToSql;
use transaction::Setback;

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
    patience: Duration,
    counters: Counters,
}

impl Postgres {
    /// Makes the pool and asks the server once whether it will do.
    pub(crate) async fn open(server: &PostgresAddress, options: &Options) -> Result<Self, Failed> {
        let patience = options.answer_max.as_duration();
        let connections = options.connections.max(1);
        let lanes = lanes::count(connections);
        let pool = connect::pool(server, options, connections - lanes)?;
        let lanes = (lanes > 0).then(|| Lanes::new(lanes));
        let (gathering, questions, counters) = Default::default();
        let shared = Arc::new(Shared { pool, lanes, gathering, questions, patience, counters });
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
        tokio::spawn(async move { shared.carry_out(&act, deadline).await })
            .await
            .unwrap_or_else(|stopped| Err(Failed::Other(format!("the act was interrupted: {stopped}"))))
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
    answer.await.unwrap_or_else(|_| Err(Failed::Other("the act was interrupted".to_owned())))
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

    /// Carries out those that gathered and tells whoever waits. They may have gone; what was committed stays committed.
    async fn carry_out_together(&self, acts: Vec<Waiting>) {
        let acts = gather::answer_those_too_late(acts);
        let shared = match &acts[..] {
            [] | [_] => None,
            several => Some(self.try_together(several).await),
        };
        for Waiting { act, deadline, reply } in acts {
            let answer = match &shared {
                Some(Ok(())) => Ok(Ok(Committed::witnessed())),
                Some(Err(Setback::Failed(failed))) => Err(failed.clone()),
                // What they hang on has changed, for all of them alike.
                Some(Err(Setback::Conflict(conflict))) if *conflict != Conflict::AT_COMMIT => {
                    Ok(Err(conflict.clone()))
                }
                // Nothing of it happened: each is told what it meets by itself.
                None | Some(Err(Setback::Conflict(_) | Setback::NothingSent(_))) => {
                    self.carry_out(&act, deadline).await
                }
            };
            let _ = reply.send(answer);
        }
    }

    async fn try_together(&self, acts: &[Waiting]) -> Result<(), Setback> {
        // The first whose time is over is the one that all of them keep.
        let earliest = acts.iter().map(|waiting| waiting.deadline).min();
        let deadline = earliest.unwrap_or_else(|| Deadline::within(self.patience));
        let client = self.client(deadline).await.map_err(Setback::Failed)?;
        let done = gather::together(client, acts, deadline).await;
        match &done {
            Ok(()) => self.counters.committed(acts.len() as u64),
            // The connection was free too late, and nothing is wrong with it.
            Err(Setback::NothingSent(Failed::Overloaded)) => {}
            Err(Setback::Failed(Failed::Unreachable) | Setback::NothingSent(_)) => self.drop_idle(),
            Err(_) => {}
        }
        done
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

    async fn carry_out(&self, act: &Act, deadline: Deadline) -> Answer {
        let mut first_try = true;
        loop {
            let client = self.client(deadline).await?;
            return match transaction::attempt(client, act, deadline).await {
                Ok(()) => {
                    self.counters.committed(1);
                    Ok(Ok(Committed::witnessed()))
                }
                Err(Setback::Conflict(conflict)) => Ok(Err(conflict)),
                Err(Setback::NothingSent(_)) if first_try => {
                    self.drop_idle();
                    first_try = false;
                    continue;
                }
                Err(Setback::NothingSent(failed) | Setback::Failed(failed)) => {
                    if failed == Failed::Unreachable {
                        self.drop_idle();
                    }
                    Err(failed)
                }
            };
        }
    }
}
