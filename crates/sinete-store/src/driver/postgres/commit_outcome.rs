//! Determines the outcome of a commit whose response was lost, on another connection, before reporting a
//! failure.
//!
//! A connection that stalls or breaks during a commit does not tell how far the server got. Its server
//! process is terminated first, so that what it has not committed by then is never committed. After that, the
//! security event that only this batch writes tells whether it was committed, and a later write in the log
//! whether that is as durable as every other commit
//! (docs/contribute/decisions/0238-postgresql-commits-with-unknown-outcome.md).

use super::{PostgresState, statement_protocol};
use crate::driver::deadline::{CallError, flatten_timeout};
use crate::driver::outcome_statements::{COUNT_WRITE_CHECK, EVENT_EXISTS};
use crate::value::SqlValue;
use crate::write_batch::WriteBatch;
use deadpool_postgres::{Client, ClientWrapper, Hook, Object, StatementCache};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_postgres::Error;

/// How many times longer than the usual patience an outcome is looked up. A request may take five times as
/// long as the database is given, so this fits after a commit that timed out.
pub(super) const OUTCOME_TIMEOUT_FACTOR: u32 = 2;
/// Delay between two lookup attempts.
const OUTCOME_RETRY_DELAY: Duration = Duration::from_millis(50);
/// How long the server waits for one of its processes to terminate, in milliseconds.
const TERMINATION_WAIT_MILLIS: i64 = 500;

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    /// The batch is durable.
    Committed,
    /// Nothing of the batch happened or ever will.
    NotCommitted,
    /// The server could not be queried in time, or the batch writes nothing to look for.
    Unknown,
}

/// A server process. Process ids are reused, so the start time identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ServerProcess {
    process: i32,
    started_at: i64,
}

/// The server process of each pooled connection. A connection is identified by its statement cache, which it
/// owns for its whole lifetime.
#[derive(Clone, Default)]
pub(super) struct ServerProcessList(Arc<Mutex<BackendRegistry>>);

#[derive(Default)]
struct BackendRegistry {
    processes: Vec<KnownServerProcess>,
    /// Processes whose connection was closed during a lookup. One that waits for a standby does not notice
    /// that, and would stay for as long as the standby is away.
    abandoned: Vec<ServerProcess>,
}

struct KnownServerProcess {
    connection: Weak<StatementCache>,
    process: ServerProcess,
}

impl ServerProcessList {
    /// Reads the server process of each new pooled connection.
    pub(super) fn connection_hook(&self, time_limit: Duration) -> Hook {
        let backends = self.clone();
        Hook::async_fn(move |client, _| {
            let backends = backends.clone();
            Box::pin(async move {
                // Without it the connection still works; only its commits cannot be looked up.
                match flatten_timeout(timeout(time_limit, read_server_process(client)).await) {
                    Ok(backend) => backends.record_process(client, backend),
                    Err(CallError::Failed(error)) => {
                        tracing::warn!(%error, "the server process of a connection could not be read")
                    }
                    Err(CallError::TimedOut) => {
                        tracing::warn!("the server process of a connection could not be read in time")
                    }
                }
                Ok(())
            })
        })
    }

    /// The server process of the connection with this cache.
    pub(super) fn find_process(&self, connection: &Arc<StatementCache>) -> Option<ServerProcess> {
        let connection = Arc::as_ptr(connection);
        let registry = self.lock_registry();
        registry
            .processes
            .iter()
            .find(|server_process| server_process.connection.as_ptr() == connection)
            .map(|server_process| server_process.process)
    }

    /// Lets the next lookup terminate the process of this connection.
    fn abandon(&self, connection: &Arc<StatementCache>) {
        if let Some(backend) = self.find_process(connection) {
            self.lock_registry().abandoned.push(backend);
        }
    }

    fn next_abandoned(&self) -> Option<ServerProcess> {
        self.lock_registry().abandoned.pop()
    }

    fn record_process(&self, client: &ClientWrapper, backend: ServerProcess) {
        let connection = Arc::downgrade(&client.statement_cache);
        let mut registry = self.lock_registry();
        registry.processes.retain(|server_process| server_process.connection.strong_count() > 0);
        registry.processes.push(KnownServerProcess { connection, process: backend });
    }

    fn lock_registry(&self) -> MutexGuard<'_, BackendRegistry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The start time of a process as a number that compares exactly.
macro_rules! started_at {
    () => {
        "(extract(epoch FROM backend_start) * 1000000)::bigint"
    };
}

const FIND_SERVER_PROCESS: &str =
    concat!("SELECT pid, ", started_at!(), " FROM pg_stat_activity WHERE pid = pg_backend_pid()");
/// Terminates the process and waits for its end. No row means that it has ended already.
const TERMINATE_SERVER_PROCESS: &str = concat!(
    "SELECT pg_terminate_backend(pid, $3) FROM pg_stat_activity WHERE pid = $1 AND ",
    started_at!(),
    " = $2"
);

async fn read_server_process(client: &ClientWrapper) -> Result<ServerProcess, Error> {
    let row = client.query_one(FIND_SERVER_PROCESS, &[]).await?;
    Ok(ServerProcess { process: row.try_get(0)?, started_at: row.try_get(1)? })
}

/// Looks up the outcome of a batch that was sent to this server process. If the process is not known, as behind a
/// pooler that lends it for one transaction, the event of the batch tells that it was committed, and its absence
/// tells nothing: the batch may still be on its way.
pub(super) async fn look_up_outcome(
    state: &PostgresState,
    backend: Option<ServerProcess>,
    batch: &WriteBatch,
    time_limit: Duration,
) -> CommitOutcome {
    let Some(event) = batch.recorded_event_id() else { return CommitOutcome::Unknown };
    let lookup = async {
        loop {
            match try_look_up_outcome(state, backend, event).await {
                Some(outcome) => break outcome,
                None => sleep(OUTCOME_RETRY_DELAY).await,
            }
        }
    };
    timeout(time_limit, lookup).await.unwrap_or(CommitOutcome::Unknown)
}

/// The outcome, if the server can be queried now and the process has ended.
async fn try_look_up_outcome(
    state: &PostgresState,
    backend: Option<ServerProcess>,
    event: &SqlValue,
) -> Option<CommitOutcome> {
    let backends = &state.server_processes;
    let mut server_process = LentServerProcess { client: Some(state.pool.get().await.ok()?), backends };
    let outcome = match server_process.client.as_ref() {
        Some(client) => terminate_and_read(client, state, backend, event).await,
        None => return None,
    };
    match outcome {
        Ok(outcome) => {
            // It responded, so it goes back to the pool.
            drop(server_process.client.take());
            outcome
        }
        Err(error) => {
            tracing::warn!(%error, "the outcome of a write batch could not be looked up yet");
            None
        }
    }
}

async fn terminate_and_read(
    client: &Client,
    state: &PostgresState,
    backend: Option<ServerProcess>,
    event: &SqlValue,
) -> Result<Option<CommitOutcome>, Error> {
    while let Some(abandoned) = state.server_processes.next_abandoned() {
        terminate_process(client, abandoned).await?;
    }
    if let Some(backend) = backend
        && !terminate_process(client, backend).await?
    {
        return Ok(None);
    }
    let mode = state.statements;
    let exists = EVENT_EXISTS.postgres_text();
    if statement_protocol::query(mode, client, exists, std::slice::from_ref(event)).await?.is_empty() {
        return Ok(backend.map(|_| CommitOutcome::NotCommitted));
    }
    // A process that is terminated while it waits for a synchronous standby leaves a commit that is visible
    // here and that no standby may have. A later commit is acknowledged once the standbys have both, because
    // they receive the log in order.
    let check = COUNT_WRITE_CHECK.postgres_text();
    statement_protocol::prepare(mode, client, check).await?.execute(client, &[]).await?;
    Ok(Some(CommitOutcome::Committed))
}

/// Terminates the process; returns whether it has ended.
async fn terminate_process(client: &Client, backend: ServerProcess) -> Result<bool, Error> {
    let end = client.prepare_cached(TERMINATE_SERVER_PROCESS).await?;
    let rows = client.query(&end, &[&backend.process, &backend.started_at, &TERMINATION_WAIT_MILLIS]).await?;
    for row in &rows {
        if !row.try_get::<_, bool>(0)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A connection that is closed unless it is returned: one that stalled must not be reused.
struct LentServerProcess<'a> {
    client: Option<Client>,
    backends: &'a ServerProcessList,
}

impl Drop for LentServerProcess<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.backends.abandon(&client.statement_cache);
            drop(Object::take(client));
        }
    }
}
