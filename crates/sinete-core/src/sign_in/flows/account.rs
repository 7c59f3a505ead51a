//! The account of a flow and its proof methods.

use crate::assurance::freshness::{ReauthenticationRequirement, SecondFactorRule};
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::AccountId;
use crate::limits::SENSITIVE_ACTION_AGE_MAX;
use crate::time::Timestamp;
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
        self.ways.iter().copied().filter(move |proof_method| {
            proof_method.is_second_factor()
                && !(in_use && *proof_method == AuthenticationProofMethod::SmsCode)
        })
    }

    /// The level required by default: the highest that the account can reach. SMS is offered but not
    /// required, because a number can be lost or taken over; it is required only while the authenticator app
    /// is locked, so that guessing does not lower the requirement.
    pub fn default_assurance_level(&self) -> AssuranceLevel {
        let is_closed = self.closed.contains(&AuthenticationProofMethod::Totp);
        let proof_methods = self
            .ways
            .iter()
            .copied()
            .filter(|proof_method| is_closed || *proof_method != AuthenticationProofMethod::SmsCode)
            .collect();
        Self { account: self.account, ways: proof_methods, closed: BTreeSet::new() }.max_assurance_level()
    }

    /// Whether a first second factor may be set up while an authorization request waits for it: every method
    /// that the account has was proven recently, so that access to the mailbox alone, or a session that was
    /// left open, adds no factor. A locked method blocks it, because guessing must not lower what is required.
    pub fn can_enroll_second_factor(&self, evidence: &AuthenticationEvidence, now: Timestamp) -> bool {
        let recent = evidence.filter_by_max_age(SENSITIVE_ACTION_AGE_MAX, now);
        let is_proven = |proof_method: &AuthenticationProofMethod| recent.includes_method(*proof_method);
        self.closed.is_empty() && !recent.is_empty() && self.ways.iter().all(is_proven)
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

impl ReauthenticationRequirement {
    /// What a sensitive action requires of this user: a proof given in the last minutes, as strong as the
    /// credentials they set up. A user with a passkey must use it, because password and code can be phished
    /// together.
    pub fn for_sensitive_action(account: &FlowAccount) -> Self {
        Self {
            max_age: Some(SENSITIVE_ACTION_AGE_MAX),
            ..Self::for_step_up(account.default_assurance_level(), account)
        }
    }

    /// The requirement of a step-up that the user started. It equals that of a sensitive action, so
    /// completing the step-up allows the action.
    pub fn for_step_up(level: AssuranceLevel, account: &FlowAccount) -> Self {
        let factors = if account.ways.contains(&AuthenticationProofMethod::Passkey) {
            SecondFactorRule::PasskeyOrRecoveryCode
        } else {
            Self::for_authorization_request(level, account).factors
        };
        Self { level, max_age: None, factors }
    }

    /// The requirement of a step-up that an authorization request starts.
    pub fn for_authorization_request(level: AssuranceLevel, account: &FlowAccount) -> Self {
        let has_stronger = account.ways.contains(&AuthenticationProofMethod::Passkey)
            || account.ways.contains(&AuthenticationProofMethod::Totp);
        let factors = if has_stronger { SecondFactorRule::WithoutSms } else { SecondFactorRule::Any };
        Self { level, max_age: None, factors }
    }
}
