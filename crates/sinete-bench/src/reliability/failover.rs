//! A synchronous standby is promoted under load after the primary died: nothing acknowledged is lost.

use super::journal::{count_acknowledged, describe_failures};
use super::postgres_cluster::{ClusterSignal, PostgresCluster};
use super::promise::{EngineKind, PromiseRow, PromiseVerdict};
use super::verification::verify_journals;
use super::workload::RunningWorkload;
use super::{TestSetup, TestedInstance};
use crate::failed::BenchError;
use crate::settings::BenchSettings;
use crate::stopwatch::RunningStopwatch;
use std::time::Duration;

/// How long there is load before the primary dies.
const LOAD_BEFORE: Duration = Duration::from_secs(5);
/// How long its death goes unnoticed.
const DETECTION_DELAY: Duration = Duration::from_secs(2);
/// How long there is load after recovery.
const LOAD_AFTER: Duration = Duration::from_secs(3);
/// The longest acceptable time until service is back after the promotion.
const RECOVERY_MAX: Duration = Duration::from_secs(15);

/// Kills the primary and promotes the standby. The nodes know both servers from the start.
pub async fn try_failover(settings: &BenchSettings) -> Result<Vec<PromiseRow>, BenchError> {
    let temp_dir = settings.temporary_folder()?;
    let primary = PostgresCluster::create(temp_dir.path(), &temp_dir.path().join("cluster")).await?;
    primary.create_database("sinete").await?;
    let standby = primary.create_standby(temp_dir.path()).await?;
    let database = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/sinete?target_session_attrs=read-write",
        primary.port, standby.port
    );
    let folder = settings.temporary_folder()?;
    let data = folder.path().join("sinete-data");
    let instance = TestedInstance::prepare(&settings.sinete, folder.path(), &data, Some(&database))?;
    let mut setup = TestSetup::start(instance, &settings.sinete, 2, None).await?;
    settings.progress("failover: the primary dies");
    let workload = RunningWorkload::start(&setup.addresses(), &setup.credentials);
    tokio::time::sleep(LOAD_BEFORE).await;
    primary.signal(ClusterSignal::Kill)?;
    tokio::time::sleep(DETECTION_DELAY).await;
    let watch = RunningStopwatch::start();
    standby.promote()?;
    let promoted = watch.elapsed();
    let recovered = setup.wait_for_service(RECOVERY_MAX).await;
    tokio::time::sleep(LOAD_AFTER).await;
    let journals = workload.finish().await?;
    let (acknowledged, failures) = (count_acknowledged(&journals), describe_failures(&journals));
    let mut findings = Vec::new();
    if recovered.is_none() {
        findings.push(format!("no service {RECOVERY_MAX:?} after the promotion"));
    }
    let verified = verify_journals(journals, setup.addresses()[1], &setup.credentials).await?;
    findings.extend(verified.findings);
    setup.stop().await?;
    findings.extend(setup.instance.verify_log(&settings.sinete));
    Ok(vec![PromiseRow {
        promise: "a failover loses nothing acknowledged",
        engine: EngineKind::Postgres,
        action: "two nodes under load, `kill -9` of the primary, its synchronous standby promoted 2 s later"
            .to_owned(),
        count: format!("{acknowledged} acknowledged operations, {} facts checked", verified.checked),
        result: format!(
            "0 lost; promotion {:.1} s, served again {:.1} s after it; requests meanwhile: {failures}; log verifies",
            promoted.as_secs_f64(),
            recovered.unwrap_or_default().as_secs_f64(),
        ),
        verdict: PromiseVerdict::from_findings(findings),
    }])
}
