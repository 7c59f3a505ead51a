//! Databases with the schema of all migrations. They are copies of one, because the migrations take longer than most tests.

use super::database::{Database, connect};
use super::probe::{NOW, connect as open, patient};
use crate::{StoreAccess, migrate};
use tokio::sync::OnceCell;
use tokio_postgres::Client;

/// A migrated database without data in place of this empty one.
pub async fn with_schema(empty: Database) -> Database {
    match empty {
        Database::Sqlite(_) => {
            std::fs::write(empty.file(), sqlite_template().await).unwrap();
            empty
        }
        Database::Postgres { cluster, name, lease } => {
            let template = postgres_template(&lease, &cluster).await;
            let name = format!("{name}_migrated");
            lease.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
            let copy = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
            lease.batch_execute(&copy).await.unwrap();
            Database::Postgres { cluster, name, lease }
        }
    }
}

async fn sqlite_template() -> &'static [u8] {
    static BYTES: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = || async {
        let database = Database::sqlite();
        migrate_new(&database).await;
        std::fs::read(database.file()).unwrap()
    };
    BYTES.get_or_init(make).await
}

/// On the cluster of all these tests.
async fn postgres_template(lease: &Client, cluster: &str) -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    let make = || async {
        let name = format!("sinete_store_template_{}", std::process::id());
        lease.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let lease = connect(cluster).await;
        migrate_new(&Database::Postgres { cluster: cluster.to_owned(), name: name.clone(), lease }).await;
        name
    };
    NAME.get_or_init(make).await
}

async fn migrate_new(database: &Database) {
    let store = open(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    store.close().await;
}
