//! The logs accept no change except the few that their triggers allow.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, patient};
use crate::{StoreAccess, migrate};
use std::collections::BTreeSet;

both_engines!(
    append_only_tables_refuse_updates_of_every_column,
    audit_log_entries_are_deleted_only_behind_their_horizon
);

async fn migrated(database: &Database) {
    let store = super::probe::connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
}

async fn list_columns(database: &Database, table: &str) -> BTreeSet<String> {
    match database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            let mut query = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
            query.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        }
        Database::Postgres { .. } => {
            let query = "SELECT column_name::text FROM information_schema.columns WHERE table_name = $1";
            let rows = connect(&database.url()).await.query(query, &[&table]).await.unwrap();
            rows.iter().map(|row| row.get(0)).collect()
        }
    }
}

/// The columns of each log.
const LOG_COLUMNS: [(&str, &[&str]); 4] = [
    (
        "security_log",
        &[
            "id",
            "at",
            "kind",
            "actor_kind",
            "actor_id",
            "subject_kind",
            "subject_id",
            "organization_id",
            "client_id",
            "request_id",
            "detail",
            "personal_hash",
            "salt",
            "address",
            "user_agent",
        ],
    ),
    ("log_chain", &["position", "event_id", "hash"]),
    (
        "log_segments",
        &[
            "first_position",
            "last_position",
            "previous_hash",
            "hash",
            "last_at",
            "file_name",
            "file_bytes",
            "file_digest",
            "archived_at",
            "kid",
            "signature",
        ],
    ),
    (
        "audit",
        &[
            "id",
            "organization_id",
            "at",
            "kind",
            "actor_kind",
            "actor_id",
            "actor_name",
            "subject_kind",
            "subject_id",
            "reason",
            "detail",
        ],
    ),
];

/// Each column of a log is refused by itself, to every value. Only origins are erased, all at once.
async fn append_only_tables_refuse_updates_of_every_column(database: Database) {
    migrated(&database).await;
    database
        .run(
            "INSERT INTO security_log (id, at, kind, actor_kind, detail, personal_hash, salt, address, user_agent)
                 VALUES ('e1', 1, 'k', 'system', '{}', 'p', 's', '192.0.2.7', 'curl/8');
             INSERT INTO log_chain (position, event_id, hash) VALUES (1, 'e1', 'h');
             INSERT INTO log_head (id, position, hash, sealed_at, kid, signature) VALUES (1, 9, 'h', 1, 'k', 's');
             INSERT INTO log_segments (first_position, last_position, previous_hash, hash, last_at, file_name,
                 file_bytes, file_digest, archived_at, kid, signature)
                 VALUES (1, 1, 'p', 'h', 1, 'f', 1, 'd', 1, 'k', 's');
             INSERT INTO audit (id, organization_id, at, kind, actor_kind, detail)
                 VALUES ('a1', 'o1', 1, 'k', 'system', '{}');",
        )
        .await;
    for (table, columns) in LOG_COLUMNS {
        assert_eq!(
            list_columns(&database, table).await,
            columns.iter().map(|it| (*it).to_owned()).collect(),
            "{table}"
        );
        for column in columns {
            let is_number = column == &"at"
                || column.ends_with("_at")
                || column.ends_with("position")
                || column.ends_with("bytes");
            let value = if is_number { "7" } else { "'7'" };
            let sql = format!("UPDATE {table} SET {column} = {value}");
            let error_message = database.try_run(&sql).await.expect_err(&sql);
            assert!(
                error_message.contains("append-only") || error_message.contains("erased"),
                "{sql}: {error_message}"
            );
        }
    }
}

async fn audit_log_entries_are_deleted_only_behind_their_horizon(database: Database) {
    migrated(&database).await;
    let day = 86_400_000_000_i64;
    let entry = |id: &str, organization: &str, at: i64| {
        format!(
            "INSERT INTO audit (id, organization_id, at, kind, actor_kind, detail) \
             VALUES ('{id}', '{organization}', {at}, 'k', 'system', '{{}}')"
        )
    };
    for (id, organization, at) in [("a1", "o1", 1), ("a2", "o1", 60 * day), ("b1", "o2", 1)] {
        database.run(&entry(id, organization, at)).await;
    }
    let horizon = |organization: &str, before: i64| {
        format!(
            "INSERT INTO audit_horizons (organization_id, removed_before) VALUES ('{organization}', {before})"
        )
    };
    let refused = async |sql: &str| {
        let error_message = database.try_run(sql).await.expect_err(sql);
        assert!(
            error_message.contains("append-only") || error_message.contains("audit_horizons"),
            "{sql}: {error_message}"
        );
    };
    // Without a signed head, no entry has an age.
    refused(&horizon("o1", 2)).await;
    database
        .run(&format!(
            "INSERT INTO log_head (id, position, hash, sealed_at, kid, signature) VALUES (1, 1, 'h', {}, 'k', 's')",
            100 * day
        ))
        .await;
    refused("DELETE FROM audit").await;
    refused(&horizon("o1", 70 * day + 1)).await;
    database.run(&horizon("o1", 50 * day)).await;
    for sql in [
        "DELETE FROM audit WHERE id = 'a2'".to_owned(),
        "DELETE FROM audit WHERE id = 'b1'".to_owned(),
        "DELETE FROM audit".to_owned(),
        "UPDATE audit SET at = 1 WHERE id = 'a2'".to_owned(),
        "UPDATE audit SET organization_id = 'o1' WHERE id = 'b1'".to_owned(),
        "UPDATE audit_horizons SET removed_before = 1".to_owned(),
        "UPDATE audit_horizons SET organization_id = 'o2'".to_owned(),
        format!("UPDATE audit_horizons SET removed_before = {}", 70 * day + 1),
        "DELETE FROM audit_horizons".to_owned(),
    ] {
        refused(&sql).await;
    }
    if let Database::Postgres { .. } = database {
        for table in ["audit", "audit_horizons"] {
            refused(&format!("TRUNCATE {table}")).await;
        }
    }
    database.run("DELETE FROM audit WHERE id = 'a1'").await;
    database.run(&format!("UPDATE audit_horizons SET removed_before = {}", 70 * day)).await;
    database.run("DELETE FROM audit WHERE id = 'a2'").await;
    refused("DELETE FROM audit WHERE id = 'b1'").await;
}
