//! Whom a flow is about, and what they could prove.

use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use crate::id::AccountId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Somebody with an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowAccount {
    /// Their account.
    pub account: AccountId,
    /// What they have set up to prove themselves with.
    pub ways: BTreeSet<AuthenticationProofMethod>,
    /// What they set up as well and cannot use now, because it was tried wrongly too often.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub closed: BTreeSet<AuthenticationProofMethod>,
}

/// A way to prove who one is that an account keeps something for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationProofMethod {
    /// A password.
    Password,
    /// A passkey.
    Passkey,
    /// Digits from an authenticator application.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// Digits sent by SMS.
    SmsCode,
    /// A provider of an organization, for whoever has set up nothing of their own.
    SingleSignOn,
}

impl AuthenticationProofMethod {
    /// Those that say who somebody is while they prove it.
    pub const FIRST: [Self; 2] = [Self::Password, Self::Passkey];

    /// The way a proof was given in; none for what is mailed.
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

    /// What it proves at its best; nothing where that is not known before somebody else says it.
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

    /// Whether it can follow another proof.
    pub const fn is_second_factor(self) -> bool {
        match self {
            Self::Password | Self::Passkey | Self::Totp | Self::RecoveryCode | Self::SmsCode => true,
            Self::SingleSignOn => false,
        }
    }
}

impl FlowAccount {
    /// Whether this is enough to let them in. Whoever set up an authenticator application wants to be asked for
    /// something they have, also while the application itself is closed: guessing at it long enough asks for no less.
    /// Digits by SMS do not stand in for it; while it is closed they do, beside a password. That they could also use a
    /// passkey asks nothing of them.
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

    /// What can follow another proof while they sign in. A telephone does not stand in for an application that is in use.
    pub fn second_factor_methods(&self) -> impl Iterator<Item = AuthenticationProofMethod> {
        let in_use = self.ways.contains(&AuthenticationProofMethod::Totp);
        self.ways.iter().copied().filter(move |way| {
            way.is_second_factor() && !(in_use && *way == AuthenticationProofMethod::SmsCode)
        })
    }

    /// What is asked of them where nobody says how much: as much as they can prove. A telephone is offered and never
    /// demanded, because its number can be lost, or taken over; but where guessing closed their application it is, else
    /// whoever guesses would have less asked.
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

    /// The highest level that everything they have set up adds up to.
    pub fn max_assurance_level(&self) -> AssuranceLevel {
        let strongest = self.ways.iter().copied().filter_map(AuthenticationProofMethod::strongest_proof);
        strongest
            .fold(AuthenticationEvidence::default(), AuthenticationEvidence::with_proof)
            .assurance_level()
            .unwrap_or_default()
    }
}
