//! Two versions of the program side by side on one PostgreSQL database, replaced node by node under load, and back.

use super::journal::{count_acknowledged, describe_failures};
use super::postgres_cluster::PostgresCluster;
use super::promise::{EngineKind, PromiseRow, PromiseVerdict};
use super::verification::verify_journals;
use super::workload::RunningWorkload;
use super::{TestSetup, TestedInstance};
use crate::failed::BenchError;
use crate::settings::BenchSettings;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long each combination of versions serves.
const SIDE_BY_SIDE_DURATION: Duration = Duration::from_secs(4);
const PROMISE: &str = "nodes are replaced one by one without loss";

/// The programs of both versions.
#[derive(Clone, Debug)]
pub struct ProgramVersions {
    /// The previous version.
    pub old: PathBuf,
    /// The new version.
    pub new: PathBuf,
}

/// Upgrades two nodes one after the other, then takes both back if the schema allows it.
pub async fn try_upgrade(
    settings: &BenchSettings,
    versions: &ProgramVersions,
) -> Result<Vec<PromiseRow>, BenchError> {
    let folder = settings.temporary_folder()?;
    let temp_dir = settings.temporary_folder()?;
    let cluster = PostgresCluster::create(temp_dir.path(), &temp_dir.path().join("cluster")).await?;
    let database = cluster.create_database("sinete").await?;
    let data = folder.path().join("sinete-data");
    let instance = TestedInstance::prepare(&versions.old, folder.path(), &data, Some(&database))?;
    let mut setup = TestSetup::start(instance, &versions.old, 2, None).await?;
    settings.progress("upgrade: old to new");
    let upgraded =
        replace_nodes(&mut setup, &versions.new, "previous version replaced by the new one").await?;
    settings.progress("upgrade: new to old");
    let back = replace_nodes(&mut setup, &versions.old, "new version replaced by the previous one").await?;
    setup.stop().await?;
    Ok(vec![upgraded, back])
}

/// Replaces the program of each node in turn while clients use both.
async fn replace_nodes(
    setup: &mut TestSetup,
    program: &Path,
    action: &str,
) -> Result<PromiseRow, BenchError> {
    let (addresses, credentials) = (setup.addresses(), setup.credentials.clone());
    let workload = RunningWorkload::start(&addresses, &credentials);
    tokio::time::sleep(SIDE_BY_SIDE_DURATION / 2).await;
    let (mut counts, mut findings) = (Vec::new(), Vec::new());
    for (number, node) in setup.nodes.iter_mut().enumerate() {
        node.stop().await?;
        let previous = std::mem::replace(&mut node.program, program.to_owned());
        if let Err(error) = node.start().await {
            // The schema may keep an older program from starting; the nodes that run go on.
            findings.push(format!("node {number} does not start: {error}"));
            node.program = previous;
            node.start().await?;
            break;
        }
        let before = workload.acknowledged();
        tokio::time::sleep(SIDE_BY_SIDE_DURATION).await;
        counts.push((workload.acknowledged() - before).to_string());
    }
    let journals = workload.finish().await?;
    let (acknowledged, failures) = (count_acknowledged(&journals), describe_failures(&journals));
    let verified = verify_journals(journals, addresses[0], &credentials).await?;
    findings.extend(verified.findings);
    findings.extend(setup.instance.verify_log(program));
    Ok(PromiseRow {
        promise: PROMISE,
        engine: EngineKind::Postgres,
        action: format!("{action} on two nodes, one after the other, under load"),
        count: format!("{acknowledged} acknowledged operations, {} facts checked", verified.checked),
        result: format!(
            "0 lost; operations with both versions serving, then with one: {}; while a node stops: {failures}",
            counts.join(", ")
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}
