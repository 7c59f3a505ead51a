//! What is sent to an address, and what follows when it comes back: digits that were typed, or a link that was
//! followed.

use super::account::FlowAccount;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{EmailChallenge, FlowOutcome, FlowStage};
use super::verified_input::{FlowEffect, MagicLinkOpener};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowProof, FlowTransition};
use crate::assurance::AuthenticationProof;

impl AuthenticationFlow {
    /// Something was sent to an address, or would have been if it were anybody's.
    pub(crate) fn send_email_challenge(
        mut self,
        mailed: EmailChallenge,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        self.stage = FlowStage::MailedProof(mailed.clone());
        Ok(self.into_transition([FlowEffect::SendProof(mailed)]))
    }

    /// Whoever walks here reads what is sent to that address.
    pub(crate) fn accept_email_proof(
        mut self,
        mailed: EmailChallenge,
        person: Option<FlowAccount>,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match (self.purpose.kind(), mailed.account, person) {
            (FlowKind::SignUp, None, None) => self.create_account(mailed, Some(proof)),
            (
                FlowKind::SignIn
                | FlowKind::Authorize
                | FlowKind::ConfirmDevice
                | FlowKind::ApproveRequest
                | FlowKind::AcceptInvitation,
                Some(account),
                Some(person),
            ) if person.account == account => self.prove(person, proof),
            (FlowKind::ResetPassword, Some(account), Some(person)) if person.account == account => {
                self.proofs.push(FlowProof { proof, account, step: self.steps });
                (self.person, self.stage) = (Some(person), FlowStage::NewPassword);
                Ok(self.into_transition([]))
            }
            (FlowKind::VerifyEmail, Some(account), Some(person)) if person.account == account => {
                let FlowPurpose::VerifyEmail { contact, .. } = self.purpose else {
                    return Err(FlowActionUnavailable);
                };
                self.stage = FlowStage::Finished(FlowOutcome::EmailVerified);
                Ok(self.into_transition([FlowEffect::VerifyContact { account, contact }]))
            }
            (FlowKind::ChangeEmail, Some(account), Some(person)) if person.account == account => {
                self.stage = FlowStage::Finished(FlowOutcome::EmailChanged);
                Ok(self.into_transition([FlowEffect::ChangeEmail { account, address: mailed.address }]))
            }
            _ => Err(FlowActionUnavailable),
        }
    }

    /// The button of a link was pressed. Where that was not whoever began the flow, it goes on with them, and
    /// nothing of whoever began it goes along.
    pub(crate) fn accept_magic_link(
        mut self,
        mailed: EmailChallenge,
        person: Option<FlowAccount>,
        opener: MagicLinkOpener,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if let MagicLinkOpener::Reader(carrier) = opener {
            if !self.can_continue_on_other_device() {
                return Err(FlowActionUnavailable);
            }
            (self.carrier, self.session) = (carrier, None);
        }
        self.accept_email_proof(mailed, person, AuthenticationProof::MagicLink)
    }

    /// Whether somebody who reads the mail may go on with this flow where they read it. An account is not made, nor
    /// an address added to one, for whoever only confirms what somebody else prepared: they would share it with them. Nor
    /// does anybody answer for a device whose code somebody else brought along.
    pub const fn can_continue_on_other_device(&self) -> bool {
        match self.kind() {
            FlowKind::SignIn | FlowKind::Authorize | FlowKind::ResetPassword => true,
            FlowKind::SignUp
            | FlowKind::ConfirmDevice
            | FlowKind::ApproveRequest
            | FlowKind::StepUp
            | FlowKind::VerifyEmail
            | FlowKind::ChangeEmail
            | FlowKind::VerifyPhone
            | FlowKind::Enroll
            | FlowKind::LinkIdentity
            | FlowKind::AcceptInvitation
            | FlowKind::FirstOperator => false,
        }
    }

    /// Whether an address is enough to begin signing in with.
    pub(crate) fn allows_email_sign_in(&self) -> bool {
        matches!(
            self.kind(),
            FlowKind::SignIn
                | FlowKind::Authorize
                | FlowKind::ConfirmDevice
                | FlowKind::ApproveRequest
                | FlowKind::AcceptInvitation
        )
    }

    /// Whether somebody signs in by what is sent there. Whoever accepts an invitation reads the address that it names, and
    /// no other.
    pub(crate) fn can_send_email(&self, mailed: &EmailChallenge) -> bool {
        match &self.purpose {
            FlowPurpose::AcceptInvitation { address, .. } => *address == mailed.address,
            _ => self.allows_email_sign_in(),
        }
    }

    /// Whether somebody may take back what they said and begin anew.
    pub(crate) fn can_restart(&self) -> bool {
        self.allows_email_sign_in()
            && matches!(self.stage, FlowStage::MailedProof(_) | FlowStage::SecondFactor)
    }

    /// From the beginning of signing in. An invitation stays meant for whom it is.
    pub(crate) fn restart_sign_in(mut self) -> FlowTransition {
        self.stage = FlowStage::SignIn;
        if self.kind() != FlowKind::AcceptInvitation {
            self.person = None;
        }
        self.proofs.clear();
        self.into_transition([])
    }
}
