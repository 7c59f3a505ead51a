//! The contract of the statements: which one wins, what the others then find, and when none can win.

mod accounts;
mod active_conditions;
mod audit_log;
mod cleanup;
mod expiry;
mod failed_attempts;
mod fixtures;
mod grant_row;
mod member_search_index;
mod messages;
mod relationships;
mod retention;
mod scim;
mod sessions;
mod single_use;
mod subject_state;
mod token_lookup;
mod tokens;
mod uniqueness;

use super::database::Database;
use super::migrated_database::with_schema;
use super::probe::{NOW, connect, patient};
use crate::single_use::SingleUseFixture;
use crate::write_batch::GuardedStatement;
use crate::{Store, StoreAccess, WriteBatch};
use sinete_core::entropy::DangerouslySeededEntropy;

/// A prepared database: a signed-in user, an organization, a client.
struct Scene {
    store: Store,
    world: SingleUseFixture,
    entropy: DangerouslySeededEntropy,
    /// Kept to the end, because the database is removed with it.
    database: Database,
}

impl Scene {
    async fn set(database: Database) -> Self {
        let database = with_schema(database).await;
        let store = connect(&database, &patient(StoreAccess::Serve)).await.unwrap();
        let entropy = DangerouslySeededEntropy::new(1);
        let world = SingleUseFixture::new(NOW, &entropy).unwrap();
        let scene = Self { store, world, entropy, database };
        scene.happens(scene.world.setup_statements().unwrap()).await;
        scene
    }

    /// Another user, organization and client in the same database.
    async fn begin_anew(&mut self) {
        self.world = SingleUseFixture::new(NOW, &self.entropy).unwrap();
        self.happens(self.world.setup_statements().unwrap()).await;
    }

    /// Commits the statements, whose guards must all hold.
    async fn happens(&self, steps: impl IntoIterator<Item = GuardedStatement>) {
        self.store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
    }

    /// Commits the statements, of which the guard of the named one must fail.
    async fn is_refused(&self, steps: impl IntoIterator<Item = GuardedStatement>, statement: &str) {
        let conflict = self
            .store
            .commit(WriteBatch::new().with_statements(steps))
            .await
            .unwrap()
            .into_result()
            .unwrap_err();
        assert_eq!(conflict.statement(), statement);
    }

    /// Changes a row directly, if there is no statement for it.
    async fn change(&self, sql: &str) {
        self.database.run(sql).await;
    }

    /// The number of rows in a table.
    async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        match &self.database {
            Database::Sqlite(_) => {
                let connection = rusqlite::Connection::open(self.database.file()).unwrap();
                connection.query_row(&sql, [], |row| row.get(0)).unwrap()
            }
            Database::Postgres { .. } => {
                let client = super::database::connect(&self.database.url()).await;
                client.query_one(&sql, &[]).await.unwrap().get(0)
            }
        }
    }
}
