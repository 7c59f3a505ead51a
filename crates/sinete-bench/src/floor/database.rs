//! The SQLite database of the baseline server: only what each workload must write and read.
//!
//! It deliberately shares no code with the store it is compared with. Keys come from a counter, so that
//! requests need not carry them.

use super::group_writer::{GroupWriter, open_durable};
use crate::failed::BenchError;
use crossbeam_queue::ArrayQueue;
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of rows to look up and change.
pub(super) const FACT_COUNT: u64 = 10_000;
/// The number of read connections.
const READERS: usize = 8;

const SCHEMA: &str = "
    CREATE TABLE facts (key BLOB PRIMARY KEY, value TEXT NOT NULL, version BIGINT NOT NULL) WITHOUT ROWID;
    CREATE TABLE events (id BLOB PRIMARY KEY, at BIGINT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL);";
pub(super) const DETAIL: &str =
    r#"{"client":"0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6b","scope":"invoices:read"}"#;

/// A change made by a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineChange {
    /// Inserts an event.
    Event,
    /// Updates a fact and inserts an event, like rotating a token or redeeming a code.
    FactAndEvent,
    /// Inserts a fact and an event, like issuing a code.
    NewFactAndEvent,
}

/// The SQLite database of the baseline server.
pub struct SqliteBaseline {
    writer: GroupWriter<BaselineChange>,
    readers: ArrayQueue<Connection>,
    lookup_count: AtomicU64,
}

impl SqliteBaseline {
    /// Creates a database in an empty folder and starts its writer.
    pub fn create(folder: &Path) -> Result<Self, BenchError> {
        let file = folder.join("floor.sqlite");
        let mut writer = open_durable(&file)?;
        writer.execute_batch(SCHEMA)?;
        seed_facts(&mut writer)?;
        let readers = ArrayQueue::new(READERS);
        for _ in 0..READERS {
            let reader = open_durable(&file)?;
            reader.pragma_update(None, "query_only", true)?;
            // The queue has exactly this capacity, so `push` never fails.
            let _ = readers.push(reader);
        }
        let mut turn = 0;
        let writer = GroupWriter::start(writer, move |connection, change| {
            turn += 1;
            apply_change(connection, *change, turn)
        })?;
        Ok(Self { writer, readers, lookup_count: AtomicU64::new(0) })
    }

    /// Makes one change, which is durable when this returns.
    pub async fn apply_change(&self, change: BaselineChange) -> Result<(), BenchError> {
        self.writer.apply_change(change).await
    }

    /// Reads a fact by its key. Synchronous: nothing is awaited while a connection is in use.
    pub fn look_up_fact(&self) -> Result<String, BenchError> {
        let key = fact_key(self.lookup_count.fetch_add(1, Ordering::Relaxed) % FACT_COUNT);
        let reader =
            self.readers.pop().ok_or_else(|| BenchError::Database("every reader is in use".to_owned()))?;
        let result = reader
            .prepare_cached("SELECT value FROM facts WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([&key[..]], |row| row.get(0)));
        let _ = self.readers.push(reader);
        Ok(result?)
    }
}

fn seed_facts(writer: &mut Connection) -> Result<(), BenchError> {
    let transaction = writer.transaction()?;
    for number in 0..FACT_COUNT {
        transaction
            .prepare_cached("INSERT INTO facts (key, value, version) VALUES (?1, ?2, 0)")?
            .execute(params![&fact_key(number)[..], DETAIL])?;
    }
    transaction.commit()?;
    Ok(())
}

fn apply_change(writer: &Connection, change: BaselineChange, turn: u64) -> rusqlite::Result<()> {
    match change {
        BaselineChange::Event => {}
        BaselineChange::FactAndEvent => {
            writer
                .prepare_cached("UPDATE facts SET version = version + 1 WHERE key = ?1")?
                .execute([&fact_key(turn % FACT_COUNT)[..]])?;
        }
        BaselineChange::NewFactAndEvent => {
            writer
                .prepare_cached("INSERT INTO facts (key, value, version) VALUES (?1, ?2, 0)")?
                .execute(params![&fact_key(FACT_COUNT + turn)[..], DETAIL])?;
        }
    }
    writer
        .prepare_cached("INSERT INTO events (id, at, kind, detail) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![&event_id(turn)[..], turn.cast_signed(), "token.issued", DETAIL])?;
    Ok(())
}

/// A key like the digest of a secret: 32 bytes, scattered over the whole index.
pub(super) fn fact_key(number: u64) -> [u8; 32] {
    let mut key = [0; 32];
    // Multiplying by an odd number gives every number a distinct scattered prefix.
    let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    key[..8].copy_from_slice(&scattered.to_be_bytes());
    key[24..].copy_from_slice(&number.to_be_bytes());
    key
}

/// An id like that of an event: 16 bytes, increasing with time.
pub(super) fn event_id(number: u64) -> [u8; 16] {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.to_be_bytes());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(folder: &Path, table: &str) -> i64 {
        let connection = Connection::open(folder.join("floor.sqlite")).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn baseline_change_writes_what_its_workload_writes() {
        let folder = tempfile::tempdir().unwrap();
        let database = SqliteBaseline::create(folder.path()).unwrap();
        assert_eq!(database.look_up_fact().unwrap(), DETAIL);
        for change in [BaselineChange::Event, BaselineChange::FactAndEvent, BaselineChange::NewFactAndEvent] {
            database.apply_change(change).await.unwrap();
        }
        assert_eq!(count(folder.path(), "events"), 3);
        assert_eq!(count(folder.path(), "facts"), FACT_COUNT as i64 + 1);
        assert_eq!(count(folder.path(), "facts WHERE version = 1"), 1);
    }

    #[tokio::test]
    async fn baseline_commit_failure_is_returned_and_rolled_back() {
        let folder = tempfile::tempdir().unwrap();
        let database = SqliteBaseline::create(folder.path()).unwrap();
        let other = Connection::open(folder.path().join("floor.sqlite")).unwrap();
        other
            .execute_batch("CREATE TRIGGER no BEFORE INSERT ON events BEGIN SELECT RAISE(FAIL, 'no'); END")
            .unwrap();
        let failed = database.apply_change(BaselineChange::NewFactAndEvent).await.unwrap_err();
        assert_eq!(failed.to_string(), "database: no");
        assert_eq!(count(folder.path(), "facts"), FACT_COUNT as i64);
        other.execute_batch("DROP TRIGGER no").unwrap();
        database.apply_change(BaselineChange::NewFactAndEvent).await.unwrap();
        assert_eq!(count(folder.path(), "events"), 1);
    }
}
