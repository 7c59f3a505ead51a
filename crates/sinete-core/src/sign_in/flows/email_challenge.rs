//! E-mail challenges: codes that the user types and links that the user opens.

use super::account::FlowAccount;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{EmailChallenge, FlowOutcome, FlowStage};
use super::verified_input::{FlowEffect, MagicLinkOpener};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowProof, FlowTransition};
use crate::assurance::AuthenticationProof;

impl AuthenticationFlow {
    /// Sends an e-mail challenge; the flow continues in the same way if no account has the address.
    pub(crate) fn send_email_challenge(
        mut self,
        challenge: EmailChallenge,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        self.stage = FlowStage::MailedProof(challenge.clone());
        Ok(self.into_transition([FlowEffect::SendEmailChallenge(challenge)]))
    }

    /// The user has proven access to the mailbox.
    pub(crate) fn accept_email_proof(
        mut self,
        challenge: EmailChallenge,
        flow_account: Option<FlowAccount>,
        proof: AuthenticationProof,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match (self.purpose.kind(), challenge.account, flow_account) {
            (kind, None, None)
                if challenge.creates_account() && (kind == FlowKind::SignUp || self.can_sign_up()) =>
            {
                self.create_account(challenge, Some(proof))
            }
            // For the address of an existing account, no account is created and no user is signed in.
            _ if challenge.creates_account() => Err(FlowActionUnavailable),
            (
                FlowKind::SignIn
                | FlowKind::Authorize
                | FlowKind::ConfirmDevice
                | FlowKind::ApproveRequest
                | FlowKind::AcceptInvitation,
                Some(account),
                Some(flow_account),
            ) if flow_account.account == account => self.add_proof(flow_account, proof),
            (FlowKind::ResetPassword, Some(account), Some(flow_account))
                if flow_account.account == account =>
            {
                self.proofs.push(FlowProof { proof, account, step: self.steps });
                (self.person, self.stage) = (Some(flow_account), FlowStage::NewPassword);
                Ok(self.into_transition([]))
            }
            (FlowKind::VerifyEmail, Some(account), Some(flow_account)) if flow_account.account == account => {
                let FlowPurpose::VerifyEmail { contact, .. } = self.purpose else {
                    return Err(FlowActionUnavailable);
                };
                self.stage = FlowStage::Finished(FlowOutcome::EmailVerified);
                Ok(self.into_transition([FlowEffect::VerifyContact { account, contact }]))
            }
            (FlowKind::ChangeEmail, Some(account), Some(flow_account)) if flow_account.account == account => {
                self.stage = FlowStage::Finished(FlowOutcome::EmailChanged);
                Ok(self.into_transition([FlowEffect::ChangeEmail { account, address: challenge.address }]))
            }
            _ => Err(FlowActionUnavailable),
        }
    }

    /// The user confirmed a magic link. If they do not hold the flow token, the flow moves to their device
    /// and drops the initiator's session.
    pub(crate) fn accept_magic_link(
        mut self,
        challenge: EmailChallenge,
        account: Option<FlowAccount>,
        opener: MagicLinkOpener,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if let MagicLinkOpener::LinkHolder(carrier) = opener {
            if !self.can_continue_on_other_device() {
                return Err(FlowActionUnavailable);
            }
            (self.carrier, self.session) = (carrier, None);
        }
        self.accept_email_proof(challenge, account, AuthenticationProof::MagicLink)
    }

    /// Whether the flow may continue on the device where the mail was opened. Not if it would create an
    /// account or add an address: the victim would confirm an account that an attacker prepared and shares.
    /// Nor for a user code (RFC 8628) that another user entered.
    pub const fn can_continue_on_other_device(&self) -> bool {
        if matches!(&self.stage, FlowStage::MailedProof(mailed) if mailed.creates_account()) {
            return false;
        }
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

    /// Whether sign-in can start with an e-mail address.
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

    /// Whether the address may receive a challenge. For an invitation, only its own address may.
    pub(crate) fn can_send_email(&self, challenge: &EmailChallenge) -> bool {
        match &self.purpose {
            FlowPurpose::AcceptInvitation { address, .. } => *address == challenge.address,
            _ => self.allows_email_sign_in(),
        }
    }

    /// Whether the user may start again.
    pub(crate) fn can_restart(&self) -> bool {
        match self.stage {
            FlowStage::MailedProof(_) | FlowStage::SecondFactor => self.allows_email_sign_in(),
            FlowStage::Details => self.can_sign_up(),
            FlowStage::Enroll(_) => self.kind().enrolls_on_demand(),
            _ => false,
        }
    }

    /// Restarts sign-in, or sign-up where a new address was not verified yet. An invitation stays bound to its
    /// recipient.
    pub(crate) fn restart_sign_in(mut self) -> FlowTransition {
        self.stage = match &self.stage {
            FlowStage::MailedProof(challenge) if challenge.creates_account() => FlowStage::Details,
            _ => FlowStage::SignIn,
        };
        if self.kind() != FlowKind::AcceptInvitation {
            self.person = None;
        }
        self.proofs.clear();
        self.into_transition([])
    }
}
