//! Elapsed time. The only module of the benchmark that reads a clock.

use std::time::{Duration, Instant};

/// A running stopwatch.
#[derive(Clone, Copy, Debug)]
pub struct RunningStopwatch(Instant);

impl RunningStopwatch {
    /// Starts a stopwatch.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures durations and reports them")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
