//! Lockout after failed authentication attempts.
//!
//! Attempts from known devices are counted separately, so that attackers cannot lock out the owner. Too many
//! failures from unknown devices lock the credential for unknown devices; too many on one known device
//! disable it entirely.

use crate::limits::{LOCKOUT_FAILURES_MAX, LOCKOUT_FREE_FAILURES, LOCKOUT_WAIT, LOCKOUT_WAIT_MAX};
use crate::time::{Lifetime, Timestamp};

/// Consecutive failures and the current block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedAttemptCounter {
    /// The number of consecutive failures.
    pub count: i64,
    /// No attempts are accepted until then.
    pub blocked_until: Timestamp,
}

/// Where the attempts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockoutScope {
    /// Devices not seen with this account before.
    UnknownDevices,
    /// A device seen with this account before.
    KnownDevice,
    /// Anyone guessing a one-time code that is sent anew each time and allows few attempts itself. It is
    /// never locked: that would only lock out its owner.
    SentCode,
}

/// The outcome of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockoutOutcome {
    /// No consequence, or a wait.
    NotLocked,
    /// Locked for unknown devices until the owner enrolls it again.
    LockedForUnknownDevices,
    /// The credential is disabled.
    Disabled,
}

impl FailedAttemptCounter {
    /// No failures.
    pub const NONE: Self = Self { count: 0, blocked_until: Timestamp::EPOCH };

    /// The remaining wait; `None` if attempts are accepted.
    pub fn remaining_wait(&self, now: Timestamp) -> Option<Lifetime> {
        (self.blocked_until > now).then(|| self.blocked_until.since(now))
    }

    /// Records a failure.
    #[must_use]
    pub fn record_failure(&self, attempt_source: LockoutScope, now: Timestamp) -> (Self, LockoutOutcome) {
        let count = self.count.saturating_add(1);
        let waits = Self { count, blocked_until: now.plus(wait_after(count)) };
        match attempt_source {
            LockoutScope::UnknownDevices if count >= LOCKOUT_FAILURES_MAX => {
                (Self { count, blocked_until: PERMANENTLY }, LockoutOutcome::LockedForUnknownDevices)
            }
            LockoutScope::KnownDevice if count >= LOCKOUT_FAILURES_MAX => {
                (Self { count, blocked_until: now }, LockoutOutcome::Disabled)
            }
            LockoutScope::UnknownDevices | LockoutScope::KnownDevice | LockoutScope::SentCode => {
                (waits, LockoutOutcome::NotLocked)
            }
        }
    }
}

/// The year 9999, which means permanently.
const PERMANENTLY: Timestamp = Timestamp::from_seconds(253_370_764_800);

/// No wait after the first few failures, then one second, doubling with each failure.
fn wait_after(count: i64) -> Lifetime {
    let Some(doublings) = count.checked_sub(LOCKOUT_FREE_FAILURES + 1).filter(|excess| *excess >= 0) else {
        return Lifetime::ZERO;
    };
    let mut wait = LOCKOUT_WAIT;
    for _ in 0..doublings.min(20) {
        wait = wait.plus(wait).min(LOCKOUT_WAIT_MAX);
    }
    wait
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn after(failures: i64, attempt_source: LockoutScope) -> (FailedAttemptCounter, LockoutOutcome) {
        FailedAttemptCounter { count: failures - 1, blocked_until: NOW }.record_failure(attempt_source, NOW)
    }

    #[test]
    fn failed_attempts_back_off_after_five_up_to_fifteen_minutes() {
        let wait = |failures| {
            after(failures, LockoutScope::UnknownDevices).0.remaining_wait(NOW).map(Lifetime::seconds)
        };
        assert_eq!((1..=5).map(wait).collect::<Vec<_>>(), [None; 5]);
        assert_eq!((6..=10).map(wait).collect::<Vec<_>>(), [1, 2, 4, 8, 16].map(Some));
        assert_eq!((wait(15), wait(16), wait(99)), (Some(512), Some(900), Some(900)));
        let (blocked, _) = after(8, LockoutScope::UnknownDevices);
        assert_eq!(blocked.remaining_wait(NOW.plus(Lifetime::from_seconds(4))), None);
    }

    #[test]
    fn failed_attempts_lock_a_credential_to_unknown_devices_after_one_hundred() {
        assert_eq!(after(99, LockoutScope::UnknownDevices).1, LockoutOutcome::NotLocked);
        let (closed, follows) = after(100, LockoutScope::UnknownDevices);
        assert_eq!(follows, LockoutOutcome::LockedForUnknownDevices);
        assert!(closed.remaining_wait(NOW.plus(Lifetime::from_days(36_500))).is_some());
        assert_eq!(after(100, LockoutScope::KnownDevice).1, LockoutOutcome::Disabled);
        assert_eq!(after(101, LockoutScope::KnownDevice).1, LockoutOutcome::Disabled);
    }

    #[test]
    fn failed_attempts_at_one_time_codes_only_back_off() {
        for failures in [100, 101, 1_000_000] {
            let (waits, follows) = after(failures, LockoutScope::SentCode);
            assert_eq!(
                (waits.remaining_wait(NOW), follows),
                (Some(LOCKOUT_WAIT_MAX), LockoutOutcome::NotLocked)
            );
        }
        assert_eq!(after(7, LockoutScope::SentCode), after(7, LockoutScope::UnknownDevices));
    }
}
