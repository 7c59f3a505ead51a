//! A database of a test's own, and a way past the store into it.

use sinete_core::time::Lifetime;
use sinete_store::{StoreAccess, StoreOptions};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// An empty database on one of the engines, gone when the test is over.
pub enum Database {
    /// A file in a folder of its own.
    Sqlite(TempDir),
    /// A database on the throw-away cluster.
    Postgres { cluster: String, name: String },
}

impl Database {
    pub fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub async fn postgres() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("sinete_log_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let cluster = cluster();
        connect(&cluster).await.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        Self::Postgres { cluster, name }
    }

    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite://{}", self.file().display()),
            Self::Postgres { cluster, name } => {
                let (server, _) = cluster.rsplit_once('/').unwrap();
                format!("{server}/{name}")
            }
        }
    }

    pub fn file(&self) -> PathBuf {
        match self {
            Self::Sqlite(folder) => folder.path().join("sinete.db"),
            Self::Postgres { name, .. } => panic!("{name} is no file"),
        }
    }

    /// Runs a text straight on the database, past the store and its rules.
    pub async fn run(&self, sql: &str) {
        self.try_run(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Runs a text straight on the database and gives what the engine has against it.
    pub async fn try_run(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(_) => self.connection().execute_batch(sql).map_err(|error| error.to_string()),
            Self::Postgres { .. } => {
                let error = connect(&self.url()).await.batch_execute(sql).await.err();
                error.map_or(Ok(()), |error| Err(error.as_db_error().unwrap().message().to_owned()))
            }
        }
    }

    /// The one number a query gives.
    pub async fn number(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(_) => self.connection().query_row(sql, [], |row| row.get(0)).unwrap(),
            Self::Postgres { .. } => connect(&self.url()).await.query_one(sql, &[]).await.unwrap().get(0),
        }
    }

    /// Bytes as this engine spells them.
    pub fn bytes(&self, bytes: &[u8]) -> String {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Sqlite(_) => format!("x'{digits}'"),
            Self::Postgres { .. } => format!("'\\x{digits}'::bytea"),
        }
    }

    /// Takes the triggers away, as an attacker who owns the database can.
    pub async fn disarm(&self) {
        let triggers = [
            ("security_log", "security_log_no_update security_log_no_delete security_log_only_erased"),
            ("log_chain", "log_chain_no_update log_chain_no_delete"),
            ("log_head", "log_head_no_delete"),
        ];
        for (table, names) in triggers {
            match self {
                Self::Sqlite(_) => {
                    for name in names.split(' ') {
                        self.run(&format!("DROP TRIGGER {name}")).await;
                    }
                }
                Self::Postgres { .. } => {
                    self.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).await;
                }
            }
        }
    }

    fn connection(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Self::Postgres { cluster, name } = self else { return };
        let (cluster, sql) = (cluster.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async { connect(&cluster).await.batch_execute(&sql).await.unwrap() });
        });
        // A test that is failing already has better things to say.
        let _ = dropping.join();
    }
}

async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[expect(clippy::disallowed_methods, reason = "the tests are told where their throw-away cluster is")]
fn cluster() -> String {
    std::env::var("SINETE_TEST_POSTGRES").expect("there is no PostgreSQL to test with: run ./scripts/test")
}

/// Of somebody who waits as long as it takes: a machine with much else to do is slow.
pub fn patient(access: StoreAccess) -> StoreOptions {
    StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(access) }
}
