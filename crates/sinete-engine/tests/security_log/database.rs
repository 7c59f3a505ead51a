//! A test database, with direct access past the store.

use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::{Store, StoreAccess, StoreOptions, migrate};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// A migrated database without data on one of the engines, removed after the test.
pub enum Database {
    /// A file in its own folder.
    Sqlite(TempDir),
    /// A database on the disposable cluster.
    Postgres { cluster: String, name: String },
}

impl Database {
    pub fn sqlite() -> Self {
        Self::sqlite_in(tempfile::tempdir().unwrap())
    }

    /// In a folder next to the build, which is on a disk even if the temporary folder is not.
    pub fn sqlite_on_disk() -> Self {
        let program = std::env::current_exe().unwrap();
        let folder = tempfile::Builder::new().prefix("sinete-log-").tempdir_in(program.parent().unwrap());
        Self::sqlite_in(folder.unwrap())
    }

    fn sqlite_in(folder: TempDir) -> Self {
        let database = Self::Sqlite(folder);
        std::fs::write(database.file(), sqlite_template()).unwrap();
        database
    }

    pub async fn postgres() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        Self::postgres_on(cluster("SINETE_TEST_POSTGRES"), &TEMPLATE).await
    }

    /// On the cluster whose commits wait for the disk.
    pub async fn durable_postgres() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        Self::postgres_on(cluster("SINETE_TEST_POSTGRES_DURABLE"), &TEMPLATE).await
    }

    async fn postgres_on(cluster: String, template: &OnceLock<String>) -> Self {
        let template = template.get_or_init(|| wait_for(create_postgres_template(cluster.clone())));
        let name = new_name();
        let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
        connect(&cluster).await.batch_execute(&create).await.unwrap();
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

    /// Runs SQL directly on the database.
    pub async fn run(&self, sql: &str) {
        self.try_run(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Runs SQL directly on the database and returns its error.
    pub async fn try_run(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(_) => self.connection().execute_batch(sql).map_err(|error| error.to_string()),
            Self::Postgres { .. } => {
                let error = connect(&self.url()).await.batch_execute(sql).await.err();
                error.map_or(Ok(()), |error| Err(error.as_db_error().unwrap().message().to_owned()))
            }
        }
    }

    /// The number that a query returns.
    pub async fn number(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(_) => self.connection().query_row(sql, [], |row| row.get(0)).unwrap(),
            Self::Postgres { .. } => connect(&self.url()).await.query_one(sql, &[]).await.unwrap().get(0),
        }
    }

    /// The size of the database in bytes.
    pub async fn size(&self) -> i64 {
        match self {
            Self::Sqlite(_) => {
                self.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").await
            }
            Self::Postgres { .. } => self.number("SELECT pg_database_size(current_database())").await,
        }
    }

    /// The size without free space. On PostgreSQL this rewrites the log.
    pub async fn compact_size(&self) -> i64 {
        match self {
            Self::Sqlite(_) => {
                let used = "SELECT (page_count - freelist_count) * page_size \
                            FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
                self.number(used).await
            }
            Self::Postgres { .. } => {
                for table in ["security_log", "log_chain"] {
                    self.run(&format!("VACUUM FULL {table}")).await;
                }
                self.size().await
            }
        }
    }

    /// A bytes literal of this engine.
    pub fn bytes(&self, bytes: &[u8]) -> String {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Sqlite(_) => format!("x'{digits}'"),
            Self::Postgres { .. } => format!("'\\x{digits}'::bytea"),
        }
    }

    /// Drops the triggers, as an attacker with full access can.
    pub async fn disarm(&self) {
        let triggers = [
            ("security_log", "security_log_no_update security_log_no_delete security_log_only_erased"),
            ("log_chain", "log_chain_no_update log_chain_no_delete"),
            ("log_head", "log_head_no_delete"),
            ("log_segments", "log_segments_follow log_segments_no_update log_segments_no_delete"),
            ("log_checkpoint", "log_checkpoint_archived log_checkpoint_forward log_checkpoint_no_delete"),
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
        let dropping =
            run_on_a_thread(async move { connect(&cluster).await.batch_execute(&sql).await.unwrap() });
        // A failing test has more useful messages.
        let _ = dropping.join();
    }
}

/// A migrated file, made once: copying it is faster than running the migrations for each test.
fn sqlite_template() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("template.db");
        wait_for(migrate_new(format!("sqlite://{}", file.display())));
        std::fs::read(&file).unwrap()
    })
}

/// A migrated database for the same reason. It stays on the disposable cluster.
async fn create_postgres_template(cluster: String) -> String {
    let name = new_name();
    connect(&cluster).await.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    migrate_new(format!("{}/{name}", cluster.rsplit_once('/').unwrap().0)).await;
    name
}

async fn migrate_new(url: String) {
    let store = Store::open(&url.parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, Timestamp::EPOCH, &mut |_| {}).await.unwrap();
    store.close().await;
}

fn new_name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    format!("sinete_log_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

fn wait_for<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    run_on_a_thread(work).join().unwrap()
}

/// A thread of its own, because one of a runtime may not wait.
fn run_on_a_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    std::thread::spawn(run)
}

async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[expect(clippy::disallowed_methods, reason = "the tests get the cluster from the environment")]
fn cluster(variable: &str) -> String {
    std::env::var(variable).expect("there is no PostgreSQL to test with: run ./scripts/test")
}

/// Store options with a long timeout, because busy machines are slow.
pub fn patient(access: StoreAccess) -> StoreOptions {
    StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(access) }
}
