//! A description of the machine, without which results cannot be interpreted.

use crate::failed::BenchError;
use crate::process::{self, MeasuredProcess};
use crate::stopwatch::RunningStopwatch;
use sinete_core::time::Timestamp;
use std::fs::read_to_string;
use std::path::Path;
use std::time::Duration;

/// Describes date and machine in lines of prose.
pub fn describe_machine(folder: &Path) -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = read_to_string("/proc/cpuinfo").ok().and_then(|text| processor_name(&text));
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = read_to_string("/proc/self/mounts").ok().and_then(|text| file_system(&text, folder));
    let system = system.unwrap_or_else(|| "unknown".to_owned());
    let mut lines = vec![
        format!("Measured {}, sinete-bench {}.", current_date(), env!("CARGO_PKG_VERSION")),
        format!(
            "Machine: {cores} cores ({}), Linux {}; data on {system}. Server and load generator share the cores.",
            model.unwrap_or_else(|| "unknown processor".to_owned()),
            kernel.trim(),
        ),
    ];
    if system == "tmpfs" {
        lines.push(
            "**The folder is in memory: an fsync costs nothing there. Choose a disk with --folder.**"
                .to_owned(),
        );
    }
    if cfg!(debug_assertions) {
        lines.push(
            "**Built without optimisation: build with --profile bench-ci or --profile dist.**".to_owned(),
        );
    }
    lines
}

/// Measures the load of other processes during a run.
#[derive(Clone, Copy, Debug)]
pub struct BackgroundLoad {
    busy_at_start: Duration,
    own_cpu_at_start: Duration,
    stopwatch: RunningStopwatch,
}

impl BackgroundLoad {
    /// Starts measuring.
    pub fn start() -> Result<Self, BenchError> {
        let ours = MeasuredProcess::current().cpu_time_with_children()?;
        Ok(Self {
            busy_at_start: process::busy_time()?,
            own_cpu_at_start: ours,
            stopwatch: RunningStopwatch::start(),
        })
    }

    /// The CPU time of other processes since the start, in a line of prose.
    pub fn summary(self) -> Result<String, BenchError> {
        let ours = MeasuredProcess::current().cpu_time_with_children()?.saturating_sub(self.own_cpu_at_start);
        let others = process::busy_time()?.saturating_sub(self.busy_at_start).saturating_sub(ours);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = others.as_secs_f64() / (self.stopwatch.elapsed().as_secs_f64() * cores as f64);
        Ok(format!(
            "Others, the kernel and any PostgreSQL among them, used {:.0} % of the processors meanwhile.",
            share * 100.0
        ))
    }
}

/// The date, in UTC.
#[expect(clippy::disallowed_methods, reason = "a report says on which day it was made")]
fn current_date() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_seconds(seconds).to_string().chars().take(10).collect()
}

fn processor_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_owned())
}

/// The file system type of the folder: that of its longest mount point.
fn file_system(mounts: &str, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((Path::new(fields.next()?), fields.next()?))
        })
        .filter(|(point, _)| folder.starts_with(point))
        // Of two mounts at the same point, the later one is visible.
        .max_by_key(|(point, _)| point.components().count())
        .map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_system_is_the_one_of_the_nearest_mount() {
        let mounts = "/dev/a / ext4 rw 0 0\nnone / overlay rw 0 0\ntmpfs /proc tmpfs rw 0 0\n";
        assert_eq!(file_system(mounts, Path::new("/")).as_deref(), Some("overlay"));
        assert_eq!(file_system(mounts, Path::new("/proc/self/..")).as_deref(), Some("tmpfs"));
        assert_eq!(file_system(mounts, Path::new("/no such folder")), None);
    }

    #[test]
    fn processor_name_is_read_from_cpuinfo() {
        assert_eq!(processor_name("x: 1\nmodel name\t: A B\nmodel name\t: A B\n").as_deref(), Some("A B"));
        assert_eq!(processor_name("x: 1\n"), None);
    }
}
