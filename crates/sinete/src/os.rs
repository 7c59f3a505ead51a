//! The clock and the randomness of the operating system. Only this module reads them.

use sinete_core::entropy::Entropy;
use sinete_core::time::Timestamp;
use sinete_engine::ports::Clock;
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// The operating system's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the program's entropy, which the others are given"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            // Continuing with predictable secrets would be worse than stopping.
            let _ = writeln!(std::io::stderr(), "sinete: the operating system gives no randomness: {error}");
            std::process::abort();
        }
    }
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        SystemClock::now(*self)
    }
}

impl SystemClock {
    /// The current time.
    #[expect(clippy::disallowed_methods, reason = "this is the program's clock, which the others are given")]
    pub fn now(self) -> Timestamp {
        let micros = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
        };
        Timestamp::from_micros(micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::draw_bytes;

    #[test]
    fn os_entropy_does_not_repeat() {
        assert_ne!(draw_bytes::<32>(&OsEntropy), draw_bytes::<32>(&OsEntropy));
    }

    #[test]
    fn system_clock_advances_and_is_in_this_century() {
        let (first, second) = (SystemClock.now(), SystemClock.now());
        assert!(first > Timestamp::from_seconds(1_700_000_000));
        assert!(first <= second);
    }
}
