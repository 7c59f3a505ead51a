//! The check of writes: one small write, and a large one after a write found no space.

use super::both_engines;
use super::database::Database;
use super::disk::SmallDisk;
use super::probe::{NOW, act, connect, patient};
use crate::driver::outcome_statements::COUNT_WRITE_CHECK;
use crate::write_batch::GuardedStatement;
use crate::write_check::check_writes;
use crate::{SqlStatement, Store, StoreAccess, StoreFailure, migrate};
use std::sync::{Arc, Mutex};

both_engines!(
    write_check_finds_a_full_disk_that_small_writes_do_not_notice,
    write_check_is_small_unless_a_write_found_no_space
);

static PUT_LARGE: SqlStatement = SqlStatement::new(
    "probe.put_large",
    "INSERT INTO idempotency_keys (caller, key_digest, request_digest, made, created_at, expires_at) \
     VALUES ('probe', ?1, ?2, '', 0, 0)",
);
static REMOVE_MISSING: SqlStatement =
    SqlStatement::new("probe.remove_missing", "DELETE FROM idempotency_keys WHERE caller = 'missing'");
static COUNT_ROWS: SqlStatement = SqlStatement::new(
    "probe.count_rows",
    "SELECT caller, count(*) AS total FROM idempotency_keys GROUP BY caller",
);

/// PostgreSQL's error of a full disk, for every row that is added to the table.
const NO_ROOM: &str = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION no_room()";

async fn migrated(database: &Database) -> Store {
    let store = connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    store
}

fn put_large(id: u32) -> GuardedStatement {
    let bytes = vec![7_u8; 20_000];
    GuardedStatement::exactly_one(&PUT_LARGE, [id.to_be_bytes().to_vec().into(), bytes.into()])
}

/// Stops the growth of the database, and writes until a write is refused. Returns how many were not.
async fn fill(database: &Database, store: &Store) -> u32 {
    match database {
        Database::Sqlite(_) => SmallDisk::limit(store).await,
        Database::Postgres { .. } => database.run(NO_ROOM).await,
    }
    for id in 0..10_000 {
        match store.commit(act([put_large(id)])).await {
            Ok(outcome) => drop(outcome.into_result().unwrap()),
            Err(failed) => {
                assert_eq!(failed, StoreFailure::Full);
                return id;
            }
        }
    }
    panic!("the disk never filled up");
}

async fn make_room(database: &Database, store: &Store) {
    match database {
        Database::Sqlite(_) => SmallDisk::lift_limit(store).await,
        Database::Postgres { .. } => database.run("DROP TRIGGER no_room ON idempotency_keys").await,
    }
}

async fn write_check_finds_a_full_disk_that_small_writes_do_not_notice(database: Database) {
    let store = migrated(&database).await;
    check_writes(&store).await.unwrap();
    let row_count = fill(&database, &store).await;
    for _ in 0..2 {
        let small = GuardedStatement::exactly_one(&COUNT_WRITE_CHECK, []);
        assert!(store.commit(act([small])).await.unwrap().is_committed(), "a row is changed in place");
        assert_eq!(check_writes(&store).await, Err(StoreFailure::Full));
    }
    // Another store has not tried to write.
    let other = connect(&database, &patient(StoreAccess::AlongsideServer)).await.unwrap();
    check_writes(&other).await.unwrap();
    other.close().await;
    make_room(&database, &store).await;
    check_writes(&store).await.unwrap();
    let rows = store.read_all(&COUNT_ROWS, &[]).await.unwrap();
    let caller_totals: Vec<_> =
        rows.iter().map(|row| (row.text("caller").unwrap(), row.integer("total").unwrap())).collect();
    let expected = [("probe", i64::from(row_count))];
    assert_eq!(caller_totals, expected[..usize::from(row_count > 0)], "the check leaves nothing behind");
    assert!(store.commit(act([put_large(row_count)])).await.unwrap().is_committed());
    store.close().await;
}

async fn write_check_is_small_unless_a_write_found_no_space(database: Database) {
    let store = migrated(&database).await;
    let observed_statements = Arc::new(Mutex::new(Vec::new()));
    let statement_sink = Arc::clone(&observed_statements);
    store.set_query_observer(move |statement| statement_sink.lock().unwrap().push(statement));
    let checked = async || {
        observed_statements.lock().unwrap().clear();
        let result = check_writes(&store).await;
        (result, observed_statements.lock().unwrap().clone())
    };
    let (small, large) =
        (vec!["write_check.count"], vec!["write_check.allocate_space", "write_check.release_space"]);
    assert_eq!(checked().await, (Ok(()), small.clone()));
    // A write that is refused for another reason says nothing about the disk.
    let missing = GuardedStatement::exactly_one(&REMOVE_MISSING, []);
    assert!(!store.commit(act([missing])).await.unwrap().is_committed());
    assert_eq!(checked().await, (Ok(()), small.clone()));
    fill(&database, &store).await;
    assert_eq!(checked().await, (Err(StoreFailure::Full), large.clone()));
    make_room(&database, &store).await;
    assert_eq!(checked().await, (Ok(()), large));
    assert_eq!(checked().await, (Ok(()), small));
    store.close().await;
}
