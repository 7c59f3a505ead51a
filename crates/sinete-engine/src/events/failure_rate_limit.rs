//! How many failed authentications of one network are recorded. The security log is only ever added to, so that whoever
//! fails on purpose must not decide how fast it grows: beyond a rate a failure is answered and not recorded, and the next one
//! that is recorded says how many were not.

use crate::{Engine, Failure};
use sinete_core::events::security_event::SecurityEvent;
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket, client_network};
use sinete_core::refusal::RefusalConsequence;
use sinete_core::time::Timestamp;
use sinete_store::oauth::grants;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Most networks remembered at a time.
const REMEMBERED_MAX: usize = 100_000;

/// What each network has left to record.
#[derive(Debug, Default)]
pub(crate) struct FailureLog(Mutex<HashMap<IpAddr, NetworkFailures>>);

/// The failures of one network.
#[derive(Debug)]
struct NetworkFailures {
    bucket: TokenBucket,
    /// How many were not recorded since the last one that was.
    unrecorded: u32,
}

impl FailureLog {
    /// Whether one more is recorded, and how many before it were not.
    fn try_record(&self, network: IpAddr, pace: RateLimit, now: Timestamp) -> Option<u32> {
        let mut networks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if networks.len() >= REMEMBERED_MAX && !networks.contains_key(&network) {
            networks.retain(|_, it| !it.bucket.is_full(pace, now));
            // So many at once is an attack from everywhere; whoever is forgotten begins anew.
            if networks.len() >= REMEMBERED_MAX {
                networks.clear();
            }
        }
        let full = NetworkFailures { bucket: TokenBucket::new_full(pace, now), unrecorded: 0 };
        let known = networks.entry(network).or_insert(full);
        match known.bucket.take_token(pace, now) {
            Ok(less) => {
                known.bucket = less;
                Some(std::mem::take(&mut known.unrecorded))
            }
            Err(_) => {
                known.unrecorded = known.unrecorded.saturating_add(1);
                None
            }
        }
    }
}

impl Engine {
    /// The event of a failed authentication, where it is to be recorded.
    pub(crate) fn limit_failure_event(&self, event: SecurityEvent) -> Option<SecurityEvent> {
        let (Some(pace), Some(address)) = (self.settings().recorded_failures_limit, event.origin.address)
        else {
            return Some(event);
        };
        match self.shared.failure_rate_limit.try_record(client_network(address), pace, self.now())? {
            0 => Some(event),
            unrecorded => Some(event.with_detail("unrecorded", unrecorded)),
        }
    }

    /// What follows from a refusal, without events that are not to be recorded. Whatever else follows always does, and an event
    /// beside the end of a grant is always recorded: whoever replays a stolen code or token must not be able to hide it behind
    /// other failures of the same network. That happens once for each grant; what is shown again after its end is one failure
    /// more, so that a spent token does not fill the log either.
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
        let kept = |consequence| match consequence {
            RefusalConsequence::Record(event) if !ends_grant => {
                self.limit_failure_event(*event).map(|event| RefusalConsequence::Record(Box::new(event)))
            }
            always @ (RefusalConsequence::Record(_) | RefusalConsequence::RevokeGrant(_)) => Some(always),
        };
        Ok(consequences.into_iter().filter_map(kept).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::time::Lifetime;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn failure_log_counts_suppressed_failures_and_reports_them_with_the_next() {
        let (log, pace) = (FailureLog::default(), RateLimit::per_minute(2));
        let [one, other] = ["203.0.113.1", "203.0.113.2"].map(|it| it.parse().unwrap());
        let admit = |network, now| log.try_record(network, pace, now);
        assert_eq!([(); 5].map(|()| admit(one, NOW)), [Some(0), Some(0), None, None, None]);
        assert_eq!(admit(other, NOW), Some(0), "a neighbour is recorded");
        let later = NOW.plus(Lifetime::from_seconds(30));
        assert_eq!([(); 2].map(|()| admit(one, later)), [Some(3), None]);
    }

    #[test]
    fn failure_log_memory_is_bounded() {
        let (log, pace) = (FailureLog::default(), RateLimit::per_minute(2));
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            log.try_record(IpAddr::V4(number.into()), pace, NOW).unwrap();
        }
        assert!(log.0.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
