//! PostgreSQL: a few connections shared by all reads, and a pool of others. Each batch is one pipelined
//! transaction.

mod batched_insert;
pub(crate) mod batched_read;
mod commit;
mod commit_outcome;
mod connect;
mod error;
mod group_commit;
mod migration;
mod multi_row_insert;
mod read_lanes;
mod session_settings;
mod statement_protocol;
mod transaction;
mod types;

use crate::database_info::{CommitDurability, DatabaseEngine, DatabaseInfo};
use crate::driver::address::PostgresAddress;
use crate::driver::deadline::{CallError, StatementDeadline, flatten_timeout};
use crate::driver::{CommitResult, EngineMigration, ReadLength, RecordedMigration};
use crate::failure::StoreFailure;
use crate::options::{ConnectionPooling, PreparedStatements, StoreAccess, StoreOptions};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::statistics::{StoreCounters, StoreStatistics};
use crate::value::SqlValue;
use crate::write_batch::WriteBatch;
use batched_insert::InsertBatcher;
use batched_read::ReadBatcher;
use commit_outcome::ServerProcessList;
use deadpool_postgres::{Client, Object, Pool};
use error::{is_connection_lost, is_stale_statement, to_failure};
use group_commit::GroupCommitQueue;
use read_lanes::ReadLanePool;
use sinete_core::time::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout_at;

/// How many times longer a list read may take than other calls.
const LIST_TIMEOUT_FACTOR: u32 = 5;

/// An open PostgreSQL database.
pub(crate) struct PostgresDriver {
    shared: Arc<PostgresState>,
    access: StoreAccess,
}

/// The state that a spawned task needs to finish a batch whose caller has gone.
struct PostgresState {
    pool: Pool,
    /// For short reads; `None` if there is only one connection.
    lanes: Option<ReadLanePool>,
    insert_batcher: InsertBatcher,
    commit_queue: GroupCommitQueue,
    read_batcher: ReadBatcher,
    server_processes: ServerProcessList,
    answer_timeout: Duration,
    statements: PreparedStatements,
    counters: StoreCounters,
}

impl PostgresDriver {
    /// Creates the pool and checks once that the server is suitable.
    pub(crate) async fn open(server: &PostgresAddress, options: &StoreOptions) -> Result<Self, StoreFailure> {
        let timeout = options.answer_max.as_duration();
        let connections = options.connections.max(1);
        let lanes = read_lanes::lane_count(connections);
        let backends = ServerProcessList::default();
        let pool = connect::build_pool(server, options, connections - lanes, &backends)?;
        let lanes = (lanes > 0).then(|| ReadLanePool::new(lanes));
        let (gathering, groups, questions, counters) = Default::default();
        let shared = Arc::new(PostgresState {
            pool,
            lanes,
            insert_batcher: gathering,
            commit_queue: groups,
            read_batcher: questions,
            server_processes: backends,
            answer_timeout: timeout,
            statements: options.prepared_statements,
            counters,
        });
        let this = Self { shared, access: options.access };
        this.refuse_unfit_server().await?;
        if options.pooling == ConnectionPooling::Transaction {
            this.refuse_unfit_session().await?;
        }
        Ok(this)
    }

    async fn refuse_unfit_server(&self) -> Result<(), StoreFailure> {
        let row = self
            .query_one("SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), current_setting('server_encoding')")
            .await?;
        let (number, version, encoding): (i64, String, String) = (row.get(0), row.get(1), row.get(2));
        if number < 150_000 {
            return Err(StoreFailure::Other(format!(
                "PostgreSQL {version} is too old: the oldest supported version is 15"
            )));
        }
        if encoding != "UTF8" {
            return Err(StoreFailure::Other(format!(
                "the database is encoded in {encoding}: create it with ENCODING 'UTF8'"
            )));
        }
        Ok(())
    }

    /// Checks the settings that a session behind a pooler cannot be given when it connects.
    async fn refuse_unfit_session(&self) -> Result<(), StoreFailure> {
        let deadline = StatementDeadline::from_now(self.shared.answer_timeout);
        let rows = self.shared.query(session_settings::READ_SETTINGS, &[], deadline).await?;
        let settings: Vec<_> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        session_settings::check_settings(&settings, self.shared.answer_timeout)
    }

    /// Commits the batch in a spawned task, so that dropping the future cannot interrupt it.
    pub(crate) async fn commit(&self, batch: WriteBatch) -> CommitResult {
        if self.access == StoreAccess::ReadOnly {
            return Err(StoreFailure::ReadOnly);
        }
        let shared = self.shared.clone();
        let deadline = StatementDeadline::from_now(shared.answer_timeout);
        shared.counters.count_statements(batch.statements().len());
        let is_named = shared.statements == PreparedStatements::Named;
        if is_named && batched_insert::can_batch(&batch) {
            return commit::commit_batched_insert(shared, batch, deadline).await;
        }
        if group_commit::can_share(&batch) {
            return commit::commit_in_group(shared, batch, deadline).await;
        }
        tokio::spawn(async move { shared.commit_with_retry(&batch, deadline).await }).await.unwrap_or_else(
            |stopped| {
                tracing::error!(%stopped, "a write batch was interrupted");
                Err(StoreFailure::OutcomeUnknown)
            },
        )
    }

    /// The same for an optional batch. It may still be committed after the caller has stopped waiting.
    pub(crate) async fn commit_with_short_deadline(&self, batch: WriteBatch) -> CommitResult {
        let by = StatementDeadline::brief_from_now(self.shared.answer_timeout).answer_by();
        timeout_at(by, self.commit(batch)).await.unwrap_or(Err(StoreFailure::Overloaded))
    }

    pub(crate) async fn read_rows(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        length: ReadLength,
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        self.shared.counters.count_read();
        // The texts that combine reads or inserts are made from the types of a prepared statement.
        let is_named = self.shared.statements == PreparedStatements::Named;
        let deadline = match length {
            ReadLength::Short => StatementDeadline::from_now(self.shared.answer_timeout),
            ReadLength::Long => StatementDeadline::from_now(self.shared.answer_timeout * LIST_TIMEOUT_FACTOR),
        };
        match (length, &self.shared.lanes) {
            (ReadLength::Short, Some(lanes)) if is_named && statement.is_batched_read() => {
                self.shared.read_batched(lanes, statement, parameters, deadline).await
            }
            (ReadLength::Short, Some(lanes)) => {
                self.shared.read_on_lane(lanes, statement, parameters, deadline).await
            }
            (ReadLength::Short, None) | (ReadLength::Long, _) => {
                self.shared.read_on_dedicated_connection(statement, parameters, deadline).await
            }
        }
    }

    pub(crate) async fn check_connection(&self) -> Result<(), StoreFailure> {
        self.query_one("SELECT 1").await.map(drop)
    }

    /// The server's clock.
    pub(crate) async fn read_clock(&self) -> Result<Timestamp, StoreFailure> {
        let row = self.query_one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").await?;
        Ok(Timestamp::from_micros(row.get(0)))
    }

    pub(crate) async fn load_info(&self) -> Result<DatabaseInfo, StoreFailure> {
        let row = self
            .query_one("SELECT current_setting('server_version'), current_setting('synchronous_commit'), current_setting('fsync'), pg_database_size(current_database())")
            .await?;
        let (synchronous, fsync): (String, String) = (row.get(1), row.get(2));
        let durability = match (synchronous.as_str(), fsync.as_str()) {
            ("off", _) => CommitDurability::AtRisk("synchronous_commit = off".into()),
            (_, "off") => CommitDurability::AtRisk("fsync = off".into()),
            _ => CommitDurability::Durable,
        };
        Ok(DatabaseInfo {
            engine: DatabaseEngine::Postgres,
            version: row.get(0),
            durability,
            journal_mode: None,
            schema_version: self.list_migrations().await?.last().map(|newest| newest.version),
            size_bytes: row.get::<_, i64>(3).unsigned_abs(),
        })
    }

    pub(crate) async fn apply_migration(&self, migration: EngineMigration) -> Result<bool, StoreFailure> {
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let client = shared.client(StatementDeadline::from_now(shared.answer_timeout)).await?;
            migration::apply_migration(client, &migration).await
        })
        .await
        .unwrap_or_else(|stopped| {
            Err(StoreFailure::Other(format!("the migration was interrupted: {stopped}")))
        })
    }

    pub(crate) async fn list_migrations(&self) -> Result<Vec<RecordedMigration>, StoreFailure> {
        if !self.query_one(migration::MIGRATIONS_TABLE_EXISTS).await?.get::<_, bool>(0) {
            return Ok(Vec::new());
        }
        let deadline = StatementDeadline::from_now(self.shared.answer_timeout);
        let rows = self.shared.query(migration::LIST_RECORDED_MIGRATIONS, &[], deadline).await?;
        Ok(rows.iter().map(migration::read_migration_row).collect())
    }

    pub(crate) fn statistics(&self) -> StoreStatistics {
        self.shared.counters.snapshot()
    }

    pub(crate) fn close(&self) {
        self.shared.pool.close();
        if let Some(lanes) = &self.shared.lanes {
            lanes.reset_all_lanes();
        }
    }

    /// Runs a query that returns one row on every server.
    async fn query_one(&self, sql: &str) -> Result<tokio_postgres::Row, StoreFailure> {
        let rows =
            self.shared.query(sql, &[], StatementDeadline::from_now(self.shared.answer_timeout)).await?;
        rows.into_iter().next().ok_or_else(|| StoreFailure::Other("PostgreSQL returned no row".into()))
    }
}

/// Reads the columns of a row, from `from` on.
fn read_row(
    statement: &'static SqlStatement,
    row: &tokio_postgres::Row,
    from: usize,
) -> Result<SqlRow, tokio_postgres::Error> {
    let columns: Result<_, _> = (from..row.len()).map(|column| row.try_get::<_, SqlValue>(column)).collect();
    columns.map(|columns| SqlRow::new(statement, columns))
}

/// Reads the rows of a statement.
fn read_rows(
    statement: &'static SqlStatement,
    result: Result<Vec<tokio_postgres::Row>, StoreFailure>,
) -> Result<Vec<SqlRow>, StoreFailure> {
    let with_statement_name = |failed| match failed {
        StoreFailure::Other(reason) => StoreFailure::Other(format!("{}: {reason}", statement.name())),
        failure => failure,
    };
    let read = |row: &tokio_postgres::Row| read_row(statement, row, 0);
    let rows = result.map_err(with_statement_name)?;
    rows.iter().map(read).collect::<Result<_, _>>().map_err(|error| with_statement_name(to_failure(&error)))
}

impl PostgresState {
    /// Reads on a shared connection.
    async fn read_on_lane(
        &self,
        lanes: &ReadLanePool,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        read_rows(statement, self.query_in(lanes, statement.postgres_text(), parameters, deadline).await)
    }

    /// Reads on a connection of its own.
    async fn read_on_dedicated_connection(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> Result<Vec<SqlRow>, StoreFailure> {
        read_rows(statement, self.query(statement.postgres_text(), parameters, deadline).await)
    }

    /// Takes a connection, if one is free in time.
    async fn client(&self, deadline: StatementDeadline) -> Result<Client, StoreFailure> {
        connect::acquire_connection(&self.pool, deadline).await
    }

    /// Runs a query. A read changes nothing, so if the connection is lost or the prepared statement is stale,
    /// it is retried once on a new connection.
    async fn query(
        &self,
        sql: &str,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> Result<Vec<tokio_postgres::Row>, StoreFailure> {
        let mut first_try = true;
        loop {
            let client = self.client(deadline).await?;
            let query = statement_protocol::query(self.statements, &client, sql, parameters);
            match flatten_timeout(timeout_at(deadline.answer_by(), query).await) {
                Ok(rows) => return Ok(rows),
                Err(CallError::Failed(error))
                    if first_try && (is_stale_statement(&error) || is_connection_lost(&error)) =>
                {
                    drop(client);
                    self.drop_idle();
                    first_try = false;
                }
                Err(CallError::Failed(error)) => return Err(to_failure(&error)),
                Err(CallError::TimedOut) => {
                    drop(Object::take(client));
                    return Err(StoreFailure::Unreachable);
                }
            }
        }
    }

    /// The same for a short read, which shares its connection with others.
    async fn query_in(
        &self,
        lanes: &ReadLanePool,
        sql: &str,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> Result<Vec<tokio_postgres::Row>, StoreFailure> {
        let mut first_try = true;
        loop {
            let lane = lanes.acquire_lane(&self.pool, deadline).await?;
            let query = statement_protocol::query(self.statements, &lane.client, sql, parameters);
            match flatten_timeout(timeout_at(deadline.answer_by(), query).await) {
                Ok(rows) => return Ok(rows),
                Err(CallError::Failed(error))
                    if first_try && (is_stale_statement(&error) || is_connection_lost(&error)) =>
                {
                    self.drop_idle();
                    first_try = false;
                }
                Err(CallError::Failed(error)) => return Err(to_failure(&error)),
                Err(CallError::TimedOut) => {
                    lane.reset();
                    return Err(StoreFailure::Unreachable);
                }
            }
        }
    }

    /// Closes idle connections. If one was lost or had a stale statement, the other idle ones are probably no
    /// better, and the retry must not get one of them.
    fn drop_idle(&self) {
        self.pool.retain(|_, _| false);
        if let Some(lanes) = &self.lanes {
            lanes.reset_all_lanes();
        }
    }
}
