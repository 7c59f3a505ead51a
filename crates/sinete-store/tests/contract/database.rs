//! A test database, removed after the test.

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// An empty database on one of the engines.
pub enum Database {
    /// A file in its own folder, on a disk rather than in memory.
    Sqlite(TempDir),
    /// A database on the disposable cluster.
    Postgres {
        cluster: String,
        name: String,
        /// Holds the lock on the name until the end of the test.
        lease: Client,
    },
}

impl Database {
    /// An empty folder for a file.
    pub fn sqlite() -> Self {
        Self::Sqlite(folder_on_disk())
    }

    /// An empty database on the test cluster.
    ///
    /// Creating one takes PostgreSQL half a second and removing it longer, so they are reused.
    pub async fn postgres() -> Self {
        Self::postgres_on(cluster("SINETE_TEST_POSTGRES"), "sinete_store", "").await
    }

    /// The same on the cluster with durable commits.
    pub async fn durable_postgres() -> Self {
        Self::postgres_on(cluster("SINETE_TEST_POSTGRES_DURABLE"), "sinete_store", "").await
    }

    /// An empty database created with these options after `CREATE DATABASE name`.
    pub async fn postgres_with(words: &str) -> Self {
        Self::postgres_on(cluster("SINETE_TEST_POSTGRES"), "sinete_store_odd", words).await
    }

    async fn postgres_on(cluster: String, prefix: &str, words: &str) -> Self {
        let lease = connect(&cluster).await;
        let number = lend(&lease).await;
        let database = Self::Postgres { cluster, name: format!("{prefix}_{number}"), lease };
        database.make_anew(words).await;
        database
    }

    /// Empties the database of this name, or creates it.
    async fn make_anew(&self, words: &str) {
        let Self::Postgres { name, lease, .. } = self else { return };
        // A killed test may have left a session behind.
        let others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1";
        lease.execute(others, &[name]).await.unwrap();
        let row = lease.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[name]).await.unwrap();
        if row.is_none() {
            return lease.batch_execute(&format!("CREATE DATABASE {name} {words}")).await.unwrap();
        }
        let empty = "SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public";
        connect(&self.url()).await.batch_execute(empty).await.unwrap();
    }

    /// The URL.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite://{}", self.file().display()),
            Self::Postgres { cluster, name, .. } => {
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

    /// Runs SQL directly on the database.
    pub async fn run(&self, sql: &str) {
        self.try_run(sql).await.unwrap();
    }

    /// Runs SQL directly on the database and returns its error.
    pub async fn try_run(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(_) => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
                connection.execute_batch(sql).map_err(|error| error.to_string())
            }
            Self::Postgres { .. } => {
                let error = connect(&self.url()).await.batch_execute(sql).await.err();
                let message = error.map(|error| error.as_db_error().unwrap().message().to_owned());
                message.map_or(Ok(()), Err)
            }
        }
    }
}

/// A folder next to the build, which is on a disk even if the temporary folder is not.
pub fn folder_on_disk() -> TempDir {
    let program = std::env::current_exe().unwrap();
    tempfile::Builder::new().prefix("sinete-store-").tempdir_in(program.parent().unwrap()).unwrap()
}

/// A connection past the store.
pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[expect(clippy::disallowed_methods, reason = "the tests get the cluster from the environment")]
fn cluster(variable: &str) -> String {
    std::env::var(variable).expect("there is no PostgreSQL to test with: run ./scripts/test")
}

/// The number of a database that no other test uses, locked while this connection lives.
async fn lend(lease: &Client) -> i32 {
    for number in 0.. {
        let row = lease.query_one("SELECT pg_try_advisory_lock(1936289378, $1)", &[&number]).await.unwrap();
        if row.get(0) {
            return number;
        }
    }
    unreachable!("there are more numbers than tests")
}
