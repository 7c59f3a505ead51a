//! How sure we are who somebody is. It follows from what they proved and from nothing else, and it fades: each proof from
//! the moment it was given, whatever was proven after it.

pub mod freshness;

use crate::id::OrganizationId;
use crate::limits::{AAL2_AGE_MAX, AAL2_IDLE_MAX};
use crate::organizations::settings::CredentialKind;
use crate::time::{Lifetime, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An authenticator assurance level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AssuranceLevel {
    /// One factor.
    #[default]
    #[serde(rename = "aal1")]
    One,
    /// Two factors, or a passkey that verified its user.
    #[serde(rename = "aal2")]
    Two,
}

/// Something a person proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationProof {
    /// A passkey signed.
    Passkey {
        /// Whether the device checked who the person is.
        user_verified: bool,
        /// Whether the key cannot leave its device.
        device_bound: bool,
    },
    /// The password was right.
    Password,
    /// Digits from an authenticator application were right.
    Totp,
    /// A recovery code was right.
    RecoveryCode,
    /// Digits sent by SMS were right.
    SmsCode,
    /// Digits sent by mail were right.
    EmailCode,
    /// A link sent by mail was followed.
    MagicLink,
    /// An organization's provider vouched, at the level it proved to us. To another organization that is nothing.
    SingleSignOn {
        /// The level.
        assurance: AssuranceLevel,
        /// Whose provider.
        organization: OrganizationId,
    },
}

/// What was proven in one sign-in, with what was added to it later, and when each of it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuthenticationEvidence(Vec<DatedProof>);

/// A proof with the moment it entered a session. One without a moment was given just now, in a flow that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredProof", into = "StoredProof")]
struct DatedProof {
    proof: AuthenticationProof,
    at: Option<Timestamp>,
}

/// A proof as it is stored. Programs before this one stored proofs alone.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredProof {
    Dated(AuthenticationProof, Timestamp),
    Undated(AuthenticationProof),
}

impl AuthenticationEvidence {
    /// Evidence of one proof, given just now.
    pub fn from_proof(proof: AuthenticationProof) -> Self {
        Self(vec![DatedProof { proof, at: None }])
    }

    /// One more proof, given just now. The same proof given again is as new as its last time.
    #[must_use]
    pub fn with_proof(self, proof: AuthenticationProof) -> Self {
        self.with_dated_proof(DatedProof { proof, at: None })
    }

    fn with_dated_proof(mut self, given: DatedProof) -> Self {
        match self.0.iter_mut().find(|known| known.proof == given.proof) {
            Some(known) => known.at = latest_time(known.at, given.at),
            None => self.0.push(given),
        }
        self
    }

    /// The same, where what was given just now was given at this moment.
    #[must_use]
    pub fn date_undated_proofs(mut self, at: Timestamp) -> Self {
        for given in &mut self.0 {
            given.at = given.at.or(Some(at));
        }
        self
    }

    /// Only what was proven with credentials of these kinds.
    #[must_use]
    pub fn restrict_to_kinds(&self, allowed: &BTreeSet<CredentialKind>) -> Self {
        self.filter_proofs(|given| allowed.contains(&given.proof.credential_kind()))
    }

    /// Only what counts in this organization: what the provider of another one says is nothing here.
    #[must_use]
    pub fn restrict_to_organization(&self, here: OrganizationId) -> Self {
        self.filter_proofs(|given| match given.proof {
            AuthenticationProof::SingleSignOn { organization, .. } => organization == here,
            _ => true,
        })
    }

    /// Only what the person proved by themselves, without anybody's provider.
    #[must_use]
    pub fn exclude_identity_providers(&self) -> Self {
        self.filter_proofs(|given| !matches!(given.proof, AuthenticationProof::SingleSignOn { .. }))
    }

    fn filter_proofs(&self, counts: impl Fn(&DatedProof) -> bool) -> Self {
        Self(self.0.iter().filter(|given| counts(given)).copied().collect())
    }

    /// Whether a provider vouched.
    pub fn includes_identity_provider(&self) -> bool {
        self.proofs().any(|proof| matches!(proof, AuthenticationProof::SingleSignOn { .. }))
    }

    /// What is proven by both together.
    #[must_use]
    pub fn merge(&self, more: &Self) -> Self {
        more.0.iter().fold(self.clone(), |evidence, given| evidence.with_dated_proof(*given))
    }

    /// What of it still counts for the higher level: no proof from too long ago, whatever was proven after it.
    #[must_use]
    pub fn retain_fresh(&self, now: Timestamp) -> Self {
        self.proven_within(AAL2_AGE_MAX, now)
    }

    /// What of it was proven no longer ago than this.
    fn proven_within(&self, most: Lifetime, now: Timestamp) -> Self {
        self.filter_proofs(|given| given.at.is_none_or(|at| now.since(at) <= most))
    }

    fn proofs(&self) -> impl Iterator<Item = &AuthenticationProof> {
        self.0.iter().map(|given| &given.proof)
    }

    /// Whether nothing was proven.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The level the proofs add up to, right after they were given; none without a proof.
    ///
    /// A passkey that verified its user is two factors by itself. Otherwise it takes a password and
    /// something the person has: NIST SP 800-63B-4 §2.2 knows no other pair of single factors, and mail is
    /// not a factor of its own.
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

    /// Whether it was shown that the person has something that nobody takes over with their telephone number.
    pub fn proves_possession_without_sms(&self) -> bool {
        self.filter_proofs(|given| given.proof != AuthenticationProof::SmsCode).proves_possession()
    }

    /// Whether it was shown that the person has something, beside what they know and what they are sent by mail.
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

    /// The level they count for now. The higher one fades after an hour without use, and each proof of it after a day;
    /// the session itself lives on.
    pub fn effective_level(&self, used_at: Timestamp, now: Timestamp) -> Option<AssuranceLevel> {
        let rested = now.since(used_at) > AAL2_IDLE_MAX;
        let level = self.retain_fresh(now).assurance_level().unwrap_or_default();
        (!self.is_empty()).then_some(if rested { AssuranceLevel::One } else { level })
    }

    /// The methods used, as the `amr` claim lists them (RFC 8176, `email` and `fed` being our own).
    pub fn amr_values(&self) -> BTreeSet<&'static str> {
        let mut methods: BTreeSet<_> =
            self.proofs().flat_map(AuthenticationProof::methods).copied().collect();
        if self.assurance_level() == Some(AssuranceLevel::Two) {
            methods.insert("mfa");
        }
        methods
    }
}

/// The later of two moments, none being now.
fn latest_time(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.zip(other).map(|(one, other)| one.max(other))
}

impl From<StoredProof> for DatedProof {
    fn from(stored: StoredProof) -> Self {
        match stored {
            StoredProof::Dated(proof, at) => Self { proof, at: Some(at) },
            StoredProof::Undated(proof) => Self { proof, at: None },
        }
    }
}

impl From<DatedProof> for StoredProof {
    fn from(DatedProof { proof, at }: DatedProof) -> Self {
        at.map_or(Self::Undated(proof), |at| Self::Dated(proof, at))
    }
}

impl AuthenticationProof {
    /// Whether it shows that somebody reads what is mailed to them.
    pub const fn is_sent_by_email(&self) -> bool {
        matches!(self, Self::EmailCode | Self::MagicLink)
    }

    /// The kind of credential it was given with.
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
    /// Every level there is, the lowest first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The level, as the `acr` claim names it.
    pub const fn acr(self) -> &'static str {
        match self {
            Self::One => "urn:sinete:aal:1",
            Self::Two => "urn:sinete:aal:2",
        }
    }

    /// The level that the `acr` claim names.
    pub fn from_acr(acr: &str) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|level| level.acr() == acr)
    }
}

#[cfg(test)]
mod tests;
