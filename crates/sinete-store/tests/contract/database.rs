//! A database of a test's own, gone when the test is over.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// An empty database on one of the engines.
pub enum Database {
    /// A file in a folder of its own, on a disk rather than in memory.
    Sqlite(TempDir),
    /// A database on the throw-away cluster.
    Postgres { cluster: String, name: String },
}

impl Database {
    /// An empty folder for a file.
    pub fn sqlite() -> Self {
        Self::Sqlite(folder_on_disk())
    }

    /// A new database on the cluster the tests were given.
    pub async fn postgres() -> Self {
        Self::postgres_with("").await
    }

    /// A new database made with these words after `CREATE DATABASE name`.
    pub async fn postgres_with(words: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("sinete_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let cluster = cluster();
        run(&cluster, &format!("CREATE DATABASE {name} {words}")).await;
        Self::Postgres { cluster, name }
    }

    /// Where it is, as a store is told.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite://{}", self.file().display()),
            Self::Postgres { cluster, name } => {
                let (server, _) = cluster.rsplit_once('/').expect("the cluster's URL ends in a database");
                format!("{server}/{name}")
            }
        }
    }

    /// The file of an SQLite database.
    pub fn file(&self) -> PathBuf {
        self.folder().join("sinete.db")
    }

    /// The folder of an SQLite database.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Sqlite(folder) => folder.path(),
            Self::Postgres { name, .. } => panic!("{name} has no folder"),
        }
    }

    /// Runs a text straight on the database, past the store.
    pub async fn run(&self, sql: &str) {
        self.try_run(sql).await.unwrap();
    }

    /// Runs a text straight on the database and gives what the engine has against it.
    pub async fn try_run(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(_) => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
                connection.execute_batch(sql).map_err(|error| error.to_string())
            }
            Self::Postgres { .. } => {
                let error = connect(&self.url()).await.batch_execute(sql).await.err();
                let said = error.map(|error| error.as_db_error().unwrap().message().to_owned());
                said.map_or(Ok(()), Err)
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Self::Postgres { cluster, name } = self else { return };
        let (cluster, sql) = (cluster.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(run(&cluster, &sql));
        });
        // A test that is failing already has better things to say.
        let _ = dropping.join();
    }
}

/// A folder beside the build, which is on a disk even where the system's temporary folder is not.
pub fn folder_on_disk() -> TempDir {
    let program = std::env::current_exe().unwrap();
    tempfile::Builder::new().prefix("sinete-store-").tempdir_in(program.parent().unwrap()).unwrap()
}

/// A connection past the store.
pub async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[expect(clippy::disallowed_methods, reason = "the tests are told where their throw-away cluster is")]
fn cluster() -> String {
    std::env::var("SINETE_TEST_POSTGRES").expect("there is no PostgreSQL to test with: run ./scripts/test")
}

async fn run(url: &str, sql: &str) {
    connect(url).await.batch_execute(sql).await.unwrap();
}
