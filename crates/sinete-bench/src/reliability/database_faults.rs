//! The database frozen, away, or locked by another program: the errors are right, nothing acknowledged is lost, and
//! service comes back by itself.

use super::journal::{ClientJournal, count_acknowledged, describe_failures};
use super::postgres_cluster::{ClusterSignal, PostgresCluster};
use super::promise::{PromiseRow, PromiseVerdict};
use super::verification::verify_journals;
use super::workload::RunningWorkload;
use super::{TestBench, TestSetup};
use crate::failed::BenchError;
use std::time::Duration;

/// How long there is load before the fault.
const LOAD_BEFORE: Duration = Duration::from_secs(2);
/// How long the fault lasts until health and readiness are looked at.
const FAULT_BEFORE_HEALTH_CHECK: Duration = Duration::from_secs(4);
/// How long the fault lasts after that.
const FAULT_AFTER_HEALTH_CHECK: Duration = Duration::from_secs(1);
/// How long there is load after recovery.
const LOAD_AFTER: Duration = Duration::from_secs(1);
/// The longest acceptable time until service is back.
const RECOVERY_MAX: Duration = Duration::from_secs(10);

/// What is done to the database.
#[derive(Debug)]
enum DatabaseFault<'a> {
    /// All its processes are stopped with SIGSTOP.
    Frozen(&'a PostgresCluster),
    /// It crashes and is started again.
    Crashed(&'a PostgresCluster),
    /// Another program holds the write lock of the file.
    Locked(std::path::PathBuf),
}

/// Freezes PostgreSQL, or locks the file.
pub async fn try_frozen_database(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let setup = bench.set_up(1).await?;
    let (fault, action) = match bench.cluster {
        Some(cluster) => {
            (DatabaseFault::Frozen(cluster), "all processes of PostgreSQL stopped for 5 s (SIGSTOP, SIGCONT)")
        }
        None => {
            let file = setup.instance.folder.join("sinete-data/sinete.db");
            (DatabaseFault::Locked(file), "the write lock of the file held for 5 s by another program")
        }
    };
    let promise = "a frozen database is survived";
    run_fault(bench, setup, fault, promise, action).await
}

/// Crashes PostgreSQL and starts it again.
pub async fn try_absent_database(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let promise = "an absent database is survived";
    let Some(cluster) = bench.cluster else {
        return Ok(PromiseRow::skipped(promise, bench.engine, "the database is a file of the server"));
    };
    let setup = bench.set_up(1).await?;
    let action = "PostgreSQL crashed (immediate shutdown), away for 5 s, started again";
    run_fault(bench, setup, DatabaseFault::Crashed(cluster), promise, action).await
}

async fn run_fault(
    bench: &TestBench<'_>,
    mut setup: TestSetup,
    fault: DatabaseFault<'_>,
    promise: &'static str,
    action: &str,
) -> Result<PromiseRow, BenchError> {
    let workload = RunningWorkload::start(&setup.addresses(), &setup.credentials);
    tokio::time::sleep(LOAD_BEFORE).await;
    let lock = begin_fault(&fault)?;
    tokio::time::sleep(FAULT_BEFORE_HEALTH_CHECK).await;
    let health = setup.first_node()?.admin_status("/healthz").await;
    let readiness = setup.first_node()?.admin_status("/readyz").await;
    tokio::time::sleep(FAULT_AFTER_HEALTH_CHECK).await;
    drop(lock);
    end_fault(&fault)?;
    let recovered = setup.wait_for_service(RECOVERY_MAX).await;
    tokio::time::sleep(LOAD_AFTER).await;
    let journals = workload.finish().await?;
    let (acknowledged, failures) = (count_acknowledged(&journals), describe_failures(&journals));
    let mut findings = unexpected_failures(&journals);
    if health != Some(200) {
        findings.push(format!("/healthz was {health:?} during the fault"));
    }
    // Reads go on while the file is locked, so that only writes are refused.
    if readiness == Some(200) && !matches!(fault, DatabaseFault::Locked(_)) {
        findings.push("/readyz was 200 during the fault".to_owned());
    }
    if recovered.is_none() {
        findings.push(format!("no service {RECOVERY_MAX:?} after the fault"));
    }
    let verified = verify_journals(journals, setup.addresses()[0], &setup.credentials).await?;
    findings.extend(verified.findings);
    setup.stop().await?;
    findings.extend(setup.instance.verify_log(bench.program));
    Ok(PromiseRow {
        promise,
        engine: bench.engine,
        action: format!("{action}, under load"),
        count: format!("{acknowledged} acknowledged operations, {} facts checked", verified.checked),
        result: format!(
            "0 lost; requests meanwhile: {failures}; /healthz 200, /readyz {}; served again after {:.1} s",
            readiness.map_or_else(|| "unanswered".to_owned(), |status| status.to_string()),
            recovered.unwrap_or_default().as_secs_f64(),
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

/// Every request must be answered, with 503 or 504.
fn unexpected_failures(journals: &[ClientJournal]) -> Vec<String> {
    let all = journals.iter().flat_map(|journal| &journal.failures);
    let wrong = all.filter(|(kind, _)| !matches!(**kind, "503" | "504"));
    wrong.map(|(kind, count)| format!("{count} requests: {kind}")).collect()
}

fn begin_fault(fault: &DatabaseFault<'_>) -> Result<Option<rusqlite::Connection>, BenchError> {
    match fault {
        DatabaseFault::Frozen(cluster) => cluster.signal(ClusterSignal::Stop).map(|()| None),
        DatabaseFault::Crashed(cluster) => cluster.stop().map(|()| None),
        DatabaseFault::Locked(file) => {
            let connection = rusqlite::Connection::open(file)?;
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.execute_batch("BEGIN IMMEDIATE")?;
            Ok(Some(connection))
        }
    }
}

fn end_fault(fault: &DatabaseFault<'_>) -> Result<(), BenchError> {
    match fault {
        DatabaseFault::Frozen(cluster) => cluster.signal(ClusterSignal::Continue),
        DatabaseFault::Crashed(cluster) => cluster.start(),
        DatabaseFault::Locked(_) => Ok(()),
    }
}
