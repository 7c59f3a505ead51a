//! The rate limit of SCIM requests per credential, in memory on each node.

use sinete_core::limits::SCIM_REQUESTS_PER_MINUTE_MAX;
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::time::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum tracked credentials.
const TRACKED_CREDENTIALS_MAX: usize = 10_000;

const SCIM_RATE: RateLimit = RateLimit::per_minute(SCIM_REQUESTS_PER_MINUTE_MAX);

/// The buckets of all credentials.
#[derive(Debug, Default)]
pub(crate) struct ScimRateLimits(Mutex<HashMap<String, TokenBucket>>);

impl ScimRateLimits {
    /// Counts a request, or returns the waiting time. A bulk request counts all its operations at once, so
    /// that later requests wait for them.
    pub(crate) fn check_and_count(
        &self,
        credential_key: String,
        requests: usize,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= TRACKED_CREDENTIALS_MAX && !buckets.contains_key(&credential_key) {
            buckets.retain(|_, bucket| !bucket.is_full(SCIM_RATE, now));
            // This many credentials in one minute are more than there are directories; the state is reset.
            if buckets.len() >= TRACKED_CREDENTIALS_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(credential_key).or_insert(TokenBucket::new_full(SCIM_RATE, now));
        match bucket.take_token(SCIM_RATE, now) {
            Ok(less) => {
                let extra_requests = u32::try_from(requests.saturating_sub(1)).unwrap_or(u32::MAX);
                *bucket = less.charge_tokens(SCIM_RATE, extra_requests, now);
                Ok(())
            }
            Err(wait) => {
                Err(Refusal::because(ScimRefusal::RateLimited, "by credential").with_retry_after(wait))
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
    fn scim_rate_limit_is_per_credential() {
        let provisioning = ScimRateLimits::default();
        let ask = |credential: &str, now| provisioning.check_and_count(credential.to_owned(), 1, now).is_ok();
        assert!((0..SCIM_REQUESTS_PER_MINUTE_MAX).all(|_| ask("one", NOW)));
        assert!(!ask("one", NOW) && ask("other", NOW));
        assert!(ask("one", NOW.plus(Lifetime::from_seconds(1))));
    }

    #[test]
    fn scim_rate_limit_counts_every_operation_of_a_bulk_request() {
        let provisioning = ScimRateLimits::default();
        let ask = |requests, now| provisioning.check_and_count("one".to_owned(), requests, now).is_ok();
        let half = usize::try_from(SCIM_REQUESTS_PER_MINUTE_MAX / 2).unwrap();
        assert!(ask(half, NOW) && ask(half, NOW) && !ask(1, NOW));
        assert!(!ask(0, NOW), "nor one that holds nothing");
        assert!(ask(1, NOW.plus(Lifetime::from_seconds(1))));
    }

    #[test]
    fn scim_rate_limit_memory_is_bounded() {
        let provisioning = ScimRateLimits::default();
        for number in 0..TRACKED_CREDENTIALS_MAX + 10 {
            provisioning.check_and_count(number.to_string(), 1, NOW).unwrap();
        }
        assert!(provisioning.0.lock().unwrap().len() <= TRACKED_CREDENTIALS_MAX);
    }
}
