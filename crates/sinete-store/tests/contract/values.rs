//! What is stored comes back as it was, on both engines alike.

use super::both_engines;
use super::database::Database;
use super::probe::{ALL, GET, PUT, act, commit, open, rows};
use crate::act::GuardedStatement;
use crate::{SqlValue, StoreFailure};

both_engines!(
    every_value_comes_back_as_it_went_in,
    a_text_with_a_nul_is_refused_before_anything_is_stored,
    a_long_list_comes_back_whole_and_in_order,
    a_row_that_is_not_there_is_nothing
);

async fn every_value_comes_back_as_it_went_in(database: Database) {
    let store = open(&database).await;
    let all_bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let values = [
        [SqlValue::Null, SqlValue::Null, SqlValue::Null],
        [i64::MIN.into(), "".into(), SqlValue::no_bytes()],
        [i64::MAX.into(), "olá, 世界 🔏 'quoted' \"twice\" ?1 $1 \\ \u{1} \u{7f}".into(), [0_u8; 3].into()],
        [0.into(), "x".repeat(100_000).into(), all_bytes.into()],
        [(-1).into(), "5".into(), b"5".as_slice().into()],
    ];
    for (id, [number, words, bytes]) in (1_i64..).zip(values.clone()) {
        commit(&store, [GuardedStatement::one(&PUT, [id.into(), number, words, bytes])]).await;
    }
    for (id, [number, words, bytes]) in (1_i64..).zip(values) {
        let row = store.first(&GET, &[id.into()]).await.unwrap().unwrap();
        assert_eq!(SqlValue::from(row.optional_integer(0).unwrap()), number);
        assert_eq!(SqlValue::from(row.optional_text(1).unwrap()), words);
        assert_eq!(SqlValue::from(row.optional_blob(2).unwrap()), bytes);
    }
}

async fn a_text_with_a_nul_is_refused_before_anything_is_stored(database: Database) {
    let store = open(&database).await;
    let torn = GuardedStatement::one(&PUT, [2.into(), SqlValue::Null, "a\0b".into(), SqlValue::Null]);
    let failed = store.commit(act([super::probe::put(1, 1), torn])).await.unwrap_err();
    assert_eq!(
        failed,
        StoreFailure::Unstorable(
            "parameter 3 of probe.put is a text with a NUL in it, which cannot be stored".into()
        )
    );
    assert_eq!(rows(&store).await, []);
    assert!(matches!(store.first(&GET, &["\0".into()]).await, Err(StoreFailure::Unstorable(_))));
}

async fn a_long_list_comes_back_whole_and_in_order(database: Database) {
    let store = open(&database).await;
    commit(&store, (1..=3000).map(|id| super::probe::put(id, -id))).await;
    let listed = store.list(&ALL, &[]).await.unwrap();
    let listed: Vec<_> =
        listed.iter().map(|row| (row.integer(0).unwrap(), row.integer(1).unwrap())).collect();
    assert_eq!(listed, (1..=3000).map(|id| (id, -id)).collect::<Vec<_>>());
}

async fn a_row_that_is_not_there_is_nothing(database: Database) {
    let store = open(&database).await;
    assert!(store.first(&GET, &[7.into()]).await.unwrap().is_none());
}
