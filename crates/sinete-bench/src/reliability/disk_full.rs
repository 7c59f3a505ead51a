//! A full disk: requests that write are refused, nothing acknowledged is lost, and room is enough to go on.

use super::instance::TestedInstance;
use super::journal::{count_acknowledged, describe_failures};
use super::postgres_cluster::{PostgresCluster, run_checked};
use super::promise::{EngineKind, PromiseRow, PromiseVerdict};
use super::verification::verify_journals;
use super::workload::RunningWorkload;
use super::{TestBench, TestSetup};
use crate::failed::BenchError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The size of the small file system.
const DISK_SIZE: &str = "size=160m";
/// What is left free before the load.
const FREE_BYTES: usize = 512 * 1024;
const BALLAST_STEP: usize = 64 * 1024;
/// How long there is load on the full disk.
const LOAD_TIME: Duration = Duration::from_secs(6);
/// The longest acceptable time until service is back.
const RECOVERY_MAX: Duration = Duration::from_secs(15);
const PROMISE: &str = "a full disk is survived";

/// A small file system in memory, unmounted on drop.
#[derive(Debug)]
struct SmallDisk {
    mount_point: PathBuf,
}

impl SmallDisk {
    fn mount(path: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", DISK_SIZE, "tmpfs"]).arg(path);
        run_checked(mount, "mount a file system").ok().map(|()| Self { mount_point: path.to_owned() })
    }

    fn ballast_path(&self) -> PathBuf {
        self.mount_point.join("ballast")
    }

    /// Leaves little room.
    fn fill(&self) -> Result<(), BenchError> {
        use std::io::Write as _;
        let failed = |source| BenchError::io("fill the disk", source);
        let mut file = std::fs::File::create(self.ballast_path()).map_err(failed)?;
        let (step, mut bytes_written) = (vec![1; BALLAST_STEP], 0_u64);
        while file.write_all(&step).is_ok() {
            bytes_written += BALLAST_STEP as u64;
        }
        file.set_len(bytes_written.saturating_sub(FREE_BYTES as u64)).map_err(failed)
    }

    fn make_room(&self) -> Result<(), BenchError> {
        std::fs::remove_file(self.ballast_path()).map_err(|source| BenchError::io("make room", source))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let mut unmount = Command::new("umount");
        unmount.arg("-l").arg(&self.mount_point);
        let _ = run_checked(unmount, "unmount a file system");
    }
}

/// Fills the disk of the database under load, and makes room again.
pub async fn try_full_disk(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let folder = bench.settings.temporary_folder()?;
    let path = folder.path().join("disk");
    std::fs::create_dir(&path).map_err(|source| BenchError::io("make a folder", source))?;
    let Some(disk) = SmallDisk::mount(&path) else {
        return Ok(PromiseRow::skipped(PROMISE, bench.engine, "only root can mount a small file system"));
    };
    let (cluster, data, database) = match bench.engine {
        EngineKind::Sqlite => (None, path.clone(), None),
        EngineKind::Postgres => {
            let temp_dir = bench.settings.temporary_folder()?;
            let cluster = PostgresCluster::create(temp_dir.path(), &path.join("cluster")).await?;
            let database = cluster.create_database("sinete").await?;
            (Some((cluster, temp_dir)), folder.path().join("data"), Some(database))
        }
    };
    let instance = TestedInstance::prepare(bench.program, folder.path(), &data, database.as_deref())?;
    let row = run_on_disk(bench, &disk, TestSetup::start(instance, bench.program, 1, None).await?).await;
    drop(cluster);
    row
}

async fn run_on_disk(
    bench: &TestBench<'_>,
    disk: &SmallDisk,
    mut setup: TestSetup,
) -> Result<PromiseRow, BenchError> {
    disk.fill()?;
    let workload = RunningWorkload::start(&setup.addresses(), &setup.credentials);
    tokio::time::sleep(LOAD_TIME).await;
    let (health, readiness) = {
        let node = setup.first_node()?;
        (node.admin_status("/healthz").await, node.admin_status("/readyz").await)
    };
    disk.make_room()?;
    let recovered = setup.wait_for_service(RECOVERY_MAX).await;
    let journals = workload.finish().await?;
    let (acknowledged, failures) = (count_acknowledged(&journals), describe_failures(&journals));
    let mut findings = Vec::new();
    if !failures.contains('×') {
        findings.push("no request failed: the disk was not full".to_owned());
    }
    if health != Some(200) {
        findings.push(format!("/healthz was {health:?} on the full disk"));
    }
    if readiness != Some(503) {
        findings.push(format!("/readyz was {readiness:?} on the full disk"));
    }
    if recovered.is_none() {
        findings.push(format!("no service {RECOVERY_MAX:?} after there was room"));
    }
    let verified = verify_journals(journals, setup.addresses()[0], &setup.credentials).await?;
    findings.extend(verified.findings);
    setup.stop().await?;
    findings.extend(setup.instance.verify_log(bench.program));
    Ok(PromiseRow {
        promise: PROMISE,
        engine: bench.engine,
        action: format!(
            "the file system of the database filled to {} KiB, load for {} s, then room made",
            FREE_BYTES / 1024,
            LOAD_TIME.as_secs()
        ),
        count: format!("{acknowledged} acknowledged operations, {} facts checked", verified.checked),
        result: format!(
            "0 lost; requests meanwhile: {failures}; /healthz 200, /readyz {}; served again after {:.1} s",
            readiness.map_or_else(|| "unanswered".to_owned(), |status| status.to_string()),
            recovered.unwrap_or_default().as_secs_f64(),
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}
