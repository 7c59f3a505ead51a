//! The account of a flow and its proof methods.

use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use crate::id::AccountId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The account of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowAccount {
    /// The account's id.
    pub account: AccountId,
    /// The enrolled proof methods.
    pub ways: BTreeSet<AuthenticationProofMethod>,
    /// Enrolled methods that are locked after too many failed attempts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub closed: BTreeSet<AuthenticationProofMethod>,
}

/// A proof method backed by a credential of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationProofMethod {
    /// A password.
    Password,
    /// A passkey.
    Passkey,
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// A code sent by SMS.
    SmsCode,
    /// An organization's identity provider, for accounts without credentials of their own.
    SingleSignOn,
}

impl AuthenticationProofMethod {
    /// The methods that also identify the user.
    pub const FIRST: [Self; 2] = [Self::Password, Self::Passkey];

    /// The method of a proof; `None` for proofs sent by e-mail.
    pub const fn from_proof(proof: &AuthenticationProof) -> Option<Self> {
        match proof {
            AuthenticationProof::Password => Some(Self::Password),
            AuthenticationProof::Passkey { .. } => Some(Self::Passkey),
            AuthenticationProof::Totp => Some(Self::Totp),
            AuthenticationProof::RecoveryCode => Some(Self::RecoveryCode),
            AuthenticationProof::SmsCode => Some(Self::SmsCode),
            AuthenticationProof::SingleSignOn { .. } => Some(Self::SingleSignOn),
            AuthenticationProof::EmailCode | AuthenticationProof::MagicLink => None,
        }
    }

    /// The strongest proof it can give; `None` if an identity provider decides that.
    pub(crate) const fn strongest_proof(self) -> Option<AuthenticationProof> {
        match self {
            Self::Password => Some(AuthenticationProof::Password),
            Self::Passkey => Some(AuthenticationProof::Passkey { user_verified: true, device_bound: true }),
            Self::Totp => Some(AuthenticationProof::Totp),
            Self::RecoveryCode => Some(AuthenticationProof::RecoveryCode),
            Self::SmsCode => Some(AuthenticationProof::SmsCode),
            Self::SingleSignOn => None,
        }
    }

    /// Whether it can be a second factor.
    pub const fn is_second_factor(self) -> bool {
        match self {
            Self::Password | Self::Passkey | Self::Totp | Self::RecoveryCode | Self::SmsCode => true,
            Self::SingleSignOn => false,
        }
    }
}

impl FlowAccount {
    /// Whether the evidence is enough to sign in. An account with an authenticator app always needs a
    /// possession factor, even while the app is locked, so that guessing does not lower the requirement. SMS
    /// does not replace the app, except with a password while the app is locked. A registered passkey
    /// requires nothing.
    pub fn accepts_evidence(&self, evidence: &AuthenticationEvidence) -> bool {
        let (in_use, is_closed) = (
            self.ways.contains(&AuthenticationProofMethod::Totp),
            self.closed.contains(&AuthenticationProofMethod::Totp),
        );
        if !in_use && !is_closed {
            return !evidence.is_empty();
        }
        evidence.proves_possession_without_sms()
            || !in_use
                && evidence.proves_possession()
                && evidence.assurance_level() == Some(AssuranceLevel::Two)
    }

    /// The available second factors. SMS does not replace an authenticator app that is in use.
    pub fn second_factor_methods(&self) -> impl Iterator<Item = AuthenticationProofMethod> {
        let in_use = self.ways.contains(&AuthenticationProofMethod::Totp);
        self.ways.iter().copied().filter(move |way| {
            way.is_second_factor() && !(in_use && *way == AuthenticationProofMethod::SmsCode)
        })
    }

    /// The level required by default: the highest that the account can reach. SMS is offered but not
    /// required, because a number can be lost or taken over; it is required only while the authenticator app
    /// is locked, so that guessing does not lower the requirement.
    pub fn default_assurance_level(&self) -> AssuranceLevel {
        let is_closed = self.closed.contains(&AuthenticationProofMethod::Totp);
        let ways = self
            .ways
            .iter()
            .copied()
            .filter(|way| is_closed || *way != AuthenticationProofMethod::SmsCode)
            .collect();
        Self { account: self.account, ways, closed: BTreeSet::new() }.max_assurance_level()
    }

    /// The highest level that all enrolled methods reach together.
    pub fn max_assurance_level(&self) -> AssuranceLevel {
        let strongest = self.ways.iter().copied().filter_map(AuthenticationProofMethod::strongest_proof);
        strongest
            .fold(AuthenticationEvidence::default(), AuthenticationEvidence::with_proof)
            .assurance_level()
            .unwrap_or_default()
    }
}
