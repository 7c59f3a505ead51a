//! What a security event costs to insert when nothing but SQL is between us and the disk.
//!
//! The rows are those the store writes; a test compares them. On SQLite a lone writer commits in place, several
//! share the floor's group writer. On PostgreSQL each commit is one pipelined transaction.

use crate::failed::Failed;
use crate::floor::group_writer::{GroupWriter, commit, open_durable};
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

/// Connections to PostgreSQL: as many as the store opens.
const POSTGRES_CONNECTIONS: usize = 16;

const INSERT_EVENT: &str = "INSERT INTO security_log (id, at, kind, actor_kind, actor_id, subject_kind, \
     subject_id, organization_id, client_id, request_id, detail, personal_hash) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
const INSERT_PERSONAL: &str = "INSERT INTO security_log_personal (event_id, salt, address, user_agent) \
     VALUES (?1, ?2, ?3, ?4)";

const KIND: &str = "refresh_token.rotated";
const ACTOR_KIND: &str = "membership";
const SUBJECT_KIND: &str = "family";
const SOME_ID: &str = "0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6a";
const DETAIL: &str = r#"{"scope":"invoices:read invoices:write"}"#;
const ADDRESS: &str = "192.0.2.44";
/// A user agent as browsers send it.
pub const USER_AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36";

/// A database reached without the store.
pub enum Plain {
    /// A lone writer on SQLite: `BEGIN IMMEDIATE`, the inserts, `COMMIT`, on the calling thread.
    Alone(Mutex<Connection>),
    /// Several writers on SQLite: one thread commits for all of them.
    Grouped(GroupWriter<u64>),
    /// PostgreSQL, one transaction each.
    Postgres {
        /// The connections, each used by one writer at a time.
        pool: Vec<tokio::sync::Mutex<Prepared>>,
        /// Whose turn it is.
        turn: AtomicU64,
    },
}

/// A connection to PostgreSQL with its statements prepared.
pub struct Prepared {
    client: Client,
    event: Statement,
    personal: Statement,
}

impl Plain {
    /// Opens a SQLite file whose schema is there already.
    pub fn sqlite(file: &Path, writers: usize) -> Result<Self, Failed> {
        let connection = open_durable(file)?;
        if writers == 1 {
            return Ok(Self::Alone(Mutex::new(connection)));
        }
        Ok(Self::Grouped(GroupWriter::start(connection, |connection, number| insert(connection, *number))?))
    }

    /// Connects to a PostgreSQL database whose schema is there already.
    pub async fn postgres(url: &str, writers: usize) -> Result<Self, Failed> {
        let mut pool = Vec::new();
        for _ in 0..writers.min(POSTGRES_CONNECTIONS) {
            pool.push(tokio::sync::Mutex::new(Prepared::connect(url).await?));
        }
        Ok(Self::Postgres { pool, turn: AtomicU64::new(0) })
    }

    /// Commits one event; it is durable when this returns.
    pub async fn commit(&self, number: u64) -> Result<(), Failed> {
        match self {
            Self::Alone(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(commit(&connection, |connection| insert(connection, number))?)
            }
            Self::Grouped(writer) => writer.change(number).await,
            Self::Postgres { pool, turn } => {
                let turn = turn.fetch_add(1, Ordering::Relaxed) as usize % pool.len();
                Ok(pool[turn].lock().await.commit(number).await?)
            }
        }
    }
}

impl Prepared {
    async fn connect(url: &str) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("connection to PostgreSQL lost: {error}");
            }
        });
        let event = client.prepare(&INSERT_EVENT.replace('?', "$")).await?;
        let personal = client.prepare(&INSERT_PERSONAL.replace('?', "$")).await?;
        Ok(Self { client, event, personal })
    }

    /// Everything is sent before anything is waited for.
    async fn commit(&self, number: u64) -> Result<(), tokio_postgres::Error> {
        let row = Row::new(number);
        let (id, hash, salt) = (&row.id[..], &row.hash[..], &row.salt[..]);
        let event: [&(dyn ToSql + Sync); 12] = [
            &id,
            &row.at,
            &KIND,
            &ACTOR_KIND,
            &SOME_ID,
            &SUBJECT_KIND,
            &row.subject,
            &id,
            &SOME_ID,
            &id,
            &DETAIL,
            &hash,
        ];
        let personal: [&(dyn ToSql + Sync); 4] = [&id, &salt, &ADDRESS, &USER_AGENT];
        let (begun, event, personal, done) = tokio::join!(
            biased;
            self.client.batch_execute("BEGIN"),
            self.client.execute(&self.event, &event),
            self.client.execute(&self.personal, &personal),
            self.client.batch_execute("COMMIT"),
        );
        begun.and(event).and(personal).and(done)
    }
}

/// The values that differ from event to event.
struct Row {
    id: [u8; 16],
    at: i64,
    subject: String,
    hash: [u8; 32],
    salt: [u8; 16],
}

impl Row {
    /// Ids and times grow as they do in the real log; hashes are scattered as they are there.
    fn new(number: u64) -> Self {
        let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
        let (mut id, mut hash) = ([7; 16], [7; 32]);
        id[..8].copy_from_slice(&number.to_be_bytes());
        hash[..8].copy_from_slice(&scattered);
        let mut salt = [7; 16];
        salt[..8].copy_from_slice(&scattered);
        let subject = format!("0197a3f2-58d0-7c41-9a55-{number:012x}");
        Self { id, at: 1_794_711_123_000_000 + number.cast_signed(), subject, hash, salt }
    }
}

fn insert(connection: &Connection, number: u64) -> rusqlite::Result<()> {
    let row = Row::new(number);
    connection.prepare_cached(INSERT_EVENT)?.execute(params![
        row.id,
        row.at,
        KIND,
        ACTOR_KIND,
        SOME_ID,
        SUBJECT_KIND,
        row.subject,
        row.id,
        SOME_ID,
        row.id,
        DETAIL,
        row.hash,
    ])?;
    connection.prepare_cached(INSERT_PERSONAL)?.execute(params![row.id, row.salt, ADDRESS, USER_AGENT])?;
    Ok(())
}
