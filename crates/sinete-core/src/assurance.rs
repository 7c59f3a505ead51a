//! Authenticator assurance levels. A level follows only from the proofs a user gave. Each proof expires from
//! the time it was given, regardless of later proofs.

pub mod credential_kind;
pub mod freshness;
pub mod proof_method;

use crate::assurance::credential_kind::CredentialKind;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::id::OrganizationId;
use crate::limits::{AAL2_AGE_MAX, AAL2_IDLE_MAX};
use crate::time::{Lifetime, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An authenticator assurance level.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
pub enum AssuranceLevel {
    /// One factor.
    #[default]
    #[serde(rename = "aal1")]
    One,
    /// Two factors, or a passkey that verified its user.
    #[serde(rename = "aal2")]
    Two,
}

/// A proof that a user gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationProof {
    /// A passkey assertion.
    Passkey {
        /// Whether the authenticator verified the user (UV).
        user_verified: bool,
        /// Whether the key is device-bound, that is, not synced.
        device_bound: bool,
    },
    /// A password.
    Password,
    /// A code from an authenticator app (TOTP).
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// A one-time code sent by SMS.
    SmsCode,
    /// A one-time code sent by e-mail.
    EmailCode,
    /// A magic link sent by e-mail.
    MagicLink,
    /// A sign-in at an organization's identity provider, at the level it asserted. It does not count for
    /// other organizations.
    SingleSignOn {
        /// The level.
        assurance: AssuranceLevel,
        /// The organization of the identity provider.
        organization: OrganizationId,
    },
}

/// The proofs of one sign-in and of later step-ups, each with its time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuthenticationEvidence(Vec<DatedProof>);

/// A proof with the time it was added to a session. Without a time, it was given just now in a flow that has
/// not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredProof", into = "StoredProof")]
struct DatedProof {
    proof: AuthenticationProof,
    at: Option<Timestamp>,
}

/// A stored proof. Earlier versions stored proofs without times.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredProof {
    Dated(AuthenticationProof, Timestamp),
    LegacyUndated(AuthenticationProof),
}

impl AuthenticationEvidence {
    /// Evidence of one proof given just now.
    pub fn from_proof(proof: AuthenticationProof) -> Self {
        Self(vec![DatedProof { proof, at: None }])
    }

    /// Adds a proof given just now. Repeating a proof renews its time.
    #[must_use]
    pub fn with_proof(self, proof: AuthenticationProof) -> Self {
        self.with_dated_proof(DatedProof { proof, at: None })
    }

    fn with_dated_proof(mut self, proof: DatedProof) -> Self {
        match self.0.iter_mut().find(|dated_proof| dated_proof.proof == proof.proof) {
            Some(dated_proof) => dated_proof.at = latest_time(dated_proof.at, proof.at),
            None => self.0.push(proof),
        }
        self
    }

    /// Sets the time of all undated proofs.
    #[must_use]
    pub fn date_undated_proofs(mut self, at: Timestamp) -> Self {
        for proof in &mut self.0 {
            proof.at = proof.at.or(Some(at));
        }
        self
    }

    /// Keeps only proofs made with these kinds of credentials.
    #[must_use]
    pub fn restrict_to_kinds(&self, allowed: &BTreeSet<CredentialKind>) -> Self {
        self.filter_proofs(|proof| allowed.contains(&proof.proof.credential_kind()))
    }

    /// Keeps only proofs that count in this organization: those of another organization's identity provider
    /// do not.
    #[must_use]
    pub fn restrict_to_organization(&self, organization_id: OrganizationId) -> Self {
        self.filter_proofs(|proof| match proof.proof {
            AuthenticationProof::SingleSignOn { organization, .. } => organization == organization_id,
            _ => true,
        })
    }

    /// Keeps only proofs that do not come from an identity provider.
    #[must_use]
    pub fn exclude_identity_providers(&self) -> Self {
        self.filter_proofs(|proof| !matches!(proof.proof, AuthenticationProof::SingleSignOn { .. }))
    }

    fn filter_proofs(&self, counts: impl Fn(&DatedProof) -> bool) -> Self {
        Self(self.0.iter().filter(|proof| counts(proof)).copied().collect())
    }

    /// Whether it includes a sign-in at an identity provider.
    pub fn includes_identity_provider(&self) -> bool {
        self.proofs().any(|proof| matches!(proof, AuthenticationProof::SingleSignOn { .. }))
    }

    /// Combines the proofs of both.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        other.0.iter().fold(self.clone(), |evidence, proof| evidence.with_dated_proof(*proof))
    }

    /// Keeps the proofs that still count for `aal2`: each expires separately, regardless of later proofs.
    #[must_use]
    pub fn retain_fresh(&self, now: Timestamp) -> Self {
        self.filter_by_max_age(AAL2_AGE_MAX, now)
    }

    /// Whether it includes a proof by this method.
    pub(crate) fn includes_method(&self, proof_method: AuthenticationProofMethod) -> bool {
        self.proofs().any(|proof| AuthenticationProofMethod::from_proof(proof) == Some(proof_method))
    }

    /// Keeps the proofs that are at most this old.
    pub(crate) fn filter_by_max_age(&self, lifetime: Lifetime, now: Timestamp) -> Self {
        self.filter_proofs(|proof| proof.at.is_none_or(|at| now.since(at) <= lifetime))
    }

    fn proofs(&self) -> impl Iterator<Item = &AuthenticationProof> {
        self.0.iter().map(|proof| &proof.proof)
    }

    /// Whether there are no proofs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The level that the proofs add up to at the time they were given; `None` without a proof.
    ///
    /// A passkey with user verification is two factors by itself. Otherwise a password and something the user
    /// has are needed: NIST SP 800-63B-4 §2.2 allows no other pair of single factors, and e-mail is not a
    /// factor of its own.
    pub fn assurance_level(&self) -> Option<AssuranceLevel> {
        let verified = |proof: &AuthenticationProof| match proof {
            AuthenticationProof::Passkey { user_verified, .. } => *user_verified,
            AuthenticationProof::SingleSignOn { assurance, .. } => *assurance == AssuranceLevel::Two,
            AuthenticationProof::Password
            | AuthenticationProof::Totp
            | AuthenticationProof::RecoveryCode
            | AuthenticationProof::SmsCode
            | AuthenticationProof::EmailCode
            | AuthenticationProof::MagicLink => false,
        };
        let knows = self.proofs().any(|proof| *proof == AuthenticationProof::Password);
        if self.proofs().any(verified) || knows && self.proves_possession() {
            Some(AssuranceLevel::Two)
        } else {
            (!self.0.is_empty()).then_some(AssuranceLevel::One)
        }
    }

    /// Whether it proves possession of a factor that cannot be taken over together with a phone number.
    pub fn proves_possession_without_sms(&self) -> bool {
        self.filter_proofs(|proof| proof.proof != AuthenticationProof::SmsCode).proves_possession()
    }

    /// Whether it proves possession of a factor, apart from passwords and codes sent by e-mail.
    pub fn proves_possession(&self) -> bool {
        self.proofs().any(|proof| match proof {
            AuthenticationProof::Passkey { .. }
            | AuthenticationProof::Totp
            | AuthenticationProof::RecoveryCode
            | AuthenticationProof::SmsCode => true,
            AuthenticationProof::Password
            | AuthenticationProof::EmailCode
            | AuthenticationProof::MagicLink
            | AuthenticationProof::SingleSignOn { .. } => false,
        })
    }

    /// The level that counts now. `aal2` ends after an hour without use, and each proof stops counting for it
    /// after a day; the session itself continues.
    pub fn effective_level(&self, used_at: Timestamp, now: Timestamp) -> Option<AssuranceLevel> {
        let rested = now.since(used_at) > AAL2_IDLE_MAX;
        let level = self.retain_fresh(now).assurance_level().unwrap_or_default();
        (!self.is_empty()).then_some(if rested { AssuranceLevel::One } else { level })
    }

    /// The methods used, as values of the `amr` claim (RFC 8176; `email` and `fed` are our own).
    pub fn amr_values(&self) -> BTreeSet<&'static str> {
        let mut methods: BTreeSet<_> =
            self.proofs().flat_map(AuthenticationProof::methods).copied().collect();
        if self.assurance_level() == Some(AssuranceLevel::Two) {
            methods.insert("mfa");
        }
        methods
    }
}

/// The later of two times; `None` means now.
fn latest_time(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.zip(other).map(|(one, other)| one.max(other))
}

impl From<StoredProof> for DatedProof {
    fn from(stored: StoredProof) -> Self {
        match stored {
            StoredProof::Dated(proof, at) => Self { proof, at: Some(at) },
            StoredProof::LegacyUndated(proof) => Self { proof, at: None },
        }
    }
}

impl From<DatedProof> for StoredProof {
    fn from(DatedProof { proof, at }: DatedProof) -> Self {
        at.map_or(Self::LegacyUndated(proof), |at| Self::Dated(proof, at))
    }
}

impl AuthenticationProof {
    /// Whether it proves that the user reads their e-mail.
    pub const fn is_sent_by_email(&self) -> bool {
        matches!(self, Self::EmailCode | Self::MagicLink)
    }

    /// The kind of credential used.
    pub const fn credential_kind(&self) -> CredentialKind {
        match self {
            Self::Passkey { .. } => CredentialKind::Passkey,
            Self::Password => CredentialKind::Password,
            Self::Totp => CredentialKind::Totp,
            Self::RecoveryCode => CredentialKind::RecoveryCode,
            Self::SmsCode => CredentialKind::SmsCode,
            Self::EmailCode => CredentialKind::EmailCode,
            Self::MagicLink => CredentialKind::MagicLink,
            Self::SingleSignOn { .. } => CredentialKind::SingleSignOn,
        }
    }

    const fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Passkey { user_verified: true, device_bound: true } => &["hwk", "user"],
            Self::Passkey { user_verified: true, device_bound: false } => &["swk", "user"],
            Self::Passkey { user_verified: false, device_bound: true } => &["hwk"],
            Self::Passkey { user_verified: false, device_bound: false } => &["swk"],
            Self::Password => &["pwd"],
            Self::Totp | Self::RecoveryCode => &["otp"],
            Self::SmsCode => &["sms"],
            Self::EmailCode | Self::MagicLink => &["email"],
            Self::SingleSignOn { .. } => &["fed"],
        }
    }
}

impl AssuranceLevel {
    /// All levels, lowest first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The level as a value of the `acr` claim.
    pub const fn acr(self) -> &'static str {
        match self {
            Self::One => "urn:sinete:aal:1",
            Self::Two => "urn:sinete:aal:2",
        }
    }

    /// Parses a value of the `acr` claim.
    pub fn from_acr(acr: &str) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|level| level.acr() == acr)
    }
}

#[cfg(test)]
mod tests;
