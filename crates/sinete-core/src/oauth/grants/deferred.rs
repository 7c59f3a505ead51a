//! Deferred grants: a user decides a request elsewhere, and its client polls at the allowed rate and redeems
//! it once. Device authorization (RFC 8628) and CIBA (OpenID CIBA §10.1, §11) are the two kinds; everything in
//! which they differ at the token endpoint is in [`DeferredGrantKind`].

use super::invalid_grant;
use crate::assurance::AssuranceLevel;
use crate::client_id::ClientId;
use crate::events::security_event::EventKind;
use crate::limits::{DEVICE_POLL_INTERVAL_MAX, DEVICE_POLL_SLOW_DOWN};
use crate::oauth::client_metadata::GrantType;
use crate::oauth::organization_policy::TokenSource;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;
use crate::secret::{BackchannelRequest, DeviceCode, Digest};
use crate::time::{Lifetime, Timestamp};

/// The kinds of deferred grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantKind {
    /// Device authorization: any user who knows the user code decides.
    DeviceAuthorization,
    /// CIBA: the user that the client names decides.
    Ciba,
}

/// The digest of the code with which a client polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantDigest {
    /// Of a device code.
    DeviceCode(Digest<DeviceCode>),
    /// Of an `auth_req_id`.
    AuthReqId(Digest<BackchannelRequest>),
}

/// The events in the life of a deferred grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferredGrantEvents {
    /// The user approved it.
    pub approved: EventKind,
    /// The user denied it.
    pub denied: EventKind,
    /// Its client received the tokens.
    pub redeemed: EventKind,
    /// Its client redeemed it again.
    pub replayed: EventKind,
    /// Another client presented it.
    pub misdirected: EventKind,
}

impl DeferredGrantKind {
    /// The grant type.
    pub const fn grant_type(self) -> GrantType {
        match self {
            Self::DeviceAuthorization => GrantType::DeviceCode,
            Self::Ciba => GrantType::Ciba,
        }
    }

    /// The source of the tokens, for the policy of an organization.
    pub const fn token_source(self) -> TokenSource {
        match self {
            Self::DeviceAuthorization => TokenSource::DeviceAuthorization,
            Self::Ciba => TokenSource::Ciba,
        }
    }

    /// The minimum assurance level, regardless of the organization.
    pub const fn least_assurance(self) -> AssuranceLevel {
        match self {
            Self::DeviceAuthorization => AssuranceLevel::One,
            Self::Ciba => AssuranceLevel::Two,
        }
    }

    /// The events to record.
    pub const fn events(self) -> DeferredGrantEvents {
        match self {
            Self::DeviceAuthorization => DeferredGrantEvents {
                approved: EventKind::DeviceAllowed,
                denied: EventKind::DeviceDenied,
                redeemed: EventKind::DeviceCodeRedeemed,
                replayed: EventKind::DeviceCodeReplayed,
                misdirected: EventKind::DeviceCodeMisdirected,
            },
            Self::Ciba => DeferredGrantEvents {
                approved: EventKind::ApprovalGiven,
                denied: EventKind::ApprovalDenied,
                redeemed: EventKind::ApprovalRedeemed,
                replayed: EventKind::ApprovalReplayed,
                misdirected: EventKind::ApprovalMisdirected,
            },
        }
    }

    /// Maps a rejection to the error response (RFC 8628 §3.5, OpenID CIBA §11).
    pub fn to_refusal(self, rejection: DeferredGrantRejection) -> Refusal {
        let reason = match (rejection, self) {
            (DeferredGrantRejection::OtherClient | DeferredGrantRejection::Replayed, _) => {
                return invalid_grant(rejection.to_string());
            }
            (DeferredGrantRejection::Denied, _) => OAuthRefusal::AccessDenied,
            (DeferredGrantRejection::Expired, Self::DeviceAuthorization) => OAuthRefusal::DeviceCodeExpired,
            (DeferredGrantRejection::Expired, Self::Ciba) => OAuthRefusal::AuthReqIdExpired,
            (DeferredGrantRejection::Pending, _) => OAuthRefusal::AuthorizationPending,
            (DeferredGrantRejection::SlowDown { .. }, _) => OAuthRefusal::SlowDown,
        };
        Refusal::because(reason, rejection.to_string())
    }
}

impl DeferredGrantDigest {
    /// The kind of grant that has a code of this kind.
    pub const fn kind(&self) -> DeferredGrantKind {
        match self {
            Self::DeviceCode(_) => DeferredGrantKind::DeviceAuthorization,
            Self::AuthReqId(_) => DeferredGrantKind::Ciba,
        }
    }
}

impl From<&Digest<DeviceCode>> for DeferredGrantDigest {
    fn from(digest: &Digest<DeviceCode>) -> Self {
        Self::DeviceCode(*digest)
    }
}
impl From<&Digest<BackchannelRequest>> for DeferredGrantDigest {
    fn from(digest: &Digest<BackchannelRequest>) -> Self {
        Self::AuthReqId(*digest)
    }
}

/// The stored data of a deferred request that a client polls.
#[derive(Clone, Copy, Debug)]
pub struct DeferredGrantFacts<'a> {
    /// The client it was issued to.
    pub client: &'a ClientId,
    /// The request's status.
    pub status: DeferredGrantStatus,
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
    Pending,
    /// The user approved it.
    Approved,
    /// The user denied it.
    Denied,
    /// The tokens were issued.
    Redeemed,
}

/// Why no tokens are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeferredGrantRejection {
    /// It was issued to another client. The attempt must not invalidate it for that client.
    #[error("the code was issued to another client")]
    OtherClient,
    /// Its client redeemed it before, so it may have leaked.
    #[error("the code was used before")]
    Replayed,
    /// The user denied it.
    #[error("the user denied it")]
    Denied,
    /// It has expired.
    #[error("the code has expired")]
    Expired,
    /// The user has not answered yet.
    #[error("the user has not answered yet")]
    Pending,
    /// The client polled too soon; the interval grows.
    #[error("it was polled too soon")]
    SlowDown {
        /// The new interval.
        wait: Lifetime,
    },
}

/// Verifies that tokens may be issued. Only ownership is checked before replay, so that replay is detected at
/// any time.
pub fn verify_deferred_grant(
    request: &DeferredGrantFacts<'_>,
    client: &ClientId,
    now: Timestamp,
) -> Result<(), DeferredGrantRejection> {
    if request.client != client {
        return Err(DeferredGrantRejection::OtherClient);
    }
    match request.status {
        DeferredGrantStatus::Redeemed => Err(DeferredGrantRejection::Replayed),
        DeferredGrantStatus::Denied => Err(DeferredGrantRejection::Denied),
        DeferredGrantStatus::Pending | DeferredGrantStatus::Approved if request.expires_at <= now => {
            Err(DeferredGrantRejection::Expired)
        }
        DeferredGrantStatus::Approved => Ok(()),
        DeferredGrantStatus::Pending => match request.polled_at {
            Some(polled_at) if now < polled_at.plus(request.interval) => {
                // RFC 8628 §3.5: the interval grows for this and all later polls.
                let wait = request.interval.plus(DEVICE_POLL_SLOW_DOWN).min(DEVICE_POLL_INTERVAL_MAX);
                Err(DeferredGrantRejection::SlowDown { wait })
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
        status: DeferredGrantStatus,
        expires_at: i64,
        polled: Option<i64>,
        client: &str,
    ) -> Result<(), DeferredGrantRejection> {
        let (client_id, client): (ClientId, ClientId) = ("tv".parse().unwrap(), client.parse().unwrap());
        let facts = DeferredGrantFacts {
            client: &client_id,
            status,
            expires_at: Timestamp::from_seconds(expires_at),
            polled_at: polled.map(Timestamp::from_seconds),
            interval: DEVICE_POLL_INTERVAL,
        };
        verify_deferred_grant(&facts, &client, NOW)
    }

    #[test]
    fn device_code_checks_fail_in_a_fixed_order() {
        use DeferredGrantStatus::{Approved, Denied, Pending, Redeemed};
        assert_eq!(
            judged(Approved, 1_001, Some(999), "tv"),
            Ok(()),
            "an approved request is redeemed at once"
        );
        assert_eq!(judged(Approved, 1_000, None, "tv"), Err(DeferredGrantRejection::Expired));
        assert_eq!(judged(Redeemed, 1, None, "tv"), Err(DeferredGrantRejection::Replayed));
        assert_eq!(judged(Redeemed, 1_001, None, "other"), Err(DeferredGrantRejection::OtherClient));
        assert_eq!(judged(Denied, 1, None, "tv"), Err(DeferredGrantRejection::Denied));
        assert_eq!(judged(Pending, 1_000, None, "tv"), Err(DeferredGrantRejection::Expired));
        assert_eq!(judged(Pending, 1_001, None, "tv"), Err(DeferredGrantRejection::Pending));
        assert_eq!(judged(Pending, 1_001, Some(995), "tv"), Err(DeferredGrantRejection::Pending));
        let wait = Lifetime::from_seconds(10);
        assert_eq!(judged(Pending, 1_001, Some(996), "tv"), Err(DeferredGrantRejection::SlowDown { wait }));
    }

    #[test]
    fn device_code_poll_errors_use_the_standard_codes() {
        for (refused, word) in [
            (DeferredGrantRejection::OtherClient, "invalid_grant"),
            (DeferredGrantRejection::Replayed, "invalid_grant"),
            (DeferredGrantRejection::Denied, "access_denied"),
            (DeferredGrantRejection::Expired, "expired_token"),
            (DeferredGrantRejection::Pending, "authorization_pending"),
            (DeferredGrantRejection::SlowDown { wait: Lifetime::ZERO }, "slow_down"),
        ] {
            let code = DeferredGrantKind::DeviceAuthorization.to_refusal(refused).code();
            assert_eq!((code.name(), code.status()), (word, 400));
        }
    }

    #[test]
    fn ciba_poll_errors_use_the_standard_codes() {
        for (refused, word) in [
            (DeferredGrantRejection::OtherClient, "invalid_grant"),
            (DeferredGrantRejection::Replayed, "invalid_grant"),
            (DeferredGrantRejection::Denied, "access_denied"),
            (DeferredGrantRejection::Expired, "expired_token"),
            (DeferredGrantRejection::Pending, "authorization_pending"),
            (DeferredGrantRejection::SlowDown { wait: Lifetime::ZERO }, "slow_down"),
        ] {
            let code = DeferredGrantKind::Ciba.to_refusal(refused).code();
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
                    client: &client, status: DeferredGrantStatus::Pending, expires_at: NOW.plus(Lifetime::from_hours(1)),
                    polled_at: Some(NOW), interval,
                };
                let Err(DeferredGrantRejection::SlowDown { wait }) = verify_deferred_grant(&facts, &client, NOW) else { panic!("{time}") };
                prop_assert_eq!(wait, Lifetime::from_seconds((5 + 5 * time).min(60)));
                interval = wait;
            }
        }
    }
}
