//! A small test table, and statements that use it.

use super::database::Database;
use crate::migrate::{MigrationList, apply_migrations};
use crate::write_batch::GuardedStatement;
use crate::{
    DatabaseAddress, SqlStatement, SqlValue, Store, StoreAccess, StoreFailure, StoreOptions, WriteBatch,
};
use sinete_core::time::{Lifetime, Timestamp};

pub const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

/// A table with each kind of column, a key, a parent and a constraint.
pub const PROBE: MigrationList = &[(
    1,
    "probe",
    "CREATE TABLE parents (id BIGINT PRIMARY KEY NOT NULL);
     CREATE TABLE probe (
         id     BIGINT PRIMARY KEY NOT NULL,
         number BIGINT CHECK (number <> 666666),
         words  TEXT,
         bytes  BYTEA,
         parent BIGINT REFERENCES parents (id)
     );",
)];

pub static PUT: SqlStatement =
    SqlStatement::new("probe.put", "INSERT INTO probe (id, number, words, bytes) VALUES (?1, ?2, ?3, ?4)");
pub static PUT_UNDER: SqlStatement =
    SqlStatement::new("probe.put_under", "INSERT INTO probe (id, parent) VALUES (?1, ?2)");
pub static PUT_IF_PARENT: SqlStatement = SqlStatement::one_row(
    "probe.put_if_parent",
    "INSERT INTO probe (id, number, words) SELECT ?1, p.id, ?3 FROM parents p WHERE p.id = ?2",
);
pub static SPEND: SqlStatement = SqlStatement::single_use(
    "probe.spend",
    "UPDATE probe SET words = 'spent' WHERE id = ?1 AND words IS NULL",
);
pub static COUNT_UP: SqlStatement =
    SqlStatement::new("probe.count_up", "UPDATE probe SET number = number + 1 WHERE id <= ?1");
pub static GET: SqlStatement =
    SqlStatement::new("probe.get", "SELECT number, words, bytes FROM probe WHERE id = ?1");
pub static ASK: SqlStatement = SqlStatement::batched_read(
    "probe.ask",
    "SELECT id, number, words, bytes FROM probe WHERE id > ?1 AND id <= COALESCE(?2, 1000000) AND words IS DISTINCT FROM ?3 \
     ORDER BY id DESC LIMIT 3",
);
pub static ALL: SqlStatement = SqlStatement::new("probe.all", "SELECT id, number FROM probe ORDER BY id");

/// A store with the table, opened like a server's.
pub async fn open(database: &Database) -> Store {
    let store = connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    apply_migrations(&store, PROBE, NOW, &mut |_| {}).await.unwrap();
    store
}

/// A store on the existing database.
pub async fn connect(database: &Database, options: &StoreOptions) -> Result<Store, StoreFailure> {
    let address: DatabaseAddress = database.url().parse().unwrap();
    Store::open(&address, options).await
}

/// Store options with a long timeout, because busy machines are slow.
pub fn patient(access: StoreAccess) -> StoreOptions {
    StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(access) }
}

/// Store options with a timeout that a test can wait for, and that a busy machine needs to connect.
pub fn impatient(access: StoreAccess) -> StoreOptions {
    StoreOptions { answer_max: Lifetime::from_seconds(4), ..StoreOptions::new(access) }
}

/// Inserts a row with a number.
pub fn put(id: i64, number: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&PUT, [id.into(), number.into(), SqlValue::Null, SqlValue::Null])
}

/// Inserts a row with the number of a parent, if there is this parent.
pub fn put_if_parent(id: i64, parent: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&PUT_IF_PARENT, [id.into(), parent.into(), SqlValue::Null])
}

/// Marks a row as used, once.
pub fn spend(id: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&SPEND, [id.into()])
}

/// A batch of these statements.
pub fn act(steps: impl IntoIterator<Item = GuardedStatement>) -> WriteBatch {
    WriteBatch::new().with_statements(steps)
}

/// Commits a batch that must succeed.
pub async fn commit(store: &Store, steps: impl IntoIterator<Item = GuardedStatement>) {
    store.commit(act(steps)).await.unwrap().into_result().unwrap();
}

/// The ids in the table with their numbers.
pub async fn rows(store: &Store) -> Vec<(i64, Option<i64>)> {
    let rows = store.read_all(&ALL, &[]).await.unwrap();
    rows.iter().map(|row| (row.integer("id").unwrap(), row.optional_integer("number").unwrap())).collect()
}
