//! The settings of a run.

use crate::failed::BenchError;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct BenchSettings {
    /// The measured program.
    pub sinete: PathBuf,
    /// The baseline server.
    pub floor: PathBuf,
    /// This program, which runs itself again for measurements in a separate process.
    pub bench: PathBuf,
    /// Where temporary folders are created.
    pub folder: PathBuf,
    /// The duration of one round.
    pub round: Duration,
    /// The number of rounds per side.
    pub rounds: u32,
    /// The number of connections.
    pub connections: usize,
    /// The number of starts to measure.
    pub starts: u32,
    /// The URL of a superuser of a disposable PostgreSQL cluster.
    pub postgres: Option<String>,
    /// Whether to count fsyncs with strace.
    pub strace: bool,
    /// A substring of the names of token workloads to measure.
    pub only: Option<String>,
}

impl BenchSettings {
    /// Creates a temporary folder, which is removed on drop.
    pub fn temporary_folder(&self) -> Result<TempDir, BenchError> {
        tempfile::Builder::new()
            .prefix("sinete-bench-")
            .tempdir_in(&self.folder)
            .map_err(|source| BenchError::io(format!("make a folder in {}", self.folder.display()), source))
    }

    /// Prints what is being measured.
    pub fn progress(&self, label: &str) {
        eprintln!("measuring {label}");
    }
}
