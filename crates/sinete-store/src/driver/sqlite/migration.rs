//! Applies one migration to the file, and reads those already recorded.

use super::error::to_failure;
use crate::driver::{EngineMigration, RecordedMigration};
use crate::failure::StoreFailure;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use sinete_core::time::Timestamp;

/// Applies the migration in one transaction, unless another process has done so meanwhile.
pub(super) fn apply_migration(
    connection: &mut Connection,
    migration: &EngineMigration,
) -> Result<bool, StoreFailure> {
    let apply = |connection: &mut Connection| {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(crate::driver::MIGRATIONS_TABLE)?;
        let existing_row = transaction
            .query_row("SELECT 1 FROM schema_migrations WHERE version = ?1", [migration.version], |_| Ok(()))
            .optional()?;
        if existing_row.is_some() {
            return Ok(false);
        }
        transaction.execute_batch(&migration.text)?;
        transaction.execute(
            "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)",
            params![migration.version, migration.name, migration.checksum, migration.at.micros()],
        )?;
        transaction.commit()?;
        // Creating tables needs memory that using them does not.
        connection.execute_batch("PRAGMA shrink_memory")?;
        Ok(true)
    };
    apply(connection).map_err(to_failure)
}

/// The recorded migrations, oldest first.
pub(super) fn list_migrations(connection: &Connection) -> Result<Vec<RecordedMigration>, StoreFailure> {
    let read = || {
        // Queried in SQL, because only then a connection notices a table that another one created.
        let existing_table = connection
            .query_row("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'", [], |_| Ok(()))
            .optional()?;
        if existing_table.is_none() {
            return Ok(Vec::new());
        }
        let mut statement = connection
            .prepare("SELECT version, name, checksum, applied_at FROM schema_migrations ORDER BY version")?;
        let rows = statement.query_map([], |row| {
            Ok(RecordedMigration {
                version: row.get(0)?,
                name: row.get(1)?,
                checksum: row.get(2)?,
                at: Timestamp::from_micros(row.get(3)?),
            })
        })?;
        rows.collect()
    };
    read().map_err(to_failure)
}
