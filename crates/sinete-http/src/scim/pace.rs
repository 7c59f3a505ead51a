//! How often one credential may provision: kept in memory, by each node for itself.

use sinete_core::limits::SCIM_REQUESTS_A_MINUTE_MAX;
use sinete_core::pace::{RateLimit, TokenBucket};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most credentials remembered at a time.
const REMEMBERED_MAX: usize = 10_000;

const PACE: RateLimit = RateLimit::of(SCIM_REQUESTS_A_MINUTE_MAX);

/// What every credential has left.
#[derive(Debug, Default)]
pub(crate) struct ScimRateLimits(Mutex<HashMap<String, TokenBucket>>);

impl ScimRateLimits {
    /// Counts one more request of whoever this is, or says how long to wait. One that holds many counts for all of them at
    /// once, and what comes next waits for them.
    pub(crate) fn take(&self, who: String, requests: usize, now: Timestamp) -> Result<(), Refusal> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(&who) {
            buckets.retain(|_, bucket| !bucket.is_full(PACE, now));
            // So many in one minute are more than there are directories; whoever is forgotten begins anew.
            if buckets.len() >= REMEMBERED_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(who).or_insert(TokenBucket::full(PACE, now));
        match bucket.take(PACE, now) {
            Ok(less) => {
                let more = u32::try_from(requests.saturating_sub(1)).unwrap_or(u32::MAX);
                *bucket = less.charge(PACE, more, now);
                Ok(())
            }
            Err(wait) => {
                let public = "this credential has provisioned too often: wait a moment";
                Err(Refusal::new(RefusalCode::TooManyRequests, public, "by credential").retry_after(wait))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::time::Lifetime;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn a_credential_is_held_to_its_pace_and_another_is_not() {
        let provisioning = ScimRateLimits::default();
        let ask = |who: &str, now| provisioning.take(who.to_owned(), 1, now).is_ok();
        assert!((0..SCIM_REQUESTS_A_MINUTE_MAX).all(|_| ask("one", NOW)));
        assert!(!ask("one", NOW) && ask("other", NOW));
        assert!(ask("one", NOW.plus(Lifetime::from_seconds(1))));
    }

    #[test]
    fn a_request_that_holds_many_counts_for_all_of_them_at_once() {
        let provisioning = ScimRateLimits::default();
        let ask = |requests, now| provisioning.take("one".to_owned(), requests, now).is_ok();
        let half = usize::try_from(SCIM_REQUESTS_A_MINUTE_MAX / 2).unwrap();
        assert!(ask(half, NOW) && ask(half, NOW) && !ask(1, NOW));
        assert!(!ask(0, NOW), "nor one that holds nothing");
        assert!(ask(1, NOW.plus(Lifetime::from_seconds(1))));
    }

    #[test]
    fn credentials_without_end_are_forgotten_rather_than_kept() {
        let provisioning = ScimRateLimits::default();
        for number in 0..REMEMBERED_MAX + 10 {
            provisioning.take(number.to_string(), 1, NOW).unwrap();
        }
        assert!(provisioning.0.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
