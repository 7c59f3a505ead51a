//! A PostgreSQL database for one measurement, on a disposable cluster.

use crate::failed::BenchError;
use crate::postgres_usage::PostgresUsage;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_postgres::{Client, NoTls};
use url::Url;

/// The name prefix of all such databases.
const PREFIX: &str = "sinete_bench_";

/// The number of databases created by this process, for unique names.
static CREATED_COUNT: AtomicU64 = AtomicU64::new(0);

/// A temporary database.
pub struct TemporaryDatabase {
    /// The URL.
    pub url: String,
    name: String,
    cluster: Client,
    /// An open connection to the database, so that no other run removes it as a leftover.
    keepalive: Client,
}

impl TemporaryDatabase {
    /// Creates a database, and removes those left by aborted runs.
    pub async fn create(cluster: &str) -> Result<Self, BenchError> {
        let mut url = Url::parse(cluster).map_err(|error| {
            BenchError::Unexpected(format!("--postgres needs postgres://user@host:port/name ({error})"))
        })?;
        let turn = CREATED_COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}_{turn}", std::process::id());
        url.set_path(&name);
        let cluster = connect(cluster).await?;
        drop_leftovers(&cluster).await?;
        cluster.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        let client = connect(url.as_str()).await?;
        Ok(Self { url: url.into(), name, cluster, keepalive: client })
    }

    /// Runs the maintenance that PostgreSQL would start a minute after many writes, so that it does not
    /// disturb the measurement.
    pub async fn run_maintenance(&self) -> Result<(), BenchError> {
        Ok(self.keepalive.batch_execute("VACUUM ANALYZE").await?)
    }

    /// What the server has done so far, for this database.
    pub async fn read_usage(&self) -> Result<PostgresUsage, BenchError> {
        PostgresUsage::read(&self.cluster, &self.name).await
    }

    /// Removes the database.
    pub async fn remove(self) -> Result<(), BenchError> {
        drop_database(&self.cluster, &self.name).await
    }
}

/// The engine and version of a cluster, with a warning if it does not wait for the disk.
pub async fn describe_engine(cluster: &str) -> Result<String, BenchError> {
    let cluster = connect(cluster).await?;
    let setting = async |name: &str| {
        let row = cluster.query_one(&format!("SHOW {name}"), &[]).await?;
        Ok::<_, BenchError>(row.try_get::<_, String>(0)?)
    };
    let version = setting("server_version").await?;
    let mut words = format!("PostgreSQL {}", version.split_whitespace().next().unwrap_or_default());
    for name in ["fsync", "synchronous_commit"] {
        let value = setting(name).await?;
        if value != "on" {
            words.push_str(&format!(" (not durable: {name}={value})"));
        }
    }
    Ok(words)
}

async fn drop_leftovers(cluster: &Client) -> Result<(), BenchError> {
    let unused = "SELECT datname FROM pg_database WHERE starts_with(datname, $1) \
         AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)";
    // A database of this process may be without connections between being filled and being served.
    let ours = format!("{PREFIX}{}_", std::process::id());
    for row in cluster.query(unused, &[&PREFIX]).await? {
        let name = row.try_get::<_, String>(0)?;
        if !name.starts_with(&ours) {
            drop_database(cluster, &name).await?;
        }
    }
    Ok(())
}

/// Drops a database. The name is ours or was found by our prefix; it is quoted anyway.
async fn drop_database(cluster: &Client, name: &str) -> Result<(), BenchError> {
    let name = name.replace('"', "\"\"");
    Ok(cluster.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)")).await?)
}

async fn connect(url: &str) -> Result<Client, BenchError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            eprintln!("connection to PostgreSQL lost: {error}");
        }
    });
    Ok(client)
}
