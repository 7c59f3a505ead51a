//! A process that writes and acknowledges, and the list of its acknowledgements.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// `examples/journal_writer.rs`, as built with these tests.
pub fn program() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let built = this.parent().unwrap().parent().unwrap().join("examples/journal_writer");
    assert!(built.exists(), "{} is missing: run `cargo build -p sinete-store --examples`", built.display());
    built
}

/// A running writer.
pub struct Writer {
    process: Child,
    lines: BufReader<std::process::ChildStdout>,
    acknowledged: Vec<String>,
}

impl Writer {
    /// Starts to write endlessly.
    pub fn start(url: &str, tasks: u32, round: u32) -> Self {
        let mut process = Command::new(program())
            .args([url, &tasks.to_string(), &round.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        Self { process, lines, acknowledged: Vec::new() }
    }

    /// Waits for this many acknowledgements, kills the process while it writes, and returns all acknowledged
    /// ids, including those in transit.
    pub fn kill_after(mut self, acknowledgements: usize) -> Vec<String> {
        while self.acknowledged.len() < acknowledgements {
            assert!(self.read_line(), "the writer stopped by itself");
        }
        // On Unix this is SIGKILL, which cannot be handled.
        self.process.kill().unwrap();
        let status = self.process.wait().unwrap();
        assert!(!status.success(), "the writer had ended before it was killed");
        while self.read_line() {}
        std::mem::take(&mut self.acknowledged)
    }

    /// Reads another acknowledgement. A truncated one does not count.
    fn read_line(&mut self) -> bool {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        match line.strip_suffix('\n') {
            Some(id) => {
                self.acknowledged.push(id.to_owned());
                true
            }
            None => false,
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It has already ended, unless the test failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
