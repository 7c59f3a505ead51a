//! The device grant (RFC 8628 §3.4): polled by its client at the allowed rate, and redeemed once.

use super::invalid_grant;
use crate::client_id::ClientId;
use crate::limits::{DEVICE_POLL_INTERVAL_MAX, DEVICE_POLL_SLOW_DOWN};
use crate::refusal::{Refusal, RefusalCode};
use crate::time::{Lifetime, Timestamp};

/// The stored data of a deferred request that a client polls.
#[derive(Clone, Copy, Debug)]
pub struct DeferredGrantFacts<'a> {
    /// The client it was issued to.
    pub client: &'a ClientId,
    /// The request's status.
    pub answered: DeferredGrantStatus,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was last polled.
    pub polled_at: Option<Timestamp>,
    /// The minimum interval between polls.
    pub interval: Lifetime,
}

/// The status of a deferred request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantStatus {
    /// The user has not answered.
    NotYet,
    /// The user approved it.
    Allowed,
    /// The user denied it.
    Denied,
    /// The tokens were issued.
    Spent,
}

/// Why no tokens are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeferredGrantRejection {
    /// It was issued to another client. The attempt must not invalidate it for that client.
    #[error("the device code was given to another client")]
    AnothersCode,
    /// Its client redeemed it before, so it may have leaked.
    #[error("the device code was used before")]
    Replayed,
    /// The user denied it.
    #[error("the person denied it")]
    Denied,
    /// It has expired.
    #[error("the device code has expired")]
    Expired,
    /// The user has not answered yet.
    #[error("nobody has answered yet")]
    Pending,
    /// The client polled too soon; the interval grows.
    #[error("it was asked too soon")]
    TooSoon {
        /// The new interval.
        wait: Lifetime,
    },
}

impl From<DeferredGrantRejection> for Refusal {
    fn from(refused: DeferredGrantRejection) -> Self {
        let (code, public) = match refused {
            DeferredGrantRejection::AnothersCode | DeferredGrantRejection::Replayed => {
                return invalid_grant(refused.to_string());
            }
            DeferredGrantRejection::Denied => (RefusalCode::AccessDenied, "the person denied the request"),
            DeferredGrantRejection::Expired => {
                (RefusalCode::ExpiredToken, "the device code has expired: ask for another")
            }
            DeferredGrantRejection::Pending => {
                (RefusalCode::AuthorizationPending, "nobody has answered yet: ask again")
            }
            DeferredGrantRejection::TooSoon { .. } => {
                (RefusalCode::SlowDown, "this is asked too often: wait five seconds longer between requests")
            }
        };
        Self::new(code, public, refused.to_string())
    }
}

/// Verifies that tokens may be issued. Only ownership is checked before replay, so that replay is detected at
/// any time.
pub fn verify_deferred_grant(
    request: &DeferredGrantFacts<'_>,
    client: &ClientId,
    now: Timestamp,
) -> Result<(), DeferredGrantRejection> {
    if request.client != client {
        return Err(DeferredGrantRejection::AnothersCode);
    }
    match request.answered {
        DeferredGrantStatus::Spent => Err(DeferredGrantRejection::Replayed),
        DeferredGrantStatus::Denied => Err(DeferredGrantRejection::Denied),
        DeferredGrantStatus::NotYet | DeferredGrantStatus::Allowed if request.expires_at <= now => {
            Err(DeferredGrantRejection::Expired)
        }
        DeferredGrantStatus::Allowed => Ok(()),
        DeferredGrantStatus::NotYet => match request.polled_at {
            Some(polled_at) if now < polled_at.plus(request.interval) => {
                // RFC 8628 §3.5: the interval grows for this and all later polls.
                let wait = request.interval.plus(DEVICE_POLL_SLOW_DOWN).min(DEVICE_POLL_INTERVAL_MAX);
                Err(DeferredGrantRejection::TooSoon { wait })
            }
            Some(_) | None => Err(DeferredGrantRejection::Pending),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::DEVICE_POLL_INTERVAL;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000);

    fn judged(
        answered: DeferredGrantStatus,
        expires_at: i64,
        polled: Option<i64>,
        client: &str,
    ) -> Result<(), DeferredGrantRejection> {
        let (own, client): (ClientId, ClientId) = ("tv".parse().unwrap(), client.parse().unwrap());
        let facts = DeferredGrantFacts {
            client: &own,
            answered,
            expires_at: Timestamp::from_seconds(expires_at),
            polled_at: polled.map(Timestamp::from_seconds),
            interval: DEVICE_POLL_INTERVAL,
        };
        verify_deferred_grant(&facts, &client, NOW)
    }

    #[test]
    fn device_code_checks_fail_in_a_fixed_order() {
        use DeferredGrantStatus::{Allowed, Denied, NotYet, Spent};
        assert_eq!(judged(Allowed, 1_001, Some(999), "tv"), Ok(()), "what is there is handed over at once");
        assert_eq!(judged(Allowed, 1_000, None, "tv"), Err(DeferredGrantRejection::Expired));
        assert_eq!(judged(Spent, 1, None, "tv"), Err(DeferredGrantRejection::Replayed));
        assert_eq!(judged(Spent, 1_001, None, "other"), Err(DeferredGrantRejection::AnothersCode));
        assert_eq!(judged(Denied, 1, None, "tv"), Err(DeferredGrantRejection::Denied));
        assert_eq!(judged(NotYet, 1_000, None, "tv"), Err(DeferredGrantRejection::Expired));
        assert_eq!(judged(NotYet, 1_001, None, "tv"), Err(DeferredGrantRejection::Pending));
        assert_eq!(judged(NotYet, 1_001, Some(995), "tv"), Err(DeferredGrantRejection::Pending));
        let wait = Lifetime::from_seconds(10);
        assert_eq!(judged(NotYet, 1_001, Some(996), "tv"), Err(DeferredGrantRejection::TooSoon { wait }));
    }

    #[test]
    fn device_code_poll_errors_use_the_standard_codes() {
        for (refused, word) in [
            (DeferredGrantRejection::AnothersCode, "invalid_grant"),
            (DeferredGrantRejection::Replayed, "invalid_grant"),
            (DeferredGrantRejection::Denied, "access_denied"),
            (DeferredGrantRejection::Expired, "expired_token"),
            (DeferredGrantRejection::Pending, "authorization_pending"),
            (DeferredGrantRejection::TooSoon { wait: Lifetime::ZERO }, "slow_down"),
        ] {
            let code = Refusal::from(refused).code();
            assert_eq!((code.name(), code.status()), (word, 400));
        }
    }

    proptest! {
        #[test]
        fn device_code_poll_interval_grows_by_five_seconds_up_to_a_bound(times in 1..40_u32) {
            let client: ClientId = "tv".parse().unwrap();
            let mut interval = DEVICE_POLL_INTERVAL;
            for time in 1..=times {
                let facts = DeferredGrantFacts {
                    client: &client, answered: DeferredGrantStatus::NotYet, expires_at: NOW.plus(Lifetime::from_hours(1)),
                    polled_at: Some(NOW), interval,
                };
                let Err(DeferredGrantRejection::TooSoon { wait }) = verify_deferred_grant(&facts, &client, NOW) else { panic!("{time}") };
                prop_assert_eq!(wait, Lifetime::from_seconds((5 + 5 * time).min(60)));
                interval = wait;
            }
        }
    }
}
