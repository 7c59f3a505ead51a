//! The lifecycle of a signing key: published before it signs, withdrawn only after its last token has
//! expired.

pub mod ed25519;
mod rotation;

pub use rotation::{
    KeyRevocationRemedy, RotationInProgress, SigningKeyRotation, plan_revocation, plan_rotation,
};

use crate::json_schema::impl_value_schema;
use crate::limits::{CLOCK_TOLERANCE, KEYS_CACHE_LIFETIME, KEYS_REFRESH_INTERVAL, TOKEN_LIFETIME_MAX};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The signing algorithms that we support. Neither `none` nor symmetric ones are among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SigningAlgorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    #[serde(rename = "RS256")]
    Rs256,
    /// RSASSA-PSS with SHA-256.
    #[serde(rename = "PS256")]
    Ps256,
    /// ECDSA on P-256 with SHA-256.
    #[serde(rename = "ES256")]
    Es256,
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
}

impl SigningAlgorithm {
    /// All algorithms.
    pub const ALL: [Self; 4] = [Self::Rs256, Self::Ps256, Self::Es256, Self::EdDsa];

    /// The algorithms that every instance needs: access tokens use ES256 unless their API sets another, and
    /// every OpenID Connect client may expect RS256.
    pub const REQUIRED: [Self; 2] = [Self::Es256, Self::Rs256];

    /// The JOSE name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}

impl_value_schema!(SigningAlgorithm, {
    "type": "string", "enum": SigningAlgorithm::ALL.map(SigningAlgorithm::as_str),
});

impl fmt::Display for SigningAlgorithm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The text is not a supported algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be RS256, PS256, ES256 or EdDSA")]
pub struct InvalidSigningAlgorithm;

impl FromStr for SigningAlgorithm {
    type Err = InvalidSigningAlgorithm;
    fn from_str(text: &str) -> Result<Self, InvalidSigningAlgorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == text).ok_or(InvalidSigningAlgorithm)
    }
}

/// The purpose of a key. A key is never used for another purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SigningKeyPurpose {
    /// Tokens; the public keys are published.
    Tokens,
    /// The head of the security log's chain.
    Log,
}

impl SigningKeyPurpose {
    /// All purposes.
    pub const ALL: [Self; 2] = [Self::Tokens, Self::Log];

    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Log => "log",
        }
    }
}

/// When a key is published, signs and is withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningKeyLifecycle {
    /// When it is added to the published JWKS.
    pub published_at: Timestamp,
    /// From when it may sign.
    pub signs_from: Timestamp,
    /// Until when it may sign; `None` while it has no successor.
    pub signs_until: Option<Timestamp>,
    /// When it is removed from the published JWKS; `None` while it has no successor.
    pub withdrawn_at: Option<Timestamp>,
}

/// The phase of a key's lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningKeyPhase {
    /// Published, so that verifiers know it before it signs.
    Announced,
    /// Signing.
    Signing,
    /// No longer signing, but published for the tokens it signed.
    Retiring,
    /// Removed from the published JWKS.
    Withdrawn,
}

impl SigningKeyPhase {
    /// The displayed name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Announced => "announced",
            Self::Signing => "signing",
            Self::Retiring => "retiring",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl SigningKeyLifecycle {
    /// The lifecycle of a key without known times, such as one from a file.
    pub const ALWAYS: Self = Self {
        published_at: Timestamp::EPOCH,
        signs_from: Timestamp::EPOCH,
        signs_until: None,
        withdrawn_at: None,
    };

    /// The lifecycle of the first key of an algorithm, which signs at once: no verifier has cached an older
    /// JWKS.
    pub const fn new_first(now: Timestamp) -> Self {
        Self { published_at: now, signs_from: now, signs_until: None, withdrawn_at: None }
    }

    /// The lifecycle of a successor, which signs only after all cached copies of the JWKS must have been
    /// refreshed.
    pub const fn new_successor(now: Timestamp) -> Self {
        let signs_from = now.plus(KEYS_CACHE_LIFETIME).plus(KEYS_REFRESH_INTERVAL);
        Self { published_at: now, signs_from, signs_until: None, withdrawn_at: None }
    }

    /// Hands over to a successor: the key stays published until its last token has expired.
    #[must_use]
    pub const fn hand_over_to(self, successor: &Self) -> Self {
        let signs_until = successor.signs_from;
        let withdrawn_at =
            signs_until.plus(TOKEN_LIFETIME_MAX).plus(KEYS_REFRESH_INTERVAL).plus(CLOCK_TOLERANCE);
        Self { signs_until: Some(signs_until), withdrawn_at: Some(withdrawn_at), ..self }
    }

    /// Revokes the key now.
    #[must_use]
    pub const fn revoke(self, now: Timestamp) -> Self {
        Self { signs_until: Some(now), withdrawn_at: Some(now), ..self }
    }

    /// The phase of the key. A key that is not yet published counts as announced: it never signs.
    pub fn phase(&self, now: Timestamp) -> SigningKeyPhase {
        if self.withdrawn_at.is_some_and(|at| at <= now) {
            SigningKeyPhase::Withdrawn
        } else if self.signs_until.is_some_and(|at| at <= now) {
            SigningKeyPhase::Retiring
        } else if now < self.signs_from {
            SigningKeyPhase::Announced
        } else {
            SigningKeyPhase::Signing
        }
    }
}

/// Chooses the key to sign with: of the keys signing with the algorithm, the one that began last.
pub fn choose_signing_key<K>(
    keys: impl IntoIterator<Item = K>,
    lifecycle: impl Fn(&K) -> (SigningAlgorithm, SigningKeyLifecycle),
    algorithm: SigningAlgorithm,
    now: Timestamp,
) -> Option<K> {
    keys.into_iter()
        .filter(|key| {
            lifecycle(key).0 == algorithm && lifecycle(key).1.phase(now) == SigningKeyPhase::Signing
        })
        .max_by_key(|key| lifecycle(key).1.signs_from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;
    use proptest::prelude::*;

    const START: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn signing_key_successor_signs_only_after_cached_jwks_expired() {
        let (old, new) = (SigningKeyLifecycle::new_first(START), SigningKeyLifecycle::new_successor(START));
        let old = old.hand_over_to(&new);
        let takeover = START.plus(Lifetime::from_seconds(330));
        let just_before = takeover.minus(Lifetime::from_micros(1));
        assert_eq!(
            (old.phase(just_before), new.phase(just_before)),
            (SigningKeyPhase::Signing, SigningKeyPhase::Announced)
        );
        assert_eq!(
            (old.phase(takeover), new.phase(takeover)),
            (SigningKeyPhase::Retiring, SigningKeyPhase::Signing)
        );
    }

    #[test]
    fn signing_key_revoked_is_withdrawn_at_once() {
        assert_eq!(
            SigningKeyLifecycle::new_first(START).revoke(START).phase(START),
            SigningKeyPhase::Withdrawn
        );
    }

    proptest! {
        #[test]
        fn signing_key_rotation_has_exactly_one_signer_and_no_key_ends_before_its_tokens(
            gaps in proptest::collection::vec(331_u32..100_000, 1..8),
            probe in 0_u32..1_000_000,
        ) {
            let mut lives = vec![SigningKeyLifecycle::new_first(START)];
            let mut now = START;
            for gap in gaps {
                now = now.plus(Lifetime::from_seconds(gap));
                let next = SigningKeyLifecycle::new_successor(now);
                let last = lives.len() - 1;
                lives[last] = lives[last].hand_over_to(&next);
                lives.push(next);
            }
            let at = START.plus(Lifetime::from_seconds(probe));
            let signing: Vec<_> = lives.iter().filter(|life| life.phase(at) == SigningKeyPhase::Signing).collect();
            prop_assert_eq!(signing.len(), 1);
            let chosen = choose_signing_key(lives.iter(), |life| (SigningAlgorithm::Es256, **life), SigningAlgorithm::Es256, at);
            prop_assert_eq!(chosen, Some(signing[0]));
            prop_assert!(choose_signing_key(lives.iter(), |life| (SigningAlgorithm::Es256, **life), SigningAlgorithm::Rs256, at).is_none());
            // A token signed now with the maximum lifetime can be verified until just before it expires.
            let last_moment = at.plus(TOKEN_LIFETIME_MAX);
            prop_assert_ne!(signing[0].phase(last_moment), SigningKeyPhase::Withdrawn);
            prop_assert!(signing[0].published_at.plus(KEYS_CACHE_LIFETIME) <= at || signing[0] == &lives[0]);
        }
    }
}
