//! Resource usage of a process, from Linux' `/proc`.

use crate::failed::BenchError;
use std::time::Duration;

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredProcess {
    /// The process id.
    pub id: u32,
}

/// The unit of times in `/proc/PID/stat`: a hundredth of a second on every Linux we run on.
const TICK: Duration = Duration::from_millis(10);

impl MeasuredProcess {
    /// The current process.
    pub fn current() -> Self {
        Self { id: std::process::id() }
    }

    /// The CPU time of all its threads, in user mode and in the kernel.
    pub fn cpu_time(self) -> Result<Duration, BenchError> {
        self.cpu_times().map(|[user, system, ..]| user + system)
    }

    /// The same, including children that have ended.
    pub fn cpu_time_with_children(self) -> Result<Duration, BenchError> {
        self.cpu_times().map(|times| times.iter().sum())
    }

    /// The CPU time of this process and of all its children, running and ended.
    pub fn cpu_time_of_family(self) -> Result<Duration, BenchError> {
        let entries =
            std::fs::read_dir("/proc").map_err(|source| BenchError::io("list processes", source))?;
        let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        // A process that ends meanwhile is counted by its parent.
        let children = ids.map(|id| Self { id }).filter(|child| child.parent() == Some(self));
        let running: Duration = children.filter_map(|child| child.cpu_time().ok()).sum();
        Ok(running + self.cpu_time_with_children()?)
    }

    /// The process that started it.
    pub fn parent(self) -> Option<Self> {
        let text = self.read_proc_file("stat").ok()?;
        let after = text.get(text.rfind(')')? + 1..)?;
        after.split_ascii_whitespace().nth(1)?.parse().ok().map(|id| Self { id })
    }

    /// The resident memory, in bytes.
    pub fn resident_bytes(self) -> Result<u64, BenchError> {
        let text = self.read_proc_file("status")?;
        parse_resident_bytes(&text)
            .ok_or_else(|| BenchError::Unexpected(format!("/proc/{}/status names no VmRSS", self.id)))
    }

    fn cpu_times(self) -> Result<[Duration; 4], BenchError> {
        let text = self.read_proc_file("stat")?;
        parse_process_times(&text)
            .ok_or_else(|| BenchError::Unexpected(format!("/proc/{}/stat reads {text:?}", self.id)))
    }

    fn read_proc_file(self, file: &str) -> Result<String, BenchError> {
        let path = format!("/proc/{}/{file}", self.id);
        std::fs::read_to_string(&path).map_err(|source| BenchError::io(format!("read {path}"), source))
    }
}

/// Parses user and system time of the process, then of its children: fields 14 to 17. Field 2 is the program
/// name in parentheses and may contain spaces and parentheses, so fields are counted from the last
/// parenthesis.
fn parse_process_times(text: &str) -> Option<[Duration; 4]> {
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace().skip(11);
    let mut next = || Some(TICK * fields.next()?.parse().ok()?);
    Some([next()?, next()?, next()?, next()?])
}

/// The time that the CPUs of this machine were not idle.
pub fn busy_time() -> Result<Duration, BenchError> {
    let text =
        std::fs::read_to_string("/proc/stat").map_err(|source| BenchError::io("read /proc/stat", source))?;
    parse_busy_time(&text)
        .ok_or_else(|| BenchError::Unexpected("/proc/stat does not begin with times".to_owned()))
}

/// Parses the first line, the sum over all CPUs: user, nice, system, idle, iowait, and four more kinds of
/// busy time, of which the last two are included in the first two.
fn parse_busy_time(text: &str) -> Option<Duration> {
    let mut fields = text.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
    let mut next = || fields.next()?.parse::<u32>().ok();
    let (user, nice, system, _idle, _waiting) = (next()?, next()?, next()?, next()?, next()?);
    let (interrupts, soft_interrupts, stolen) = (next()?, next()?, next()?);
    Some([user, nice, system, interrupts, soft_interrupts, stolen].map(|ticks| TICK * ticks).iter().sum())
}

fn parse_resident_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopwatch::RunningStopwatch;

    #[test]
    fn processor_time_is_parsed_after_any_program_name() {
        let text = "42 (a (b) 1 2 3 4 5 6 7 8 9 10 11 12) S 1 42 42 0 -1 4194304 1 0 0 0 250 31 7 1 20 0 9";
        assert_eq!(parse_process_times(text), Some([2_500, 310, 70, 10].map(Duration::from_millis)));
        assert_eq!(parse_process_times("42 (cut) S 1 42"), None);
        assert_eq!(parse_process_times(""), None);
    }

    #[test]
    fn idle_and_iowait_time_is_not_busy() {
        let text = "cpu  100 20 3 9999 888 4 5 6 70 8\ncpu0 1 1 1 1\n";
        assert_eq!(parse_busy_time(text), Some(Duration::from_millis(1_380)));
        assert_eq!(parse_busy_time("cpu  100 20 3\n"), None);
        assert!(busy_time().unwrap() > Duration::ZERO);
    }

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(parse_resident_bytes("VmHWM:\t 9 kB\nVmRSS:\t    2048 kB\n"), Some(2 * 1024 * 1024));
        assert_eq!(parse_resident_bytes("VmHWM:\t 9 kB\n"), None);
    }

    #[test]
    fn current_process_uses_time_and_memory() {
        let watch = RunningStopwatch::start();
        let before = MeasuredProcess::current().cpu_time().unwrap();
        let mut sum = 0_u64;
        while watch.elapsed() < Duration::from_secs(5)
            && MeasuredProcess::current().cpu_time().unwrap() == before
        {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(MeasuredProcess::current().cpu_time().unwrap() > before);
        assert!(MeasuredProcess::current().resident_bytes().unwrap() > 100 * 1024);
    }

    #[test]
    fn process_family_includes_running_children() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let measured_process = MeasuredProcess { id: child.id() }.parent();
        let family = MeasuredProcess::current().cpu_time_of_family();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(measured_process, Some(MeasuredProcess::current()));
        assert!(family.is_ok());
        assert_eq!(MeasuredProcess { id: u32::MAX }.parent(), None);
    }

    #[test]
    fn absent_process_is_an_error() {
        let absent = MeasuredProcess { id: u32::MAX };
        assert!(
            absent.cpu_time().unwrap_err().to_string().starts_with("could not read /proc/4294967295/stat")
        );
    }
}
