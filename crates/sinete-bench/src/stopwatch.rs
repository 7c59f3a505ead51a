//! How long something took. The only place in the benchmark that looks at a clock.

use std::time::{Duration, Instant};

/// A running stopwatch.
#[derive(Clone, Copy, Debug)]
pub struct RunningStopwatch(Instant);

impl RunningStopwatch {
    /// Starts one.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures durations and reports them")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since it was started.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
