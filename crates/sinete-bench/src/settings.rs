//! What a run is asked to do.

use crate::failed::BenchError;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct BenchSettings {
    /// The program measured.
    pub sinete: PathBuf,
    /// The floor it is measured against.
    pub floor: PathBuf,
    /// This program, which runs itself again where a measurement needs a process of its own.
    pub bench: PathBuf,
    /// Where the temporary folders are made; the system's place for them if nothing is said.
    pub folder: PathBuf,
    /// How long one round takes.
    pub round: Duration,
    /// How many rounds each side has.
    pub rounds: u32,
    /// How many connections send load.
    pub connections: usize,
    /// How often the program is started to see how long that takes.
    pub starts: u32,
    /// A superuser of a PostgreSQL cluster that can be thrown away.
    pub postgres: Option<String>,
    /// Whether fsyncs are counted by tracing system calls.
    pub strace: bool,
    /// What the name of a workload of tokens must contain to be measured.
    pub only: Option<String>,
}

impl BenchSettings {
    /// A folder of its own for one measurement, removed when it is dropped.
    pub fn temporary_folder(&self) -> Result<TempDir, BenchError> {
        tempfile::Builder::new()
            .prefix("sinete-bench-")
            .tempdir_in(&self.folder)
            .map_err(|source| BenchError::io(format!("make a folder in {}", self.folder.display()), source))
    }

    /// Tells whoever waits what is being measured.
    pub fn progress(&self, what: &str) {
        eprintln!("measuring {what}");
    }
}
