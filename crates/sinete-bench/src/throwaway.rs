//! A PostgreSQL database for one run, on a cluster that can be thrown away.

use crate::failed::Failed;
use tokio_postgres::{Client, NoTls};
use url::Url;

/// What the name of every such database begins with.
const PREFIX: &str = "sinete_bench_";

/// A database of our own.
pub struct Throwaway {
    /// Where it is.
    pub url: String,
    name: String,
    cluster: Client,
}

impl Throwaway {
    /// Makes one, and removes those that runs cut short have left behind.
    pub async fn create(cluster: &str) -> Result<Self, Failed> {
        let mut url = Url::parse(cluster).map_err(|error| {
            Failed::Unexpected(format!("--postgres needs postgres://user@host:port/name ({error})"))
        })?;
        let name = format!("{PREFIX}{}", std::process::id());
        url.set_path(&name);
        let cluster = connect(cluster).await?;
        remove_leftovers(&cluster).await?;
        cluster.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        Ok(Self { url: url.into(), name, cluster })
    }

    /// The engine with its version, and a warning if it does not wait for the disk.
    pub async fn engine_in_words(&self) -> Result<String, Failed> {
        let setting = async |name: &str| {
            let row = self.cluster.query_one(&format!("SHOW {name}"), &[]).await?;
            Ok::<_, Failed>(row.try_get::<_, String>(0)?)
        };
        let version = setting("server_version").await?;
        let version = version.split_whitespace().next().unwrap_or_default();
        let mut words = format!("PostgreSQL {version}");
        for name in ["fsync", "synchronous_commit"] {
            let value = setting(name).await?;
            if value != "on" {
                words.push_str(&format!(" (not durable: {name}={value})"));
            }
        }
        Ok(words)
    }

    /// Removes it.
    pub async fn remove(self) -> Result<(), Failed> {
        remove(&self.cluster, &self.name).await
    }
}

async fn remove_leftovers(cluster: &Client) -> Result<(), Failed> {
    let unused = "SELECT datname FROM pg_database WHERE starts_with(datname, $1) \
         AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)";
    for row in cluster.query(unused, &[&PREFIX]).await? {
        remove(cluster, &row.try_get::<_, String>(0)?).await?;
    }
    Ok(())
}

/// The name is one of ours, or was read from the catalogue by our prefix: it is quoted all the same.
async fn remove(cluster: &Client, name: &str) -> Result<(), Failed> {
    let name = name.replace('"', "\"\"");
    Ok(cluster.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)")).await?)
}

async fn connect(url: &str) -> Result<Client, Failed> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            eprintln!("connection to PostgreSQL lost: {error}");
        }
    });
    Ok(client)
}
