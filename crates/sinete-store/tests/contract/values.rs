//! Values are read back as stored, on both engines.

use super::both_engines;
use super::database::Database;
use super::probe::{ALL, GET, PUT, act, commit, open, rows};
use crate::write_batch::GuardedStatement;
use crate::{SqlValue, StoreFailure};

both_engines!(
    query_column_is_read_by_its_name_only,
    query_values_round_trip,
    value_text_with_nul_is_refused_before_writing,
    query_result_that_is_long_is_complete_and_ordered,
    query_of_a_missing_row_is_none
);

async fn query_values_round_trip(database: Database) {
    let store = open(&database).await;
    let all_bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let values = [
        [SqlValue::Null, SqlValue::Null, SqlValue::Null],
        [i64::MIN.into(), "".into(), SqlValue::empty_bytes()],
        [i64::MAX.into(), "olá, 世界 🔏 'quoted' \"twice\" ?1 $1 \\ \u{1} \u{7f}".into(), [0_u8; 3].into()],
        [0.into(), "x".repeat(100_000).into(), all_bytes.into()],
        [(-1).into(), "5".into(), b"5".as_slice().into()],
    ];
    for (id, [number, sql_value, bytes]) in (1_i64..).zip(values.clone()) {
        commit(&store, [GuardedStatement::exactly_one(&PUT, [id.into(), number, sql_value, bytes])]).await;
    }
    for (id, [number, sql_value, bytes]) in (1_i64..).zip(values) {
        let row = store.read_first(&GET, &[id.into()]).await.unwrap().unwrap();
        assert_eq!(SqlValue::from(row.optional_integer("number").unwrap()), number);
        assert_eq!(SqlValue::from(row.optional_text("words").unwrap()), sql_value);
        assert_eq!(SqlValue::from(row.optional_blob("bytes").unwrap()), bytes);
    }
}

async fn value_text_with_nul_is_refused_before_writing(database: Database) {
    let store = open(&database).await;
    let torn = GuardedStatement::exactly_one(&PUT, [2.into(), SqlValue::Null, "a\0b".into(), SqlValue::Null]);
    let failed = store.commit(act([super::probe::put(1, 1), torn])).await.unwrap_err();
    assert_eq!(
        failed,
        StoreFailure::Unstorable(
            "parameter 3 of probe.put is a text with a NUL in it, which cannot be stored".into()
        )
    );
    assert_eq!(rows(&store).await, []);
    assert!(matches!(store.read_first(&GET, &["\0".into()]).await, Err(StoreFailure::Unstorable(_))));
}

async fn query_result_that_is_long_is_complete_and_ordered(database: Database) {
    let store = open(&database).await;
    commit(&store, (1..=3000).map(|id| super::probe::put(id, -id))).await;
    let sql_rows = store.read_list(&ALL, &[]).await.unwrap();
    let row_values: Vec<_> =
        sql_rows.iter().map(|row| (row.integer("id").unwrap(), row.integer("number").unwrap())).collect();
    assert_eq!(row_values, (1..=3000).map(|id| (id, -id)).collect::<Vec<_>>());
}

async fn query_column_is_read_by_its_name_only(database: Database) {
    let store = open(&database).await;
    commit(&store, [super::probe::put(1, 5)]).await;
    let row = store.read_first(&GET, &[1.into()]).await.unwrap().unwrap();
    assert_eq!(row.integer("number"), Ok(5));
    let unknown = StoreFailure::Other("probe.get selects no column id".into());
    assert_eq!(row.integer("id"), Err(unknown), "a column of the table that is not selected");
}

async fn query_of_a_missing_row_is_none(database: Database) {
    let store = open(&database).await;
    assert!(store.read_first(&GET, &[7.into()]).await.unwrap().is_none());
}
