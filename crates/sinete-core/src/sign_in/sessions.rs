//! Session lifetime: a week without use, a month at most.

pub mod device;

use crate::limits::{SESSION_AGE_MAX, SESSION_IDLE_MAX};
use crate::time::Timestamp;

/// The data that determines whether a session is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLifecycle {
    /// When it started. Rotating its token does not change this.
    pub created_at: Timestamp,
    /// When it was last used.
    pub used_at: Timestamp,
    /// When it was ended; `None` if it was not.
    pub ended_at: Option<Timestamp>,
    /// The account's epoch at the start.
    pub account_epoch: i64,
}

/// Why a session is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEndReason {
    /// It was ended explicitly.
    Ended,
    /// All earlier sessions of the account were ended.
    AllSessionsEnded,
    /// It was idle too long.
    Idle,
    /// It reached its maximum age.
    MaxAgeReached,
}

impl SessionLifecycle {
    /// When it expires if it is not used again.
    pub fn expires_at(&self) -> Timestamp {
        self.used_at.plus(SESSION_IDLE_MAX).min(self.created_at.plus(SESSION_AGE_MAX))
    }

    /// Checks whether it is active, given the account's current epoch.
    pub fn check_active(&self, epoch: i64, now: Timestamp) -> Result<(), SessionEndReason> {
        if self.ended_at.is_some() {
            Err(SessionEndReason::Ended)
        } else if self.account_epoch != epoch {
            Err(SessionEndReason::AllSessionsEnded)
        } else if self.created_at.plus(SESSION_AGE_MAX) <= now {
            Err(SessionEndReason::MaxAgeReached)
        } else if self.used_at.plus(SESSION_IDLE_MAX) <= now {
            Err(SessionEndReason::Idle)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;
    use proptest::prelude::*;

    const START: Timestamp = Timestamp::from_seconds(1_000_000);

    fn used_after(days: u32) -> SessionLifecycle {
        let used_at = START.plus(Lifetime::from_days(days));
        SessionLifecycle { created_at: START, used_at, ended_at: None, account_epoch: 3 }
    }

    #[test]
    fn session_expires_after_a_week_unused_and_a_month_at_most() {
        let day = |days| START.plus(Lifetime::from_days(days));
        let before = |at: Timestamp| at.minus(Lifetime::from_micros(1));
        assert_eq!(used_after(0).check_active(3, before(day(7))), Ok(()));
        assert_eq!(used_after(0).check_active(3, day(7)), Err(SessionEndReason::Idle));
        assert_eq!(used_after(29).check_active(3, before(day(30))), Ok(()));
        assert_eq!(used_after(29).check_active(3, day(30)), Err(SessionEndReason::MaxAgeReached));
        assert_eq!((used_after(0).expires_at(), used_after(29).expires_at()), (day(7), day(30)));
    }

    #[test]
    fn session_ended_or_of_an_earlier_epoch_stays_ended() {
        let ended = SessionLifecycle { ended_at: Some(START), ..used_after(0) };
        assert_eq!(ended.check_active(3, START), Err(SessionEndReason::Ended));
        assert_eq!(used_after(0).check_active(4, START), Err(SessionEndReason::AllSessionsEnded));
    }

    proptest! {
        #[test]
        fn session_never_outlives_a_month_whatever_its_use(gaps in proptest::collection::vec(1_u32..700_000, 1..80)) {
            let mut life = used_after(0);
            let mut now = START;
            for gap in gaps {
                now = now.plus(Lifetime::from_seconds(gap));
                match life.check_active(3, now) {
                    Ok(()) => {
                        prop_assert!(now < START.plus(SESSION_AGE_MAX) && now < life.expires_at());
                        life.used_at = now;
                    }
                    Err(_) => prop_assert!(now >= life.expires_at()),
                }
            }
        }
    }
}
