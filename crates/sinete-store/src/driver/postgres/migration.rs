//! Applies one migration to the server, and reads those already recorded.

use super::error::to_failure;
use crate::driver::{EngineMigration, RecordedMigration};
use crate::failure::StoreFailure;
use deadpool_postgres::{Client, Object};
use sinete_core::time::Timestamp;
use tokio_postgres::Error;
use tokio_postgres::types::{ToSql, Type};

/// Nodes that start together take turns. The lock number is arbitrary and must never change.
const ACQUIRE_MIGRATION_LOCK: &str = "BEGIN;
    SET LOCAL statement_timeout = 0;
    SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL client_min_messages = warning;
    SELECT pg_advisory_xact_lock(6003512917206524275);";

/// Applies the migration in one transaction, unless another node has done so meanwhile.
pub(super) async fn apply_migration(
    client: Client,
    migration: &EngineMigration,
) -> Result<bool, StoreFailure> {
    let applied = apply_under_lock(&client, migration).await;
    if applied.is_err() {
        // Closing the connection ends the transaction, whatever its state.
        drop(Object::take(client));
    }
    applied.map_err(|error| to_failure(&error))
}

async fn apply_under_lock(client: &Client, migration: &EngineMigration) -> Result<bool, Error> {
    client.batch_execute(ACQUIRE_MIGRATION_LOCK).await?;
    client.batch_execute(crate::driver::MIGRATIONS_TABLE).await?;
    let version = i64::from(migration.version);
    let recorded = "SELECT 1 FROM schema_migrations WHERE version = $1";
    let is_applied = client.query_typed_opt(recorded, &[(&version, Type::INT8)]).await?.is_some();
    if !is_applied {
        client.batch_execute(&migration.text).await?;
        let parameters: [(&(dyn ToSql + Sync), Type); 4] = [
            (&version, Type::INT8),
            (&migration.name, Type::TEXT),
            (&&migration.checksum[..], Type::BYTEA),
            (&migration.at.micros(), Type::INT8),
        ];
        let record =
            "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)";
        client.execute_typed(record, &parameters).await?;
    }
    client.batch_execute("COMMIT").await?;
    Ok(!is_applied)
}

/// Whether the table of migrations exists.
pub(super) const MIGRATIONS_TABLE_EXISTS: &str = "SELECT to_regclass('schema_migrations') IS NOT NULL";

/// The recorded migrations, oldest first.
pub(super) const LIST_RECORDED_MIGRATIONS: &str =
    "SELECT version, name, checksum, applied_at FROM schema_migrations ORDER BY version";

/// Reads one recorded migration.
pub(super) fn read_migration_row(row: &tokio_postgres::Row) -> RecordedMigration {
    RecordedMigration {
        // A version that does not fit is newer than any known one.
        version: u32::try_from(row.get::<_, i64>(0)).unwrap_or(u32::MAX),
        name: row.get(1),
        checksum: row.get(2),
        at: Timestamp::from_micros(row.get(3)),
    }
}
