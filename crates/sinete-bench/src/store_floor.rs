//! The baseline for the store: inserting a security event with plain SQL.
//!
//! The rows are the same as the store's; a test compares them. On SQLite a single writer commits on its own
//! thread, several share the group writer. On PostgreSQL each commit is one statement, which is its own
//! transaction.

use crate::failed::BenchError;
use crate::floor::group_writer::{GroupWriter, commit, open_durable};
use rusqlite::{Connection, params};
use sinete_core::entropy::{DangerouslySeededEntropy, draw_bytes};
use sinete_core::id::{EventId, GrantId, RequestId};
use sinete_core::time::Timestamp;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

/// The number of PostgreSQL connections, as in the store.
const POSTGRES_CONNECTIONS: usize = 16;

const INSERT_EVENT: &str = "INSERT INTO security_log (id, at, kind, actor_kind, actor_id, subject_kind, \
     subject_id, organization_id, client_id, request_id, detail, personal_hash, salt, address, user_agent) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

const KIND: &str = "refresh_token.rotated";
const ACTOR_KIND: &str = "membership";
const SUBJECT_KIND: &str = "grant";
const SAMPLE_ID: &str = "0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6a";
const ORGANIZATION: [u8; 16] = [8; 16];
const DETAIL: &str = r#"{"scope":"invoices:read invoices:write"}"#;
const ADDRESS: &str = "192.0.2.44";
/// A typical browser user agent.
pub const USER_AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36";

/// A database without the store.
pub enum PlainSqlDatabase {
    /// A single writer on SQLite: `BEGIN IMMEDIATE`, the insert, `COMMIT`, on the calling thread.
    SingleWriter(Mutex<Connection>),
    /// Several writers on SQLite: one thread commits for all.
    GroupCommit(GroupWriter<Timestamp>),
    /// PostgreSQL, one transaction per event.
    Postgres {
        /// The connections, each used by one writer at a time.
        pool: Vec<tokio::sync::Mutex<PreparedInsert>>,
        /// The index of the next connection.
        next_index: AtomicU64,
    },
}

/// A PostgreSQL connection with its prepared statement.
pub struct PreparedInsert {
    client: Client,
    event: Statement,
}

impl PlainSqlDatabase {
    /// Opens a SQLite file with an existing schema.
    pub fn sqlite(file: &Path, writers: usize) -> Result<Self, BenchError> {
        let connection = open_durable(file)?;
        if writers == 1 {
            return Ok(Self::SingleWriter(Mutex::new(connection)));
        }
        Ok(Self::GroupCommit(GroupWriter::start(connection, |connection, now| {
            insert_event(connection, *now)
        })?))
    }

    /// Connects to a PostgreSQL database with an existing schema.
    pub async fn postgres(url: &str, writers: usize) -> Result<Self, BenchError> {
        let mut pool = Vec::new();
        for _ in 0..writers.min(POSTGRES_CONNECTIONS) {
            pool.push(tokio::sync::Mutex::new(PreparedInsert::connect(url).await?));
        }
        Ok(Self::Postgres { pool, next_index: AtomicU64::new(0) })
    }

    /// Commits one event; it is durable when this returns.
    pub async fn commit(&self, now: Timestamp) -> Result<(), BenchError> {
        match self {
            Self::SingleWriter(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(commit(&connection, |connection| insert_event(connection, now))?)
            }
            Self::GroupCommit(writer) => writer.apply_change(now).await,
            Self::Postgres { pool, next_index: turn } => {
                let turn = turn.fetch_add(1, Ordering::Relaxed) as usize % pool.len();
                Ok(pool[turn].lock().await.commit(now).await?)
            }
        }
    }
}

impl PreparedInsert {
    async fn connect(url: &str) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("connection to PostgreSQL lost: {error}");
            }
        });
        let event = client.prepare(&INSERT_EVENT.replace('?', "$")).await?;
        Ok(Self { client, event })
    }

    async fn commit(&self, now: Timestamp) -> Result<(), tokio_postgres::Error> {
        let row = EventRow::new(now);
        let (id, hash, salt) = (&row.id.as_bytes()[..], &row.hash[..], &row.salt[..]);
        let (organization, request) = (&ORGANIZATION[..], &row.request.as_bytes()[..]);
        let event: [&(dyn ToSql + Sync); 15] = [
            &id,
            &row.at,
            &KIND,
            &ACTOR_KIND,
            &SAMPLE_ID,
            &SUBJECT_KIND,
            &row.subject,
            &organization,
            &SAMPLE_ID,
            &request,
            &DETAIL,
            &hash,
            &salt,
            &ADDRESS,
            &USER_AGENT,
        ];
        self.client.execute(&self.event, &event).await.map(drop)
    }
}

/// The values that differ between events: generated ids and scattered hashes as in the real log, because the
/// position of a row in its indexes affects its cost.
struct EventRow {
    id: EventId,
    at: i64,
    subject: String,
    request: RequestId,
    hash: [u8; 32],
    salt: [u8; 16],
}

impl EventRow {
    fn new(now: Timestamp) -> Self {
        let entropy = &ENTROPY;
        Self {
            id: EventId::mint(now, entropy),
            at: now.micros(),
            subject: GrantId::mint(now, entropy).to_string(),
            request: RequestId::mint(now, entropy),
            hash: draw_bytes(entropy),
            salt: draw_bytes(entropy),
        }
    }
}

/// A generator without security.
static ENTROPY: DangerouslySeededEntropy = DangerouslySeededEntropy::new(11);

fn insert_event(connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let row = EventRow::new(now);
    connection.prepare_cached(INSERT_EVENT)?.execute(params![
        row.id.as_bytes(),
        row.at,
        KIND,
        ACTOR_KIND,
        SAMPLE_ID,
        SUBJECT_KIND,
        row.subject,
        ORGANIZATION,
        SAMPLE_ID,
        row.request.as_bytes(),
        DETAIL,
        row.hash,
        row.salt,
        ADDRESS,
        USER_AGENT,
    ])?;
    Ok(())
}
