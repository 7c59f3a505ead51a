//! A clock that stops, so that a story decides how time passes.

use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::ports::Clock;
use std::sync::atomic::{AtomicI64, Ordering};

/// The clock of a test server. It runs while the server starts, because a database with its own clock must agree with
/// it then; it is stopped before the story begins.
pub struct TestClock {
    stopped_at: AtomicI64,
    /// How far the clock is ahead of the system clock while it runs.
    offset: AtomicI64,
}

const RUNNING: i64 = i64::MIN;

impl TestClock {
    pub const fn new_running() -> Self {
        Self { stopped_at: AtomicI64::new(RUNNING), offset: AtomicI64::new(0) }
    }

    /// Stops the clock.
    pub fn stop(&self) {
        self.stopped_at.store(system_time().micros(), Ordering::SeqCst);
    }

    /// Lets the clock run, for stories with programs that have a clock of their own.
    pub fn run(&self) {
        self.stopped_at.store(RUNNING, Ordering::SeqCst);
    }

    /// Lets the clock run with this offset; a negative one makes it slow.
    pub fn run_with_offset(&self, micros: i64) {
        self.offset.store(micros, Ordering::SeqCst);
        self.run();
    }

    /// Moves a stopped clock forward.
    pub fn advance(&self, span: Lifetime) {
        self.stopped_at.fetch_add(span.micros(), Ordering::SeqCst);
    }

    /// Moves a stopped clock back.
    pub fn rewind(&self, span: Lifetime) {
        self.stopped_at.fetch_sub(span.micros(), Ordering::SeqCst);
    }
}

#[expect(clippy::disallowed_methods, reason = "a story begins at the current time")]
fn system_time() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap())
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        match self.stopped_at.load(Ordering::SeqCst) {
            RUNNING => Timestamp::from_micros(system_time().micros() + self.offset.load(Ordering::SeqCst)),
            stopped_at => Timestamp::from_micros(stopped_at),
        }
    }

    fn is_comparable(&self) -> bool {
        self.stopped_at.load(Ordering::SeqCst) == RUNNING
    }
}
