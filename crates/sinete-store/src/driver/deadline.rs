//! Until when a caller waits for the database.
//!
//! The time runs from the moment the store is asked. Waiting for a turn, for a connection and for a lock that another
//! process holds all count against it, so that the answer comes in time however many of them there are.

use std::time::Duration;
use tokio::time::Instant;

/// When the caller of the store is answered at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StatementDeadline {
    answer_by: Instant,
    start_by: Instant,
}

impl StatementDeadline {
    /// A deadline so long from now.
    pub(crate) fn from_now(patience: Duration) -> Self {
        Self::from_start(now(), patience)
    }

    /// The deadline of a write that its caller could do without: an eighth of the time, so that whatever the caller does next
    /// is still answered in time.
    pub(crate) fn brief_from_now(patience: Duration) -> Self {
        Self::from_now(patience / 8)
    }

    /// A part of the time is for waiting until a change is sent, and the rest is left to the server: it gives up on a lock
    /// within that rest, so nothing is carried out after its caller was told that it failed.
    fn from_start(asked_at: Instant, patience: Duration) -> Self {
        Self { answer_by: asked_at + patience, start_by: asked_at + patience * 3 / 8 }
    }

    /// When the caller is answered at the latest.
    pub(crate) const fn answer_by(self) -> Instant {
        self.answer_by
    }

    /// Whether it is too late to send a change to a server. It would not be known in time what became of it.
    pub(crate) fn is_too_late_to_start(self) -> bool {
        now() >= self.start_by
    }

    /// How much of the time is left.
    pub(crate) fn remaining(self) -> Duration {
        self.answer_by.saturating_duration_since(now())
    }
}

/// How long a server waits for a lock at most. With the usual patience that is longer than the second after which
/// PostgreSQL looks for a deadlock, which is then told apart from a lock that somebody holds.
pub(crate) fn lock_timeout(patience: Duration) -> Duration {
    patience * 9 / 16
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a caller has waited, and no decision about anything stored"
)]
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
            let (asked_at, patience) = (now(), Duration::from_millis(millis));
            let deadline = StatementDeadline::from_start(asked_at, patience);
            assert!(deadline.start_by + lock_timeout(patience) < deadline.answer_by());
            assert_eq!(deadline.answer_by(), asked_at + patience);
        }
    }

    #[test]
    fn deadline_counts_time_already_waited() {
        let patience = Duration::from_secs(2);
        let waited = |millis| StatementDeadline::from_start(now() - Duration::from_millis(millis), patience);
        assert!(!waited(500).is_too_late_to_start() && waited(1_000).is_too_late_to_start());
        assert!(waited(500).remaining() <= Duration::from_millis(1_500));
        assert_eq!(waited(3_000).remaining(), Duration::ZERO);
    }
}
