//! Every table declares how long its rows are kept, and rows with a lifetime are deleted after it.

use super::{Database, Scene};
use crate::administration::cleanup;
use crate::administration::cleanup::EXPIRING;
use crate::administration::retention::{TABLES, TableRetention};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::sign_in::known_devices;
use sinete_core::limits::KNOWN_DEVICE_RETENTION;
use sinete_core::secret::Digest;
use sinete_core::time::{Lifetime, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

both_engines!(
    retention_is_declared_for_every_table_and_expired_rows_are_deleted,
    cleanup_deletes_ended_keys_secrets_invitations_and_assignments_only,
    known_device_is_retained_while_its_cookie_lives_and_the_last_one_of_an_account_always
);

/// All tables with their columns.
async fn columns(scene: &Scene) -> BTreeMap<String, BTreeSet<String>> {
    let pairs: Vec<(String, String)> = match &scene.database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(scene.database.file()).unwrap();
            let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
                       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'";
            let mut statement = connection.prepare(sql).unwrap();
            let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            statement.query_map([], pair).unwrap().map(Result::unwrap).collect()
        }
        Database::Postgres { .. } => {
            let client = crate::contract::database::connect(&scene.database.url()).await;
            let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                       WHERE table_schema = 'public'";
            client.query(sql, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
        }
    };
    let mut tables = BTreeMap::<String, BTreeSet<String>>::new();
    for (table, column) in pairs {
        tables.entry(table).or_default().insert(column);
    }
    tables
}

/// Columns with the end of a row's use.
const ENDS: [&str; 5] = ["expires_at", "idle_expires_at", "ends_at", "last_seen_at", "blocked_until"];

/// Exceptions: an ended organization is kept as the owner of what refers to it.
const MEANT: [(&str, &str); 1] = [("organizations", "ends_at")];

async fn retention_is_declared_for_every_table_and_expired_rows_are_deleted(database: Database) {
    let scene = Scene::set(database).await;
    let tables = columns(&scene).await;
    assert!(tables.len() > 50, "{tables:?}");
    let listed_tables: Vec<&str> = TABLES.iter().map(|(table, _)| *table).collect();
    assert!(listed_tables.is_sorted(), "the list is in the order of names");
    let existing_tables: Vec<&str> = tables.keys().map(String::as_str).collect();
    assert_eq!(listed_tables, existing_tables, "a table says how long its rows are kept");
    let swept: BTreeSet<&str> = EXPIRING.iter().map(|rows| rows.table).collect();
    for (table, retention) in TABLES {
        let is_end = |column: &&str| tables[*table].contains(*column) && !MEANT.contains(&(*table, *column));
        let has_lifetime = ENDS.iter().any(is_end);
        match retention {
            TableRetention::Expires => assert!(swept.contains(table), "{table} is swept"),
            TableRetention::WithParent(other) => {
                assert!(listed_tables.contains(other) && !has_lifetime, "{table} has a lifetime of its own");
            }
            TableRetention::ExpiresUnused
            | TableRetention::Managed
            | TableRetention::Bounded
            | TableRetention::Log => {
                assert!(!has_lifetime, "{table} has a lifetime: it expires");
            }
        }
        assert!(*retention == TableRetention::Expires || !swept.contains(table), "{table} expires");
    }
}

async fn sweep(scene: &Scene, long_ago: Timestamp) {
    for batch in cleanup::cleanup_batches(long_ago) {
        scene.store.commit(batch).await.unwrap().into_result().unwrap();
    }
}

/// Rows that ended before now, end after it, or were ended early.
async fn end_and_go_on(scene: &Scene) {
    let (past, future) =
        (NOW.minus(Lifetime::from_days(1)).micros(), NOW.plus(Lifetime::from_days(1)).micros());
    for (name, end, ended) in
        [("past", past, "NULL"), ("ended", future, &*past.to_string()), ("lives", future, "NULL")]
    {
        scene
            .change(&format!(
                "INSERT INTO api_keys (id, digest, organization_id, membership_id, name, scope, created_at, expires_at, revoked_at)
                     SELECT '{name}', '{name}', organization_id, id, '', '', 0, {end}, {ended} FROM memberships;
                 INSERT INTO client_secrets (digest, client_id, created_at, expires_at, revoked_at)
                     SELECT '{name}', id, 0, {end}, {ended} FROM clients;
                 INSERT INTO assignments (id, kind, holder_id, organization_id, reason, made_by, created_at, ends_at, ended_at)
                     SELECT '{name}', 'administer', id, organization_id, '', '', 0, {end}, {ended} FROM memberships;
                 INSERT INTO invitations (id, digest, organization_id, membership_id, lookup, created_at, expires_at, revoked_at)
                     SELECT '{name}', '{name}', organization_id, id, '', 0, {end}, {ended} FROM memberships;"
            ))
            .await;
    }
}

async fn cleanup_deletes_ended_keys_secrets_invitations_and_assignments_only(database: Database) {
    let scene = Scene::set(database).await;
    let tables = ["api_keys", "client_secrets", "assignments", "invitations"];
    let mut before = Vec::new();
    for table in tables {
        before.push(scene.count(table).await);
    }
    end_and_go_on(&scene).await;
    let memberships = scene.count("memberships").await;
    assert_eq!(memberships, 1, "one row of each kind");
    // An accepted invitation has the address of a member, and one whose membership is unclaimed has the
    // address of its recipient.
    scene
        .change(
            "INSERT INTO invitations (id, digest, organization_id, membership_id, lookup, created_at, expires_at, accepted_at)
                 SELECT 'accepted', 'accepted', organization_id, id, '', 0, 0, 1 FROM memberships;",
        )
        .await;
    sweep(&scene, NOW.minus(Lifetime::from_days(2))).await;
    for (table, before) in tables.iter().zip(&before) {
        let remaining_count = if *table == "invitations" { 4 } else { 3 };
        assert_eq!(scene.count(table).await, before + remaining_count, "{table}: nothing ended as long ago");
    }
    sweep(&scene, NOW).await;
    for (table, before) in tables.iter().zip(&before) {
        let remaining_count = if *table == "invitations" { 2 } else { 1 };
        assert_eq!(scene.count(table).await, before + remaining_count, "{table}: valid rows stay");
    }
}

async fn known_device_is_retained_while_its_cookie_lives_and_the_last_one_of_an_account_always(
    database: Database,
) {
    let scene = Scene::set(database).await;
    let (account, nothing) = (scene.world.account, &scene.world.empty_document);
    let device = |number: u8| Digest::from_bytes([number; 32]);
    let year_later = NOW.plus(KNOWN_DEVICE_RETENTION);
    for number in [1, 2, 3] {
        let at = NOW.plus(Lifetime::from_seconds(number.into()));
        scene.happens([known_devices::record_device(account, &device(number), nothing, at)]).await;
    }
    let is_known = async |number, now| {
        known_devices::is_known_device(&scene.store, account, &device(number), now).await.unwrap()
    };
    let is_authenticated = async |number, now| {
        known_devices::is_authenticated_device(&scene.store, account, &device(number), now).await.unwrap()
    };
    assert!(is_known(1, year_later).await && is_authenticated(1, year_later).await);
    let past = year_later.plus(Lifetime::from_seconds(2));
    assert!(
        !is_known(1, past).await && !is_authenticated(1, past).await,
        "its validity is checked when it is read"
    );
    assert!(is_known(2, past).await);
    sweep(&scene, past.minus(KNOWN_DEVICE_RETENTION)).await;
    assert_eq!(scene.count("devices").await, 2);
    sweep(&scene, past).await;
    assert_eq!(scene.count("devices").await, 1, "the last device of the account stays");
    assert!(known_devices::has_known_device(&scene.store, account).await.unwrap());
}
