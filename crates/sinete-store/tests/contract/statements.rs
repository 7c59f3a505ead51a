//! What the verbs promise: who wins, what the others then find, and when nobody can win.

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
use super::probe::{NOW, connect, patient};
use crate::single_use::SingleUseFixture;
use crate::write_batch::GuardedStatement;
use crate::{Store, StoreAccess, WriteBatch, migrate};
use sinete_core::entropy::DangerouslySeededEntropy;

/// A furnished database: one person who is signed in, one organization, one client.
struct Scene {
    store: Store,
    world: SingleUseFixture,
    entropy: DangerouslySeededEntropy,
    /// Kept to the end: the database goes with it.
    database: Database,
}

impl Scene {
    async fn set(database: Database) -> Self {
        let store = connect(&database, &patient(StoreAccess::Serve)).await.unwrap();
        migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
        let entropy = DangerouslySeededEntropy::new(1);
        let world = SingleUseFixture::new(NOW, &entropy).unwrap();
        let scene = Self { store, world, entropy, database };
        scene.happens(scene.world.setup_statements().unwrap()).await;
        scene
    }

    /// Another person, organization and client in the same database.
    async fn begin_anew(&mut self) {
        self.world = SingleUseFixture::new(NOW, &self.entropy).unwrap();
        self.happens(self.world.setup_statements().unwrap()).await;
    }

    /// Commits the steps, which must all find the facts as they expect them.
    async fn happens(&self, steps: impl IntoIterator<Item = GuardedStatement>) {
        self.store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().unwrap();
    }

    /// Commits the steps, of which the one named must find the facts changed.
    async fn is_refused(&self, steps: impl IntoIterator<Item = GuardedStatement>, statement: &str) {
        let conflict =
            self.store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().unwrap_err();
        assert_eq!(conflict.statement(), statement);
    }

    /// Changes a row past the verbs, to make what has no verb yet.
    async fn change(&self, sql: &str) {
        self.database.run(sql).await;
    }

    /// How many rows a table has.
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
