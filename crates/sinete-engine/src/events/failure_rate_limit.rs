//! Limits how many failed authentications of one network are recorded. The security log is append-only, so an
//! attacker must not control its growth: above a rate, failures are answered but not recorded, and the next
//! recorded one includes the count of unrecorded ones.

use crate::{Engine, Failure};
use sinete_core::events::security_event::SecurityEvent;
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket, client_network};
use sinete_core::refusal::RefusalConsequence;
use sinete_core::time::Timestamp;
use sinete_store::oauth::grants;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Maximum tracked networks.
const TRACKED_NETWORKS_MAX: usize = 100_000;

/// The recording limits of all networks.
#[derive(Debug, Default)]
pub(crate) struct AuthFailureLogLimiter(Mutex<HashMap<IpAddr, NetworkFailures>>);

/// The failures of one network.
#[derive(Debug)]
struct NetworkFailures {
    bucket: TokenBucket,
    /// The number of unrecorded failures since the last recorded one.
    unrecorded: u32,
}

impl AuthFailureLogLimiter {
    /// Whether another failure is recorded, with the number of unrecorded ones before it.
    fn try_record(&self, network: IpAddr, rate_limit: RateLimit, now: Timestamp) -> Option<u32> {
        let mut networks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if networks.len() >= TRACKED_NETWORKS_MAX && !networks.contains_key(&network) {
            networks.retain(|_, it| !it.bucket.is_full(rate_limit, now));
            // This many networks mean a distributed attack; the state is reset.
            if networks.len() >= TRACKED_NETWORKS_MAX {
                networks.clear();
            }
        }
        let full = NetworkFailures { bucket: TokenBucket::new_full(rate_limit, now), unrecorded: 0 };
        let network_failures = networks.entry(network).or_insert(full);
        match network_failures.bucket.take_token(rate_limit, now) {
            Ok(less) => {
                network_failures.bucket = less;
                Some(std::mem::take(&mut network_failures.unrecorded))
            }
            Err(_) => {
                network_failures.unrecorded = network_failures.unrecorded.saturating_add(1);
                None
            }
        }
    }
}

impl Engine {
    /// Returns the event of a failed authentication if it is to be recorded.
    pub(crate) fn limit_failure_event(&self, event: SecurityEvent) -> Option<SecurityEvent> {
        let (Some(rate_limit), Some(address)) =
            (self.settings().recorded_failures_limit, event.origin.address)
        else {
            return Some(event);
        };
        match self.shared.failure_rate_limit.try_record(client_network(address), rate_limit, self.now())? {
            0 => Some(event),
            unrecorded => Some(event.with_detail("unrecorded", unrecorded)),
        }
    }

    /// Removes events that are not to be recorded from the consequences of a refusal. Other consequences are
    /// kept, and an event next to the revocation of a grant is always recorded: an attacker who replays a
    /// stolen code or token must not be able to hide it behind other failures of the same network. That
    /// happens once per grant; replays after the revocation are ordinary failures, so a used token cannot
    /// fill the log either.
    pub(crate) async fn limit_consequences(
        &self,
        consequences: Vec<RefusalConsequence>,
    ) -> Result<Vec<RefusalConsequence>, Failure> {
        let mut ends_grant = false;
        for consequence in &consequences {
            if let RefusalConsequence::RevokeGrant(id) = consequence {
                let grant = grants::find_grant(self.store(), *id).await?;
                ends_grant |= grant.is_some_and(|grant| grant.revoked_at.is_none());
            }
        }
        let keep_consequence = |consequence| match consequence {
            RefusalConsequence::Record(event) if !ends_grant => {
                self.limit_failure_event(*event).map(|event| RefusalConsequence::Record(Box::new(event)))
            }
            always @ (RefusalConsequence::Record(_) | RefusalConsequence::RevokeGrant(_)) => Some(always),
        };
        Ok(consequences.into_iter().filter_map(keep_consequence).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::time::Lifetime;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn failure_log_counts_suppressed_failures_and_reports_them_with_the_next() {
        let (log, rate_limit) = (AuthFailureLogLimiter::default(), RateLimit::per_minute(2));
        let [one, other] = ["203.0.113.1", "203.0.113.2"].map(|it| it.parse().unwrap());
        let admit = |network, now| log.try_record(network, rate_limit, now);
        assert_eq!([(); 5].map(|()| admit(one, NOW)), [Some(0), Some(0), None, None, None]);
        assert_eq!(admit(other, NOW), Some(0), "another network is recorded");
        let later = NOW.plus(Lifetime::from_seconds(30));
        assert_eq!([(); 2].map(|()| admit(one, later)), [Some(3), None]);
    }

    #[test]
    fn failure_log_memory_is_bounded() {
        let (log, rate_limit) = (AuthFailureLogLimiter::default(), RateLimit::per_minute(2));
        for number in 0..(TRACKED_NETWORKS_MAX as u32 + 10) {
            log.try_record(IpAddr::V4(number.into()), rate_limit, NOW).unwrap();
        }
        assert!(log.0.lock().unwrap().len() <= TRACKED_NETWORKS_MAX);
    }
}
