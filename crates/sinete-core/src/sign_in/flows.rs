//! Authentication flows: sign-in, sign-up and related processes, as a state machine.
//!
//! The engine verifies each input (password, signature, code) before it reaches the flow; this module decides
//! the transition. An input that is not available at the current stage is rejected and leaves the flow
//! unchanged. The session's assurance follows from the proofs given in the flow, each bound to the flow, the
//! step and the account.
//!
//! A new credential needs no new stage: add a [`FlowAction`](action::FlowAction), an [`AuthenticationProof`]
//! and its verification in the engine.

mod accessors;
pub mod account;
pub mod action;
mod authorization;
mod challenge;
mod choices;
mod email_challenge;
pub mod enrollment;
mod identity_provider;
pub mod purpose;
mod reauthentication;
mod sign_up;
mod sms_challenge;
pub mod stage;
pub mod storage_format;
pub mod verified_input;

use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::assurance::{AuthenticationEvidence, AuthenticationProof};
use crate::id::{AccountId, FlowId, SessionId};
use crate::oauth::authorize::pending_authorization::{ConsentDecision, SignInRelativeToRequest};
use crate::sign_in::credentials::password::PasswordHash;
use account::FlowAccount;
use purpose::{FlowKind, FlowPurpose};
use serde::{Deserialize, Serialize};
use stage::{FlowOutcome, FlowStage, SmsChallenge};
use verified_input::{FlowEffect, VerifiedFlowInput};

/// An authentication flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuthenticationFlow {
    id: FlowId,
    purpose: FlowPurpose,
    stage: FlowStage,
    carrier: FlowTokenTransport,
    person: Option<FlowAccount>,
    proofs: Vec<FlowProof>,
    session: Option<SessionId>,
    steps: u32,
    /// Whether the instance can send SMS.
    #[serde(default)]
    texts: bool,
    /// Whether the instance has identity providers.
    #[serde(default)]
    providers: bool,
    /// Whether anyone may create an account.
    #[serde(default)]
    sign_up: bool,
}

/// How the flow token, and later the session token, is transported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowTokenTransport {
    /// In browser cookies.
    Cookie,
    /// In responses to a program.
    Token,
}

/// A proof given in this flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FlowProof {
    proof: AuthenticationProof,
    account: AccountId,
    step: u32,
}

/// The input is not available: wrong stage, another account, or already given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this input is not available at the current stage")]
pub struct FlowActionUnavailable;

/// A transition and its effects, which must be committed in the same transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTransition {
    /// The flow after the transition.
    pub flow: AuthenticationFlow,
    /// The effects, in order.
    pub effects: Vec<FlowEffect>,
}

impl AuthenticationFlow {
    /// Starts a flow, in the initiator's session if there is one.
    pub fn start(
        id: FlowId,
        purpose: FlowPurpose,
        carrier: FlowTokenTransport,
        within: Option<(SessionId, FlowAccount)>,
    ) -> Self {
        let stage = purpose.first_stage();
        let (session, account) =
            within.map_or((None, None), |(session, account)| (Some(session), Some(account)));
        // A flow that identifies the user starts without an account.
        let account = account.filter(|_| purpose.requires_session());
        Self {
            id,
            purpose,
            stage,
            carrier,
            person: account,
            proofs: Vec::new(),
            session,
            steps: 0,
            texts: false,
            providers: false,
            sign_up: false,
        }
    }

    /// Sets whether the instance can send SMS.
    #[must_use]
    pub const fn with_sms(mut self, can_send_sms: bool) -> Self {
        self.texts = can_send_sms;
        self
    }

    /// Sets whether the instance has identity providers.
    #[must_use]
    pub const fn with_identity_providers(mut self, providers: bool) -> Self {
        self.providers = providers;
        self
    }

    /// Restricts the flow to the account that an invitation is meant for, which signs in before accepting it.
    #[must_use]
    pub fn for_account(mut self, account: FlowAccount) -> Self {
        self.person = Some(account);
        self.stage = FlowStage::SignIn;
        self
    }

    /// Applies an input, or rejects it without changing the flow.
    pub fn apply_input(mut self, answer: VerifiedFlowInput) -> Result<FlowTransition, FlowActionUnavailable> {
        self.steps = self.steps.saturating_add(1);
        match (self.stage.clone(), answer) {
            (
                FlowStage::SignIn | FlowStage::SecondFactor | FlowStage::Reauthenticate { .. },
                VerifiedFlowInput::Authenticated { person: account, proof },
            ) => self.add_offered_proof(account, proof),
            (FlowStage::SignIn, VerifiedFlowInput::EmailChallengeRequested(challenge))
                if self.can_send_email(&challenge) =>
            {
                self.send_email_challenge(challenge)
            }
            (FlowStage::Address, VerifiedFlowInput::EmailChallengeRequested(challenge)) => {
                self.send_email_challenge(challenge)
            }
            (FlowStage::Details, VerifiedFlowInput::DetailsEntered(challenge)) => {
                self.draft_account(challenge)
            }
            (FlowStage::SignIn, VerifiedFlowInput::SignUp) => self.begin_sign_up(),
            (stage @ FlowStage::AtProvider(_), answer)
            | (stage, answer @ VerifiedFlowInput::RedirectedToProvider(_)) => {
                self.handle_provider_redirect(stage, answer)
            }
            (stage @ (FlowStage::MailedProof(_) | FlowStage::TextedProof(_)), input) => {
                self.answer_challenge(stage, input)
            }
            (
                from @ (FlowStage::SignIn | FlowStage::SecondFactor | FlowStage::Reauthenticate { .. }),
                VerifiedFlowInput::SmsCodeRequested { number, account },
            ) => self.send_sms_challenge(from, number, account),
            (FlowStage::SecondFactor | FlowStage::Details, VerifiedFlowInput::Restart)
                if self.can_restart() =>
            {
                Ok(self.restart_sign_in())
            }
            (FlowStage::NewPassword, VerifiedFlowInput::PasswordChosen { hash, keep }) => {
                self.change_password(hash, keep)
            }
            (FlowStage::Deciding, VerifiedFlowInput::NextStepDecided(direction)) => {
                self.apply_next_step(*direction)
            }
            (FlowStage::ChooseOrganization { choices }, VerifiedFlowInput::OrganizationChosen(id)) => {
                self.choose_organization(&choices, id)
            }
            (FlowStage::UserCode, VerifiedFlowInput::UserCodeEntered(entered)) => {
                self.recognize_user_code(entered)
            }
            (FlowStage::Consent { .. }, VerifiedFlowInput::ConsentDecided(has_consented))
                if self.kind().is_deferred_grant() =>
            {
                Ok(self.finish_deferred_grant(has_consented))
            }
            (FlowStage::UserCode | FlowStage::Consent { .. }, VerifiedFlowInput::RequestChanged) => {
                self.decide_again()
            }
            (FlowStage::Consent { agreement, .. }, VerifiedFlowInput::ConsentDecided(has_consented)) => {
                // The consent covers what was requested, not what the input contains.
                let agreed = ConsentDecision::Agreed(*agreement);
                self.decide_consent(if has_consented { agreed } else { ConsentDecision::Denied })
            }
            (FlowStage::Enroll(pending), VerifiedFlowInput::CredentialEnrolled(completed)) => {
                self.complete_enrollment(pending, completed)
            }
            (FlowStage::ChooseFactor { factors }, VerifiedFlowInput::FactorChosen(pending)) => {
                self.choose_factor(&factors, pending)
            }
            (FlowStage::Enroll(_), VerifiedFlowInput::Restart) if self.can_restart() => self.decide_again(),
            _ => Err(FlowActionUnavailable),
        }
    }

    /// Returns to the stage in which the next step is decided.
    fn decide_again(mut self) -> Result<FlowTransition, FlowActionUnavailable> {
        self.stage = FlowStage::Deciding;
        Ok(self.into_transition([]))
    }

    /// Adds a proof by a method that the flow offers.
    fn add_offered_proof(
        self,
        account: FlowAccount,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let is_offered = AuthenticationProofMethod::from_proof(&proof)
            .is_some_and(|proof_method| self.available_proof_methods().contains(&proof_method));
        if is_offered { self.add_proof(account, proof) } else { Err(FlowActionUnavailable) }
    }

    /// Adds a proof of the flow's account.
    fn add_proof(
        mut self,
        flow_account: FlowAccount,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if self.person.as_ref().is_some_and(|account| account.account != flow_account.account) {
            return Err(FlowActionUnavailable);
        }
        self.proofs.push(FlowProof { proof, account: flow_account.account, step: self.steps });
        let (account, evidence) = (flow_account.account, self.evidence());
        let is_enough = flow_account.accepts_evidence(&evidence);
        self.person = Some(flow_account);
        if let FlowStage::Reauthenticate { needs, base } = self.stage.clone() {
            return Ok(self.reauthenticate(needs, &base));
        }
        if !is_enough {
            self.stage = FlowStage::SecondFactor;
            return Ok(self.into_transition([]));
        }
        self.complete_sign_in(account, evidence)
    }

    /// Completes a deferred grant in the same transaction, because the user does not return.
    fn finish_deferred_grant(mut self, has_consented: bool) -> FlowTransition {
        self.stage = FlowStage::Finished(match (self.kind(), has_consented) {
            (FlowKind::ApproveRequest, true) => FlowOutcome::RequestApproved,
            (FlowKind::ApproveRequest, false) => FlowOutcome::RequestDenied,
            (_, true) => FlowOutcome::DeviceAllowed,
            (_, false) => FlowOutcome::DeviceDenied,
        });
        self.into_transition([])
    }

    /// All required proofs are given.
    fn complete_sign_in(
        mut self,
        account: AccountId,
        evidence: AuthenticationEvidence,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let start = FlowEffect::StartSession { account, evidence };
        match &mut self.purpose {
            FlowPurpose::Authorize { answers, .. }
            | FlowPurpose::ConfirmDevice { answers, .. }
            | FlowPurpose::ApproveRequest { answers, .. } => {
                answers.sign_in = SignInRelativeToRequest::Because;
                self.stage = FlowStage::Deciding;
                Ok(self.into_transition([start]))
            }
            FlowPurpose::SignIn => {
                self.stage = FlowStage::Finished(FlowOutcome::SignedIn);
                Ok(self.into_transition([start]))
            }
            FlowPurpose::AcceptInvitation { .. } => {
                self.stage = FlowStage::Finished(FlowOutcome::SignedIn);
                Ok(self.into_transition([FlowEffect::AcceptInvitation { account }, start]))
            }
            FlowPurpose::SignUp
            | FlowPurpose::StepUp { .. }
            | FlowPurpose::VerifyEmail { .. }
            | FlowPurpose::ChangeEmail { .. }
            | FlowPurpose::VerifyPhone { .. }
            | FlowPurpose::ResetPassword
            | FlowPurpose::Enroll { .. }
            | FlowPurpose::LinkIdentity { .. }
            | FlowPurpose::FirstOperator { .. } => Err(FlowActionUnavailable),
        }
    }

    /// Sets a password for the account whose e-mail address was verified in this flow. It starts no session:
    /// reading the mailbox does not prove the second factor.
    fn change_password(
        mut self,
        hash: PasswordHash,
        keep: Vec<String>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let flow_proof = self.proofs.iter().find(|proof| proof.proof.is_sent_by_email());
        let (FlowPurpose::ResetPassword, Some(proof)) = (&self.purpose, flow_proof) else {
            return Err(FlowActionUnavailable);
        };
        let account = proof.account;
        self.stage = FlowStage::Finished(FlowOutcome::PasswordSet);
        Ok(self.into_transition([
            FlowEffect::SetPassword { account, hash },
            FlowEffect::EndSessions { account, keep },
        ]))
    }

    fn into_transition(self, effects: impl IntoIterator<Item = FlowEffect>) -> FlowTransition {
        FlowTransition { flow: self, effects: effects.into_iter().collect() }
    }

    /// The evidence from this flow.
    pub fn evidence(&self) -> AuthenticationEvidence {
        self.proofs
            .iter()
            .fold(AuthenticationEvidence::default(), |evidence, proof| evidence.with_proof(proof.proof))
    }

    /// The proof methods available at this stage. Before the first proof they are the same for all accounts.
    pub fn available_proof_methods(&self) -> Vec<AuthenticationProofMethod> {
        let is_proven = |proof_method: &AuthenticationProofMethod| {
            self.proofs
                .iter()
                .any(|proof| AuthenticationProofMethod::from_proof(&proof.proof) == Some(*proof_method))
        };
        match &self.stage {
            FlowStage::SignIn => AuthenticationProofMethod::FIRST_FACTORS.to_vec(),
            FlowStage::SecondFactor => {
                let second = self.person.iter().flat_map(FlowAccount::second_factor_methods);
                let mut methods: Vec<_> = second.filter(|proof_method| !is_proven(proof_method)).collect();
                methods.sort_by_key(|proof_method| *proof_method != AuthenticationProofMethod::Passkey);
                methods
            }
            FlowStage::Reauthenticate { needs, .. } => self
                .reauthentication_methods(*needs)
                .into_iter()
                .filter(|proof_method| !is_proven(proof_method))
                .collect(),
            FlowStage::Details
            | FlowStage::Address
            | FlowStage::MailedProof(_)
            | FlowStage::TextedProof(_)
            | FlowStage::AtProvider(_)
            | FlowStage::NewPassword
            | FlowStage::Deciding
            | FlowStage::UserCode
            | FlowStage::ChooseOrganization { .. }
            | FlowStage::Consent { .. }
            | FlowStage::ChooseFactor { .. }
            | FlowStage::Enroll(_)
            | FlowStage::Resume
            | FlowStage::Refused { .. }
            | FlowStage::Finished(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
