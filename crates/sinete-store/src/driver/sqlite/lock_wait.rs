//! Waits for a lock that another process holds, until a deadline.
//!
//! SQLite's own timeout adds up the pauses that it asked for. Each of them takes longer on a busy machine, and
//! so would a caller's answer: the clock decides instead.

use super::error::to_failure;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The pauses between two attempts; the last one is repeated.
const PAUSES_MILLIS: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

/// Until when a connection waits for a lock.
#[derive(Debug)]
pub(super) struct LockWait(Arc<Mutex<StatementDeadline>>);

impl LockWait {
    /// Replaces the timeout of this connection.
    pub(super) fn install(connection: &mut Connection, timeout: Duration) -> Result<Self, StoreFailure> {
        let deadline = Arc::new(Mutex::new(StatementDeadline::from_now(timeout)));
        let current = deadline.clone();
        let wait = move |attempts: i32| {
            let remaining = current.lock().unwrap_or_else(PoisonError::into_inner).remaining();
            pause_before_attempt(attempts, remaining).map(std::thread::sleep).is_some()
        };
        connection.busy_handler(Some(wait)).map_err(to_failure)?;
        Ok(Self(deadline))
    }

    /// Sets the deadline of what follows.
    pub(super) fn set_deadline(&self, deadline: StatementDeadline) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}

/// How long to wait before the next attempt; `None` if there is none.
fn pause_before_attempt(earlier: i32, remaining: Duration) -> Option<Duration> {
    let index = usize::try_from(earlier).unwrap_or_default().min(PAUSES_MILLIS.len() - 1);
    (!remaining.is_zero()).then(|| Duration::from_millis(PAUSES_MILLIS[index]).min(remaining))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_wait_ends_at_the_deadline_and_never_later() {
        let remaining = Duration::from_millis(60);
        let pauses: Vec<_> = (0..14).filter_map(|earlier| pause_before_attempt(earlier, remaining)).collect();
        assert_eq!(
            pauses.iter().map(Duration::as_millis).collect::<Vec<_>>(),
            [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 60, 60, 60]
        );
        assert_eq!(pause_before_attempt(0, Duration::ZERO), None, "the deadline has passed");
    }
}
