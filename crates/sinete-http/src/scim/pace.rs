//! How often one credential may provision: kept in memory, by each node for itself.

use sinete_core::limits::SCIM_REQUESTS_A_MINUTE_MAX;
use sinete_core::pace::{Bucket, Pace};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most credentials remembered at a time.
const REMEMBERED_MAX: usize = 10_000;

const PACE: Pace = Pace::of(SCIM_REQUESTS_A_MINUTE_MAX);

/// What every credential has left.
#[derive(Debug, Default)]
pub(crate) struct Provisioning(Mutex<HashMap<String, Bucket>>);

impl Provisioning {
    /// Counts one more request of whoever this is, or says how long to wait.
    pub(crate) fn take(&self, who: String, now: Timestamp) -> Result<(), Refusal> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(&who) {
            buckets.retain(|_, bucket| !bucket.is_full(PACE, now));
            // So many in one minute are more than there are directories; whoever is forgotten begins anew.
            if buckets.len() >= REMEMBERED_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(who).or_insert(Bucket::full(PACE, now));
        match bucket.take(PACE, now) {
            Ok(less) => {
                *bucket = less;
                Ok(())
            }
            Err(wait) => {
                let public = "this credential has provisioned too often: wait a moment";
                Err(Refusal::new(RefusalCode::TooManyRequests, public, "by credential").retry_after(wait))
            }
        }
    }

    /// Counts so many more of whoever this is, for a request that holds many: what comes next waits for them.
    pub(crate) fn charge(&self, who: &str, count: u32, now: Timestamp) {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(who) {
            *bucket = bucket.charge(PACE, count, now);
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
        let provisioning = Provisioning::default();
        let ask = |who: &str, now| provisioning.take(who.to_owned(), now).is_ok();
        assert!((0..SCIM_REQUESTS_A_MINUTE_MAX).all(|_| ask("one", NOW)));
        assert!(!ask("one", NOW) && ask("other", NOW));
        assert!(ask("one", NOW.plus(Lifetime::from_seconds(1))));
    }

    #[test]
    fn credentials_without_end_are_forgotten_rather_than_kept() {
        let provisioning = Provisioning::default();
        for number in 0..REMEMBERED_MAX + 10 {
            provisioning.take(number.to_string(), NOW).unwrap();
        }
        assert!(provisioning.0.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
