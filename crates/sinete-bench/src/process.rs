//! What a running process has used, as Linux tells it.

use crate::failed::Failed;
use std::time::Duration;

/// A process, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The id the system gave it.
    pub id: u32,
}

/// The unit of the times in `/proc/PID/stat`: a hundredth of a second on every Linux we run on.
const TICK: Duration = Duration::from_millis(10);

impl Process {
    /// The process this code runs in.
    pub fn current() -> Self {
        Self { id: std::process::id() }
    }

    /// Processor time used so far by all its threads, in user code and in the kernel.
    pub fn cpu(self) -> Result<Duration, Failed> {
        let text = self.read("stat")?;
        cpu_in_stat(&text).ok_or_else(|| Failed::Unexpected(format!("/proc/{}/stat reads {text:?}", self.id)))
    }

    /// Memory that is resident now, in bytes.
    pub fn resident_bytes(self) -> Result<u64, Failed> {
        let text = self.read("status")?;
        resident_in_status(&text)
            .ok_or_else(|| Failed::Unexpected(format!("/proc/{}/status names no VmRSS", self.id)))
    }

    fn read(self, file: &str) -> Result<String, Failed> {
        let path = format!("/proc/{}/{file}", self.id);
        std::fs::read_to_string(&path).map_err(|source| Failed::io(format!("read {path}"), source))
    }
}

/// `utime` and `stime` are the 14th and 15th fields. The second is the program's name in parentheses and may
/// hold spaces and parentheses itself, so we count from the last one.
fn cpu_in_stat(text: &str) -> Option<Duration> {
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * user.saturating_add(system))
}

fn resident_in_status(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopwatch::Stopwatch;

    #[test]
    fn processor_time_is_found_behind_any_program_name() {
        let text = "42 (a (b) 1 2 3 4 5 6 7 8 9 10 11 12) S 1 42 42 0 -1 4194304 1 0 0 0 250 31 0 0 20 0 9";
        assert_eq!(cpu_in_stat(text), Some(Duration::from_millis(2810)));
        assert_eq!(cpu_in_stat("42 (cut) S 1 42"), None);
        assert_eq!(cpu_in_stat(""), None);
    }

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(resident_in_status("VmHWM:\t 9 kB\nVmRSS:\t    2048 kB\n"), Some(2 * 1024 * 1024));
        assert_eq!(resident_in_status("VmHWM:\t 9 kB\n"), None);
    }

    #[test]
    fn this_process_uses_time_and_memory() {
        let watch = Stopwatch::start();
        let before = Process::current().cpu().unwrap();
        let mut sum = 0_u64;
        while watch.elapsed() < Duration::from_secs(5) && Process::current().cpu().unwrap() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(Process::current().cpu().unwrap() > before);
        assert!(Process::current().resident_bytes().unwrap() > 100 * 1024);
    }

    #[test]
    fn a_process_that_is_not_there_is_a_failure() {
        let absent = Process { id: u32::MAX };
        assert!(absent.cpu().unwrap_err().to_string().starts_with("could not read /proc/4294967295/stat"));
    }
}
