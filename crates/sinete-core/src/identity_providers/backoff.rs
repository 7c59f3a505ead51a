//! Exponential backoff for an identity provider that does not respond, up to a bound, so that its recovery is
//! noticed.

use crate::limits::{PROVIDER_BACKOFF_MAX, PROVIDER_BACKOFF_MIN};
use crate::time::{Lifetime, Timestamp};

/// The failures of an identity provider that did not respond or sent an unusable response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentityProviderBackoff {
    /// The time of the last failure.
    pub last_at: Timestamp,
    /// The number of consecutive failures.
    pub failure_count: u32,
}

impl IdentityProviderBackoff {
    /// Records another failure.
    pub const fn record_failure(earlier: Option<Self>, now: Timestamp) -> Self {
        let failure_count = match earlier {
            Some(earlier) => earlier.failure_count.saturating_add(1),
            None => 1,
        };
        Self { last_at: now, failure_count }
    }

    /// Whether the provider must not be contacted now.
    pub fn is_backing_off(self, now: Timestamp) -> bool {
        now.since(self.last_at) < self.backoff_duration()
    }

    /// The waiting time: doubles with each failure, up to a bound.
    fn backoff_duration(self) -> Lifetime {
        let doublings = self.failure_count.saturating_sub(1).min(i64::BITS);
        let seconds = (0..doublings).fold(PROVIDER_BACKOFF_MIN.seconds(), |rest, _| {
            rest.saturating_mul(2).min(PROVIDER_BACKOFF_MAX.seconds())
        });
        Lifetime::from_seconds(u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_763_208_000);

    #[test]
    fn identity_provider_that_is_unresponsive_backs_off_exponentially() {
        let mut silence = None;
        let mut rests = Vec::new();
        for _ in 0..8 {
            let now = IdentityProviderBackoff::record_failure(silence, NOON);
            rests.push(now.backoff_duration().seconds());
            silence = Some(now);
        }
        assert_eq!(rests, [5, 10, 20, 40, 80, 160, 300, 300]);
    }

    proptest! {
        #[test]
        fn identity_provider_that_is_unresponsive_is_retried_after_the_longest_backoff(times: u32, passed in 0_u32..400) {
            let silence = IdentityProviderBackoff { last_at: NOON, failure_count: times };
            let later = NOON.plus(Lifetime::from_seconds(passed));
            if passed < 5 {
                prop_assert!(silence.is_backing_off(later));
            }
            if passed >= 300 {
                prop_assert!(!silence.is_backing_off(later));
            }
        }
    }
}
