//! A database for each test server, on SQLite or PostgreSQL.

use sinete_core::time::Timestamp;
use sinete_store::{Store, StoreAccess, StoreOptions, migrate};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_postgres::NoTls;

/// The database engine a story runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestEngine {
    /// A file in a temporary folder.
    Sqlite,
    /// A database on the PostgreSQL server that the test command starts.
    Postgres,
}

/// A database that is deleted after its test.
pub struct TestDatabase {
    /// The database URL, as in the configuration.
    pub url: String,
    name: Option<String>,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// Creates a migrated database without data.
    pub async fn create(engine: TestEngine, folder: &TempDir) -> Self {
        match engine {
            TestEngine::Sqlite => {
                let file = folder.path().join("sinete.db");
                let mut options = OpenOptions::new();
                let mut copy = options.write(true).create_new(true).mode(0o600).open(&file).unwrap();
                copy.write_all(sqlite_template().await).unwrap();
                Self { url: format!("sqlite://{}", file.display()), name: None }
            }
            TestEngine::Postgres => {
                let name = format!("story_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
                let template = postgres_template().await;
                run_sql(&format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")).await;
                Self { url: database_url(&name), name: Some(name) }
            }
        }
    }

    /// Drops a PostgreSQL database; an SQLite file is deleted with its folder.
    pub async fn drop_database(self) {
        if let Some(name) = self.name {
            run_sql(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

/// The bytes of a migrated SQLite file, made once: copying them is faster than running the migrations for each test.
async fn sqlite_template() -> &'static [u8] {
    static BYTES: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = || async {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("template.db");
        migrate_new(&format!("sqlite://{}", file.display())).await;
        std::fs::read(&file).unwrap()
    };
    BYTES.get_or_init(make).await
}

/// A migrated PostgreSQL database, made once for the same reason.
async fn postgres_template() -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    let make = || async {
        let name = format!("story_template_{}", std::process::id());
        run_sql(&format!("CREATE DATABASE {name}")).await;
        migrate_new(&database_url(&name)).await;
        name
    };
    NAME.get_or_init(make).await
}

async fn migrate_new(url: &str) {
    let store = Store::open(&url.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, Timestamp::EPOCH, &mut |_| {}).await.unwrap();
    store.close().await;
}

fn database_url(name: &str) -> String {
    let server = superuser_url();
    format!("{}/{name}", server.rsplit_once('/').unwrap().0)
}

/// The URL of a superuser on the PostgreSQL server of the test command.
#[expect(clippy::disallowed_methods, reason = "the test command sets the server's address in this variable")]
pub fn superuser_url() -> String {
    std::env::var("SINETE_TEST_POSTGRES").expect("SINETE_TEST_POSTGRES is not set: run ./scripts/test")
}

async fn run_sql(sql: &str) {
    let (client, connection) = tokio_postgres::connect(&superuser_url(), NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}
