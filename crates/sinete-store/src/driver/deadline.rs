//! Deadlines of database calls.
//!
//! The time starts when the store is called. Waiting in a queue, for a connection and for another process's
//! lock all count against it, so that the caller is answered in time.

use std::time::Duration;
use tokio::time::Instant;
use tokio::time::error::Elapsed;

/// The deadline of a database call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StatementDeadline {
    answer_by: Instant,
    start_by: Instant,
}

impl StatementDeadline {
    /// A deadline this long from now.
    pub(crate) fn from_now(timeout: Duration) -> Self {
        Self::from_start(now(), timeout)
    }

    /// The deadline of an optional write: an eighth of the time, so that the caller's next operation is still
    /// answered in time.
    pub(crate) fn brief_from_now(timeout: Duration) -> Self {
        Self::from_now(timeout / 8)
    }

    /// A part of the time is for waiting until the change is sent; the rest is left to the server. The server
    /// gives up on a lock within that rest, so nothing is committed after its caller received an error.
    fn from_start(asked_at: Instant, timeout: Duration) -> Self {
        Self { answer_by: asked_at + timeout, start_by: asked_at + timeout * 3 / 8 }
    }

    /// When the caller must be answered.
    pub(crate) const fn answer_by(self) -> Instant {
        self.answer_by
    }

    /// Whether it is too late to send a change to a server, because its outcome would not be known in time.
    pub(crate) fn is_too_late_to_start(self) -> bool {
        now() >= self.start_by
    }

    /// The remaining time.
    pub(crate) fn remaining(self) -> Duration {
        self.answer_by.saturating_duration_since(now())
    }
}

/// The error of a call with a deadline.
#[derive(Debug)]
pub(crate) enum CallError<E> {
    /// It failed.
    Failed(E),
    /// It did not end in time.
    TimedOut,
}

/// The result of a call with a timeout. A failure and a timeout share one error type.
pub(crate) fn flatten_timeout<T, E>(result: Result<Result<T, E>, Elapsed>) -> Result<T, CallError<E>> {
    match result {
        Ok(called) => called.map_err(CallError::Failed),
        Err(_) => Err(CallError::TimedOut),
    }
}

/// The server's lock timeout. With the usual patience it exceeds the second after which PostgreSQL checks for
/// deadlocks, so that a deadlock is distinguished from a lock that is held.
pub(crate) fn lock_timeout(timeout: Duration) -> Duration {
    timeout * 9 / 16
}

#[expect(clippy::disallowed_methods, reason = "measures waiting time only, not the time of stored data")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_timeout_never_outlasts_the_callers_deadline() {
        assert!(lock_timeout(Duration::from_secs(2)) > Duration::from_secs(1));
        for millis in [1, 1_500, 2_000, 300_000] {
            let (asked_at, timeout) = (now(), Duration::from_millis(millis));
            let deadline = StatementDeadline::from_start(asked_at, timeout);
            assert!(deadline.start_by + lock_timeout(timeout) < deadline.answer_by());
            assert_eq!(deadline.answer_by(), asked_at + timeout);
        }
    }

    #[test]
    fn deadline_includes_the_time_spent_waiting() {
        let timeout = Duration::from_secs(60);
        let waited = |seconds| StatementDeadline::from_start(now() - Duration::from_secs(seconds), timeout);
        assert!(!waited(10).is_too_late_to_start() && waited(30).is_too_late_to_start());
        assert!(waited(10).remaining() <= Duration::from_secs(50));
        assert_eq!(waited(90).remaining(), Duration::ZERO);
    }
}
