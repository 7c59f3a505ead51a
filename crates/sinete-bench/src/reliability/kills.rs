//! `kill -9` under load: everything acknowledged is there after the restart, and nothing works twice.

use super::TestBench;
use super::journal::{count_acknowledged, describe_failures};
use super::promise::{PromiseRow, PromiseVerdict};
use super::verification::{VerificationOutcome, verify_journals};
use super::workload::RunningWorkload;
use crate::failed::BenchError;
use std::time::Duration;

/// The number of kills.
const KILLS: u32 = 10;
/// The shortest time between a start and a kill.
const LOAD_TIME: Duration = Duration::from_millis(700);
/// By how much the time grows, so that kills hit different moments.
const LOAD_TIME_STEP: Duration = Duration::from_millis(37);

/// Kills the only node again and again.
pub async fn try_kills(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(1).await?;
    let (mut all, mut acknowledged, mut failures) = (VerificationOutcome::default(), 0, String::new());
    let mut slowest = Duration::ZERO;
    for round in 0..KILLS {
        let workload = RunningWorkload::start(&setup.addresses(), &setup.credentials);
        tokio::time::sleep(LOAD_TIME + LOAD_TIME_STEP * round).await;
        setup.first_node()?.kill().await?;
        let journals = workload.finish().await?;
        acknowledged += count_acknowledged(&journals);
        failures = describe_failures(&journals);
        let watch = crate::stopwatch::RunningStopwatch::start();
        setup.first_node()?.start().await?;
        slowest = slowest.max(watch.elapsed());
        all.absorb(verify_journals(journals, setup.addresses()[0], &setup.credentials).await?);
    }
    setup.first_node()?.stop().await?;
    all.findings.extend(setup.instance.verify_log(bench.program));
    Ok(PromiseRow {
        promise: "acknowledged is durable, and nothing is used twice",
        engine: bench.engine,
        action: "`kill -9` of the server under load, restart, comparison with the clients' journal"
            .to_owned(),
        count: format!("{KILLS} kills, {acknowledged} acknowledged operations"),
        result: format!(
            "{} facts checked, 0 lost, 0 used twice; log verifies; ready again within {:.1} s (last kill: {failures})",
            all.checked,
            slowest.as_secs_f64(),
        ),
        verdict: PromiseVerdict::from_findings(all.findings),
    })
}
