//! The order of system calls: the log is written, then synced, and only then acknowledged.

use crate::database::Database;
use crate::journal::program;
use std::process::{Command, Stdio};

#[test]
fn commit_is_acknowledged_only_after_the_wal_sync() {
    let calls = trace(1, 60);
    let mut written_since_sync = false;
    let mut written_since_told = false;
    let (mut ack_count, mut synced) = (0, 0);
    for syscall in calls {
        match syscall {
            Call::LogWritten => (written_since_sync, written_since_told) = (true, true),
            Call::LogSynced => {
                written_since_sync = false;
                synced += 1;
            }
            Call::Told => {
                ack_count += 1;
                assert!(written_since_told, "acknowledgement {ack_count} has no write of its own before it");
                assert!(
                    !written_since_sync,
                    "acknowledgement {ack_count} was given before the log was synced"
                );
                written_since_told = false;
            }
        }
    }
    assert_eq!(ack_count, 60);
    assert!(synced >= 60, "{synced} syncs for 60 commits of one writer");
}

#[test]
fn group_commit_of_64_writers_syncs_once_for_eight_commits_or_more() {
    let calls = trace(64, 2000);
    let ack_count = calls.iter().filter(|syscall| **syscall == Call::Told).count();
    let synced = calls.iter().filter(|syscall| **syscall == Call::LogSynced).count();
    assert_eq!(ack_count, 2000);
    assert!(synced > 0 && synced * 8 <= ack_count, "{synced} syncs for {ack_count} commits");
    println!("{synced} syncs for {ack_count} commits");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// The write-ahead log was written.
    LogWritten,
    /// The write-ahead log was synced.
    LogSynced,
    /// An id was printed.
    Told,
}

/// Runs the writer under `strace` and returns its calls, starting with the write of the first
/// acknowledgement.
fn trace(tasks: u32, acts: u32) -> Vec<Call> {
    let database = Database::sqlite();
    let output = database.folder().join("trace");
    let run = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=fdatasync,fsync,write,pwrite64", "-o"])
        .arg(&output)
        .arg(program())
        .args([&database.url(), &tasks.to_string(), "1", &acts.to_string()])
        .stdout(Stdio::piped())
        .output()
        .expect("strace is needed to see the order of system calls: run ./scripts/test, which installs it");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(
        run.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(),
        acts as usize
    );
    let text = std::fs::read_to_string(output).unwrap();
    let mut syncing = None;
    text.lines().filter_map(|line| read_call(line, &mut syncing)).collect()
}

/// A line is `PID call(FD<path>, …) = result`. A call that was interrupted by another thread has two lines:
/// the first ends in `<unfinished ...>`, and the second, `<... call resumed>`, has the result.
fn read_call(line: &str, syncing: &mut Option<String>) -> Option<Call> {
    let (thread, syscall) = line.split_once(' ')?;
    let syscall = syscall.trim_start();
    let on_log = syscall.contains("-wal>");
    if (syscall.starts_with("pwrite64(") || syscall.starts_with("write(")) && on_log {
        return Some(Call::LogWritten);
    }
    if syscall.starts_with("write(1<") {
        return Some(Call::Told);
    }
    if (syscall.starts_with("fdatasync(") || syscall.starts_with("fsync(")) && on_log {
        if syscall.ends_with("= 0") {
            return Some(Call::LogSynced);
        }
        *syncing = Some(thread.to_owned());
        return None;
    }
    let resumed =
        syscall.starts_with("<... fdatasync resumed>") || syscall.starts_with("<... fsync resumed>");
    if resumed && syscall.ends_with("= 0") && syncing.as_deref() == Some(thread) {
        *syncing = None;
        return Some(Call::LogSynced);
    }
    None
}
