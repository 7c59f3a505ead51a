//! The PostgreSQL database of the baseline server: each workload is one statement, and so one round trip and
//! one durable commit.

use super::database::{BaselineChange, DETAIL, FACT_COUNT, event_id, fact_key};
use crate::failed::BenchError;
use crossbeam_queue::ArrayQueue;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Semaphore;
use tokio_postgres::{Client, NoTls, Statement};

/// The number of connections: the default of Sinete.
const CONNECTIONS: usize = 16;

const SCHEMA: &str = "
    CREATE TABLE facts (key BYTEA PRIMARY KEY, value TEXT NOT NULL, version BIGINT NOT NULL);
    CREATE TABLE events (id BYTEA PRIMARY KEY, at BIGINT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL);";
const EVENT: &str = "INSERT INTO events (id, at, kind, detail) VALUES ($1, $2, 'token.issued', $3)";
const FACT_AND_EVENT: &str = "WITH changed AS (UPDATE facts SET version = version + 1 WHERE key = $4) \
    INSERT INTO events (id, at, kind, detail) VALUES ($1, $2, 'token.issued', $3)";
const NEW_FACT_AND_EVENT: &str = "WITH added AS (INSERT INTO facts (key, value, version) VALUES ($4, $3, 0)) \
    INSERT INTO events (id, at, kind, detail) VALUES ($1, $2, 'token.issued', $3)";
const LOOK_UP: &str = "SELECT value FROM facts WHERE key = $1";

/// The PostgreSQL database of the baseline server.
pub(super) struct PostgresBaseline {
    idle: ArrayQueue<PreparedConnection>,
    permits: Semaphore,
    next_number: AtomicU64,
}

/// A connection with its prepared statements.
struct PreparedConnection {
    client: Client,
    event: Statement,
    fact_and_event: Statement,
    new_fact_and_event: Statement,
    look_up: Statement,
}

impl PostgresBaseline {
    /// Creates the tables in an empty database.
    pub(super) async fn create(url: &str) -> Result<Self, BenchError> {
        let client = connect(url).await?;
        client.batch_execute(SCHEMA).await?;
        let seed = client.prepare("INSERT INTO facts (key, value, version) VALUES ($1, $2, 0)").await?;
        client.batch_execute("BEGIN").await?;
        for number in 0..FACT_COUNT {
            client.execute(&seed, &[&&fact_key(number)[..], &DETAIL]).await?;
        }
        client.batch_execute("COMMIT").await?;
        let idle = ArrayQueue::new(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            // The queue has exactly this capacity, so `push` never fails.
            let _ = idle.push(PreparedConnection::prepare(connect(url).await?).await?);
        }
        Ok(Self { idle, permits: Semaphore::new(CONNECTIONS), next_number: AtomicU64::new(1) })
    }

    /// Makes one change, which is durable when this returns.
    pub(super) async fn apply_change(&self, change: BaselineChange) -> Result<(), BenchError> {
        let turn = self.next_number.fetch_add(1, Ordering::Relaxed);
        let (id, at) = (event_id(turn), turn.cast_signed());
        let (id, fact) = (
            &id[..],
            fact_key(if change == BaselineChange::FactAndEvent {
                turn % FACT_COUNT
            } else {
                FACT_COUNT + turn
            }),
        );
        let _permit = self.permits.acquire().await.map_err(|_| connection_closed())?;
        let prepared = self.idle.pop().ok_or_else(connection_closed)?;
        let result = match change {
            BaselineChange::Event => prepared.client.execute(&prepared.event, &[&id, &at, &DETAIL]).await,
            BaselineChange::FactAndEvent => {
                let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
                    [&id, &at, &DETAIL, &&fact[..]];
                prepared.client.execute(&prepared.fact_and_event, &parameters).await
            }
            BaselineChange::NewFactAndEvent => {
                let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
                    [&id, &at, &DETAIL, &&fact[..]];
                prepared.client.execute(&prepared.new_fact_and_event, &parameters).await
            }
        };
        let _ = self.idle.push(prepared);
        Ok(result.map(drop)?)
    }

    /// Reads one fact by its key.
    pub(super) async fn look_up_fact(&self) -> Result<String, BenchError> {
        let key = fact_key(self.next_number.fetch_add(1, Ordering::Relaxed) % FACT_COUNT);
        let _permit = self.permits.acquire().await.map_err(|_| connection_closed())?;
        let prepared = self.idle.pop().ok_or_else(connection_closed)?;
        let result = prepared.client.query_one(&prepared.look_up, &[&&key[..]]).await;
        let _ = self.idle.push(prepared);
        Ok(result?.try_get(0)?)
    }
}

impl PreparedConnection {
    async fn prepare(client: Client) -> Result<Self, BenchError> {
        Ok(Self {
            event: client.prepare(EVENT).await?,
            fact_and_event: client.prepare(FACT_AND_EVENT).await?,
            new_fact_and_event: client.prepare(NEW_FACT_AND_EVENT).await?,
            look_up: client.prepare(LOOK_UP).await?,
            client,
        })
    }
}

fn connection_closed() -> BenchError {
    BenchError::Database("the connections are closed".to_owned())
}

async fn connect(url: &str) -> Result<Client, BenchError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
