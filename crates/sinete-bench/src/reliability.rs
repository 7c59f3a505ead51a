//! `sinete-bench reliability`, `upgrade` and `failover`: what operators are promised, tried on the built program with
//! both engines. Everything stays on loopback, in temporary folders and in child processes, and is bounded in count
//! and time. A broken promise makes the run fail.

pub mod connections;
pub mod database_faults;
pub mod disk_full;
pub mod failover;
pub mod instance;
pub mod journal;
pub mod kills;
pub mod overload;
pub mod postgres_cluster;
pub mod promise;
pub mod races;
pub mod upgrade;
pub mod verification;
pub mod workload;

use crate::failed::BenchError;
use crate::settings::BenchSettings;
use crate::stopwatch::RunningStopwatch;
use instance::{ClientCredentials, ServerNode, TestedInstance};
use postgres_cluster::PostgresCluster;
use promise::{EngineKind, PromiseRow};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use workload::{RequestOutcome, send_request};

/// The shortest soak on one engine.
const SOAK_MIN: Duration = Duration::from_secs(20);

/// What the tries of one engine share.
#[derive(Debug)]
pub struct TestBench<'a> {
    /// The settings of the run.
    pub settings: &'a BenchSettings,
    /// The tested program.
    pub program: &'a Path,
    /// The engine.
    pub engine: EngineKind,
    /// The PostgreSQL cluster; `None` for SQLite.
    pub cluster: Option<&'a PostgresCluster>,
}

/// An instance with running nodes and a signed-in user.
#[derive(Debug)]
pub struct TestSetup {
    /// The instance.
    pub instance: TestedInstance,
    /// The nodes.
    pub nodes: Vec<ServerNode>,
    /// What clients send.
    pub credentials: ClientCredentials,
    _folder: Option<TempDir>,
}

/// The number of databases that were created, for their names.
static DATABASE_COUNT: AtomicU32 = AtomicU32::new(0);

impl TestBench<'_> {
    /// Sets a new instance up and starts this many nodes.
    pub async fn set_up(&self, nodes: usize) -> Result<TestSetup, BenchError> {
        let (instance, folder) = self.prepare().await?;
        TestSetup::start_with(instance, self.program, nodes, None, Some(folder)).await
    }

    /// The same with one node, under a limit that shell commands set.
    pub async fn set_up_limited(&self, limits: &str) -> Result<TestSetup, BenchError> {
        let (instance, folder) = self.prepare().await?;
        TestSetup::start_with(instance, self.program, 1, Some(limits), Some(folder)).await
    }

    async fn prepare(&self) -> Result<(TestedInstance, TempDir), BenchError> {
        let folder = self.settings.temporary_folder()?;
        let number = DATABASE_COUNT.fetch_add(1, Ordering::Relaxed);
        let database = match self.cluster {
            None => None,
            Some(cluster) => Some(cluster.create_database(&format!("sinete_{number}")).await?),
        };
        let data = folder.path().join("sinete-data");
        let instance = TestedInstance::prepare(self.program, folder.path(), &data, database.as_deref())?;
        Ok((instance, folder))
    }
}

impl TestSetup {
    /// Starts nodes of an instance and signs the user in.
    pub async fn start(
        instance: TestedInstance,
        program: &Path,
        nodes: usize,
        folder: Option<TempDir>,
    ) -> Result<Self, BenchError> {
        Self::start_with(instance, program, nodes, None, folder).await
    }

    async fn start_with(
        instance: TestedInstance,
        program: &Path,
        count: usize,
        limits: Option<&str>,
        folder: Option<TempDir>,
    ) -> Result<Self, BenchError> {
        let mut nodes = Vec::new();
        for number in 0..count {
            let mut node = instance.create_node(program, &format!("node-{number}"))?;
            node.limits = limits.map(str::to_owned);
            node.start().await?;
            nodes.push(node);
        }
        let first = nodes.first().ok_or_else(|| BenchError::Unexpected("no node".to_owned()))?;
        let credentials = instance.sign_in(first).await?;
        Ok(Self { instance, nodes, credentials, _folder: folder })
    }

    /// The public listeners of all nodes.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// The first node.
    pub fn first_node(&mut self) -> Result<&mut ServerNode, BenchError> {
        self.nodes.first_mut().ok_or_else(|| BenchError::Unexpected("no node".to_owned()))
    }

    /// Waits until every node is ready and issues a token; returns how long that took, or nothing.
    pub async fn wait_for_service(&self, longest: Duration) -> Option<Duration> {
        let (watch, request) = (RunningStopwatch::start(), self.credentials.token_request());
        for node in &self.nodes {
            loop {
                let mut connection = crate::load::connection::HttpConnection::new(node.address);
                let served = send_request(&mut connection, &request).await;
                if matches!(served, RequestOutcome::Acknowledged(_))
                    && node.admin_status("/readyz").await == Some(200)
                {
                    break;
                }
                if watch.elapsed() > longest {
                    return None;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Some(watch.elapsed())
    }

    /// Stops every node.
    pub async fn stop(&mut self) -> Result<(), BenchError> {
        for node in &mut self.nodes {
            node.stop().await?;
        }
        Ok(())
    }
}

/// Tries every promise on both engines. The soaks take what is left of `minutes`.
pub async fn try_promises(settings: &BenchSettings, minutes: u64) -> Result<Vec<PromiseRow>, BenchError> {
    let watch = RunningStopwatch::start();
    let folder = settings.temporary_folder()?;
    let cluster = PostgresCluster::create(folder.path(), &folder.path().join("cluster")).await?;
    let benches = [
        TestBench { settings, program: &settings.sinete, engine: EngineKind::Sqlite, cluster: None },
        TestBench {
            settings,
            program: &settings.sinete,
            engine: EngineKind::Postgres,
            cluster: Some(&cluster),
        },
    ];
    let mut rows = Vec::new();
    for bench in &benches {
        rows.extend(try_bounded_promises(bench).await?);
    }
    if is_selected(settings, "soak") {
        let remaining = Duration::from_secs(minutes * 60).saturating_sub(watch.elapsed());
        let each = (remaining / 2).saturating_sub(Duration::from_secs(10)).max(SOAK_MIN);
        for bench in &benches {
            settings.progress(&format!("{}: soak", bench.engine.name()));
            rows.push(overload::try_soak(bench, each).await?);
        }
    }
    Ok(rows)
}

async fn try_bounded_promises(bench: &TestBench<'_>) -> Result<Vec<PromiseRow>, BenchError> {
    let mut rows = Vec::new();
    for name in ["kills", "races", "revocations", "frozen", "absent", "disk", "descriptors", "slow", "flood"]
    {
        if !is_selected(bench.settings, name) {
            continue;
        }
        bench.settings.progress(&format!("{}: {name}", bench.engine.name()));
        rows.push(match name {
            "kills" => kills::try_kills(bench).await?,
            "races" => races::try_races(bench).await?,
            "revocations" => races::try_revocations(bench).await?,
            "frozen" => database_faults::try_frozen_database(bench).await?,
            "absent" => database_faults::try_absent_database(bench).await?,
            "disk" => disk_full::try_full_disk(bench).await?,
            "descriptors" => connections::try_descriptors(bench).await?,
            "slow" => connections::try_slow_clients(bench).await?,
            _ => overload::try_flood(bench).await?,
        });
    }
    Ok(rows)
}

fn is_selected(settings: &BenchSettings, name: &str) -> bool {
    settings.only.as_deref().is_none_or(|only| only.split(',').any(|entry| entry == name))
}
