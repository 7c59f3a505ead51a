//! What a PostgreSQL server has done, from its own statistics and from Linux' `/proc`.

use crate::failed::BenchError;
use crate::process::MeasuredProcess;
use std::time::Duration;
use tokio_postgres::{Client, Row};

/// Counters of a server at one moment. Only the difference between two of them has a meaning.
#[derive(Clone, Copy, Debug)]
pub struct PostgresUsage {
    /// The CPU time of all its processes, if it runs on this machine.
    cpu: Option<Duration>,
    /// Bytes written to the write-ahead log.
    wal_bytes: i64,
    /// Counters of the statements of one database, if the server has `pg_stat_statements`.
    statements: Option<StatementCounters>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StatementCounters {
    calls: i64,
    plans: i64,
    rows: i64,
    buffers: i64,
}

/// What several rounds took together.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostgresCost {
    /// CPU time of the server.
    pub cpu: Option<Duration>,
    /// Statements that were executed. `BEGIN` and `COMMIT` count too.
    pub statements: Option<i64>,
    /// Statements that were planned.
    pub plans: Option<i64>,
    /// Rows that were returned or changed.
    pub rows: Option<i64>,
    /// Pages that were looked at, in memory or on disk.
    pub buffers: Option<i64>,
    /// Bytes written to the write-ahead log.
    pub wal_bytes: i64,
}

const WAL_BYTES: &str =
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, pg_backend_pid()";
const STATEMENTS: &str = "SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(plans), 0)::bigint, \
    coalesce(sum(rows), 0)::bigint, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint \
    FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = $1 AND toplevel";

impl PostgresUsage {
    /// Reads the counters of a database over a connection to another one.
    pub(crate) async fn read(cluster: &Client, database: &str) -> Result<Self, BenchError> {
        let row = cluster.query_one(WAL_BYTES, &[]).await?;
        let backend_pid = u32::try_from(row.try_get::<_, i32>(1)?).ok();
        let postmaster = backend_pid.and_then(|id| MeasuredProcess { id }.parent());
        // Without the extension, or if it is not loaded, statements are not counted.
        let prepared = cluster.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements").await;
        let statement_row = match prepared {
            Ok(()) => cluster.query_one(STATEMENTS, &[&database]).await.ok(),
            Err(_) => None,
        };
        Ok(Self {
            cpu: postmaster.and_then(|postmaster| postmaster.cpu_time_of_family().ok()),
            wal_bytes: row.try_get(0)?,
            statements: statement_row.map(|row| StatementCounters::from_row(&row)).transpose()?,
        })
    }

    /// What was done since an earlier reading.
    pub(crate) fn since(&self, before: &Self) -> PostgresCost {
        let statement_counters = self.statements.zip(before.statements);
        let difference =
            |of: fn(&StatementCounters) -> i64| statement_counters.map(|(now, then)| of(&now) - of(&then));
        PostgresCost {
            cpu: self.cpu.zip(before.cpu).map(|(now, then)| now.saturating_sub(then)),
            statements: difference(|counters| counters.calls),
            plans: difference(|counters| counters.plans),
            rows: difference(|counters| counters.rows),
            buffers: difference(|counters| counters.buffers),
            wal_bytes: self.wal_bytes - before.wal_bytes,
        }
    }
}

impl StatementCounters {
    fn from_row(row: &Row) -> Result<Self, BenchError> {
        Ok(Self {
            calls: row.try_get(0)?,
            plans: row.try_get(1)?,
            rows: row.try_get(2)?,
            buffers: row.try_get(3)?,
        })
    }
}

impl PostgresCost {
    /// The sum of several rounds. A figure that one of them lacks is lacking.
    pub(crate) fn sum(rounds: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> Option<i64>| rounds.iter().map(of).sum::<Option<i64>>();
        Self {
            cpu: rounds.iter().map(|round| round.cpu).sum(),
            statements: sum(|round| round.statements),
            plans: sum(|round| round.plans),
            rows: sum(|round| round.rows),
            buffers: sum(|round| round.buffers),
            wal_bytes: rounds.iter().map(|round| round.wal_bytes).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_cost_is_the_difference_of_two_readings() {
        let reading = |seconds, calls, wal_bytes| PostgresUsage {
            cpu: Some(Duration::from_secs(seconds)),
            wal_bytes,
            statements: Some(StatementCounters { calls, plans: 1, rows: calls * 2, buffers: calls * 10 }),
        };
        let cost = reading(5, 30, 4_000).since(&reading(2, 10, 1_000));
        assert_eq!(
            (cost.cpu, cost.statements, cost.plans),
            (Some(Duration::from_secs(3)), Some(20), Some(0))
        );
        assert_eq!((cost.rows, cost.buffers, cost.wal_bytes), (Some(40), Some(200), 3_000));
        let twice = PostgresCost::sum(&[cost, cost]);
        assert_eq!((twice.statements, twice.wal_bytes), (Some(40), 6_000));
    }

    #[test]
    fn postgres_cost_without_statistics_is_absent_and_not_zero() {
        let blind = PostgresUsage { cpu: None, wal_bytes: 7, statements: None };
        let cost = PostgresCost::sum(&[blind.since(&blind), PostgresCost::default()]);
        assert_eq!((cost.cpu, cost.statements, cost.buffers, cost.wal_bytes), (None, None, None, 0));
    }
}
