//! One pass through signing in, signing up and everything of that kind: where it stands, what it takes there,
//! and what follows.
//!
//! A flow is moved by answers that were judged already: whoever holds the facts found out whether a password, a
//! signature or some digits were right. Here it is decided what that leads to, and nothing else moves a flow. An
//! answer that is not the turn of anybody is refused and leaves the flow as it was. What a session is worth
//! follows from the proofs given in the flow, each bound to the flow, the step and the account.
//!
//! A new credential needs no new stage: it is one more [`FlowAction`] and one more [`AuthenticationProof`], and the engine learns to
//! judge it.

mod accessors;
pub mod account;
pub mod action;
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

use crate::assurance::{AuthenticationEvidence, AuthenticationProof};
use crate::id::{AccountId, FlowId, SessionId};
use crate::oauth::authorize::pending_authorization::{ConsentDecision, SignInTiming};
use crate::sign_in::credentials::password::PasswordHash;
use account::{AuthenticationProofMethod, FlowAccount};
use purpose::{FlowKind, FlowPurpose};
use serde::{Deserialize, Serialize};
use stage::{FlowOutcome, FlowStage, SmsChallenge};
use verified_input::{FlowEffect, NextAuthorizationStep, VerifiedFlowInput};

/// One pass through the flow engine.
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
    /// Whether short messages leave this instance, so that digits by telephone may be asked for.
    #[serde(default)]
    texts: bool,
    /// Whether anybody signs in at a provider of their organization here.
    #[serde(default)]
    providers: bool,
}

/// How whoever walks through a flow holds its token, and afterwards the session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowTokenTransport {
    /// A browser, in cookies.
    Cookie,
    /// A program, which is told the tokens.
    Token,
}

/// A proof that was given in this flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FlowProof {
    proof: AuthenticationProof,
    account: AccountId,
    step: u32,
}

/// The answer is nobody's turn: the flow stands elsewhere, is about somebody else, or has it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not the turn of that answer")]
pub struct FlowActionUnavailable;

/// Where an answer led, and what must be done in the same act.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTransition {
    /// The flow, one step further.
    pub flow: AuthenticationFlow,
    /// What must be done, in this order.
    pub effects: Vec<FlowEffect>,
}

impl AuthenticationFlow {
    /// A flow at its beginning, in the session of whoever starts it, where they have one.
    pub fn start(
        id: FlowId,
        purpose: FlowPurpose,
        carrier: FlowTokenTransport,
        within: Option<(SessionId, FlowAccount)>,
    ) -> Self {
        let stage = purpose.first_stage();
        let (session, person) =
            within.map_or((None, None), |(session, person)| (Some(session), Some(person)));
        // Whoever is about to say who they are has not said it yet.
        let person = person.filter(|_| purpose.requires_session());
        Self {
            id,
            purpose,
            stage,
            carrier,
            person,
            proofs: Vec::new(),
            session,
            steps: 0,
            texts: false,
            providers: false,
        }
    }

    /// The same in an instance whose short messages leave, or do not.
    #[must_use]
    pub const fn with_sms(mut self, texts: bool) -> Self {
        self.texts = texts;
        self
    }

    /// The same in an instance where some sign in at providers of their organizations, or nobody does.
    #[must_use]
    pub const fn with_identity_providers(mut self, providers: bool) -> Self {
        self.providers = providers;
        self
    }

    /// A flow for the account that an invitation is meant for: they sign in before they accept it.
    #[must_use]
    pub fn for_account(mut self, person: FlowAccount) -> Self {
        self.person = Some(person);
        self.stage = FlowStage::SignIn;
        self
    }

    /// Moves the flow, or refuses the answer and changes nothing.
    pub fn step(mut self, answer: VerifiedFlowInput) -> Result<FlowTransition, FlowActionUnavailable> {
        self.steps = self.steps.saturating_add(1);
        match (self.stage.clone(), answer) {
            (
                FlowStage::SignIn | FlowStage::SecondFactor | FlowStage::Reauthenticate { .. },
                VerifiedFlowInput::Proved { person, proof },
            ) => self.prove_as_offered(person, proof),
            (FlowStage::SignIn, VerifiedFlowInput::Addressed(mailed)) if self.can_send_email(&mailed) => {
                self.send_email_challenge(mailed)
            }
            (FlowStage::Address, VerifiedFlowInput::Addressed(mailed)) => self.send_email_challenge(mailed),
            (FlowStage::Details, VerifiedFlowInput::Drafted(mailed)) => self.draft_account(mailed),
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::Again) => {
                Ok(self.into_transition([FlowEffect::RepeatProof(mailed)]))
            }
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::CodeRight { person }) => {
                self.accept_email_proof(mailed, person, AuthenticationProof::EmailCode)
            }
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::LinkRight { person, opener }) => {
                self.accept_magic_link(mailed, person, opener)
            }
            (
                from @ (FlowStage::SignIn | FlowStage::SecondFactor | FlowStage::Reauthenticate { .. }),
                VerifiedFlowInput::Called { number, account },
            ) => self.send_sms_challenge(from, number, account),
            (FlowStage::TextedProof(texted), VerifiedFlowInput::Again) => {
                Ok(self.into_transition([FlowEffect::RepeatDigits(texted)]))
            }
            (FlowStage::TextedProof(texted), VerifiedFlowInput::CodeRight { person }) => {
                self.accept_sms_proof(texted, person)
            }
            (FlowStage::TextedProof(SmsChallenge { from: Some(from), .. }), VerifiedFlowInput::Restart) => {
                self.stage = *from;
                Ok(self.into_transition([]))
            }
            (FlowStage::MailedProof(_) | FlowStage::SecondFactor, VerifiedFlowInput::Restart)
                if self.can_restart() =>
            {
                Ok(self.restart_sign_in())
            }
            (FlowStage::NewPassword, VerifiedFlowInput::PasswordChosen { hash, keep }) => {
                self.password_chosen(hash, keep)
            }
            (FlowStage::Deciding, VerifiedFlowInput::Directed(direction)) => self.directed(*direction),
            (FlowStage::ChooseOrganization { choices }, VerifiedFlowInput::Chose(organization)) => {
                self.choose_organization(&choices, organization)
            }
            (FlowStage::UserCode, VerifiedFlowInput::Recognised(recognised)) => {
                self.recognise_user_code(recognised)
            }
            (FlowStage::Consent { .. }, VerifiedFlowInput::Consented(agreed))
                if self.kind().is_deferred_grant() =>
            {
                Ok(self.finish_deferred_grant(agreed))
            }
            (FlowStage::UserCode | FlowStage::Consent { .. }, VerifiedFlowInput::Reconsidered) => {
                self.stage = FlowStage::Deciding;
                Ok(self.into_transition([]))
            }
            (FlowStage::Consent { agreement, .. }, VerifiedFlowInput::Consented(agreed)) => {
                // What is agreed to is what was asked, whatever the answer brought along.
                self.decide_consent(if agreed {
                    ConsentDecision::Agreed(*agreement)
                } else {
                    ConsentDecision::Denied
                })
            }
            (FlowStage::Enroll(enrolling), VerifiedFlowInput::SetUp(made)) => {
                self.complete_enrollment(enrolling, made)
            }
            (stage @ FlowStage::AtProvider(_), answer)
            | (stage, answer @ VerifiedFlowInput::SentToProvider(_)) => {
                self.handle_provider_redirect(stage, answer)
            }
            _ => Err(FlowActionUnavailable),
        }
    }

    /// One proof more, by a method that the flow offers.
    fn prove_as_offered(
        self,
        person: FlowAccount,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let is_offered = AuthenticationProofMethod::from_proof(&proof)
            .is_some_and(|way| self.available_proof_methods().contains(&way));
        if is_offered { self.prove(person, proof) } else { Err(FlowActionUnavailable) }
    }

    /// One proof more, of the person the flow is about.
    fn prove(
        mut self,
        person: FlowAccount,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if self.person.as_ref().is_some_and(|known| known.account != person.account) {
            return Err(FlowActionUnavailable);
        }
        self.proofs.push(FlowProof { proof, account: person.account, step: self.steps });
        let (account, evidence) = (person.account, self.evidence());
        let is_enough = person.accepts_evidence(&evidence);
        self.person = Some(person);
        if let FlowStage::Reauthenticate { needs, base } = self.stage.clone() {
            return Ok(self.reauthenticate(needs, &base));
        }
        if !is_enough {
            self.stage = FlowStage::SecondFactor;
            return Ok(self.into_transition([]));
        }
        self.signed_in(account, evidence)
    }

    /// What they said is done in the same act: nobody comes back for it.
    fn finish_deferred_grant(mut self, agreed: bool) -> FlowTransition {
        self.stage = FlowStage::Finished(match (self.kind(), agreed) {
            (FlowKind::ApproveRequest, true) => FlowOutcome::RequestApproved,
            (FlowKind::ApproveRequest, false) => FlowOutcome::RequestDenied,
            (_, true) => FlowOutcome::DeviceAllowed,
            (_, false) => FlowOutcome::DeviceDenied,
        });
        self.into_transition([])
    }

    /// Everything that was needed has been proven.
    fn signed_in(
        mut self,
        account: AccountId,
        evidence: AuthenticationEvidence,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let start = FlowEffect::StartSession { account, evidence };
        match &mut self.purpose {
            FlowPurpose::Authorize { answers, .. }
            | FlowPurpose::ConfirmDevice { answers, .. }
            | FlowPurpose::ApproveRequest { answers, .. } => {
                answers.sign_in = SignInTiming::Because;
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

    /// A password for the account whose address was proven in this flow. No session comes of it: whoever reads
    /// somebody's mail still lacks their second factor.
    fn password_chosen(
        mut self,
        hash: PasswordHash,
        keep: Vec<String>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let proven = self.proofs.iter().find(|given| given.proof.is_sent_by_email());
        let (FlowPurpose::ResetPassword, Some(given)) = (&self.purpose, proven) else {
            return Err(FlowActionUnavailable);
        };
        let account = given.account;
        self.stage = FlowStage::Finished(FlowOutcome::PasswordSet);
        Ok(self.into_transition([
            FlowEffect::SetPassword { account, hash },
            FlowEffect::EndSessions { account, keep },
        ]))
    }

    /// Where an authorization request goes on.
    fn directed(mut self, direction: NextAuthorizationStep) -> Result<FlowTransition, FlowActionUnavailable> {
        let (is_device, is_elsewhere) = match self.purpose {
            FlowPurpose::Authorize { .. } => (false, false),
            FlowPurpose::ConfirmDevice { .. } => (true, true),
            FlowPurpose::ApproveRequest { .. } => (false, true),
            _ => return Err(FlowActionUnavailable),
        };
        self.stage = match direction {
            NextAuthorizationStep::SignIn => {
                self.person = None;
                self.proofs.clear();
                FlowStage::SignIn
            }
            NextAuthorizationStep::StepUp { needs, base, person } => {
                self.person = Some(person);
                self.proofs.clear();
                FlowStage::Reauthenticate { needs, base }
            }
            NextAuthorizationStep::UserCode if is_device => FlowStage::UserCode,
            NextAuthorizationStep::ChooseOrganization(choices) => FlowStage::ChooseOrganization { choices },
            NextAuthorizationStep::Consent { agreement, question } => {
                FlowStage::Consent { agreement: Box::new(agreement), question }
            }
            NextAuthorizationStep::Refuse { error, description } if is_elsewhere => {
                FlowStage::Refused { error, description }
            }
            NextAuthorizationStep::Resume if !is_elsewhere => FlowStage::Resume,
            NextAuthorizationStep::UserCode
            | NextAuthorizationStep::Refuse { .. }
            | NextAuthorizationStep::Resume => return Err(FlowActionUnavailable),
        };
        Ok(self.into_transition([]))
    }

    fn into_transition(self, effects: impl IntoIterator<Item = FlowEffect>) -> FlowTransition {
        FlowTransition { flow: self, effects: effects.into_iter().collect() }
    }

    /// What was proven in this flow.
    pub fn evidence(&self) -> AuthenticationEvidence {
        self.proofs
            .iter()
            .fold(AuthenticationEvidence::default(), |evidence, given| evidence.with_proof(given.proof))
    }

    /// The ways in which something can be proven at this stage. Before anybody has proven anything they are the
    /// same for everybody.
    pub fn available_proof_methods(&self) -> Vec<AuthenticationProofMethod> {
        let given = |way: &AuthenticationProofMethod| {
            self.proofs.iter().any(|given| AuthenticationProofMethod::from_proof(&given.proof) == Some(*way))
        };
        match &self.stage {
            FlowStage::SignIn => AuthenticationProofMethod::FIRST.to_vec(),
            FlowStage::SecondFactor => {
                let second = self.person.iter().flat_map(FlowAccount::second_factor_methods);
                second.filter(|way| !given(way)).collect()
            }
            FlowStage::Reauthenticate { needs, .. } => {
                self.reauthentication_methods(*needs).into_iter().filter(|way| !given(way)).collect()
            }
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
            | FlowStage::Enroll(_)
            | FlowStage::Resume
            | FlowStage::Refused { .. }
            | FlowStage::Finished(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
