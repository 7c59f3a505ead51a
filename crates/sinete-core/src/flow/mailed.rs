//! What is sent to an address, and what follows when it comes back: digits that were typed, or a link that was
//! followed.

use super::answer::{Effect, Opener};
use super::person::Person;
use super::purpose::{FlowKind, Purpose};
use super::stage::{Ending, Mailed, Stage};
use super::{Flow, Given, Moved, OutOfTurn};
use crate::assurance::Proof;

impl Flow {
    /// Something was sent to an address, or would have been if it were anybody's.
    pub(super) fn mail(mut self, mailed: Mailed) -> Result<Moved, OutOfTurn> {
        self.stage = Stage::MailedProof(mailed.clone());
        Ok(self.moved([Effect::SendProof(mailed)]))
    }

    /// Whoever walks here reads what is sent to that address.
    pub(super) fn mail_proven(
        mut self,
        mailed: Mailed,
        person: Option<Person>,
        proof: Proof,
    ) -> Result<Moved, OutOfTurn> {
        match (self.purpose.kind(), mailed.account, person) {
            (FlowKind::SignUp, None, None) => self.account_made(mailed, Some(proof)),
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
                self.proofs.push(Given { proof, account, step: self.steps });
                (self.person, self.stage) = (Some(person), Stage::NewPassword);
                Ok(self.moved([]))
            }
            (FlowKind::VerifyEmail, Some(account), Some(person)) if person.account == account => {
                let Purpose::VerifyEmail { contact, .. } = self.purpose else { return Err(OutOfTurn) };
                self.stage = Stage::Finished(Ending::EmailVerified);
                Ok(self.moved([Effect::VerifyContact { account, contact }]))
            }
            (FlowKind::ChangeEmail, Some(account), Some(person)) if person.account == account => {
                self.stage = Stage::Finished(Ending::EmailChanged);
                Ok(self.moved([Effect::ChangeEmail { account, address: mailed.address }]))
            }
            _ => Err(OutOfTurn),
        }
    }

    /// The button of a link was pressed. Where that was not whoever began the flow, it goes on with them, and
    /// nothing of whoever began it goes along.
    pub(super) fn link_followed(
        mut self,
        mailed: Mailed,
        person: Option<Person>,
        opener: Opener,
    ) -> Result<Moved, OutOfTurn> {
        if let Opener::Reader(carrier) = opener {
            if !self.can_be_taken_over() {
                return Err(OutOfTurn);
            }
            (self.carrier, self.session) = (carrier, None);
        }
        self.mail_proven(mailed, person, Proof::MagicLink)
    }

    /// Whether somebody who reads the mail may go on with this flow where they read it. An account is not made, nor
    /// an address added to one, for whoever only confirms what somebody else prepared: they would share it with them. Nor
    /// does anybody answer for a device whose code somebody else brought along.
    pub const fn can_be_taken_over(&self) -> bool {
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
    pub(crate) fn signs_in_by_mail(&self) -> bool {
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
    pub(super) fn may_mail(&self, mailed: &Mailed) -> bool {
        match &self.purpose {
            Purpose::AcceptInvitation { address, .. } => *address == mailed.address,
            _ => self.signs_in_by_mail(),
        }
    }

    /// Whether somebody may take back what they said and begin anew.
    pub(crate) fn may_restart(&self) -> bool {
        self.signs_in_by_mail() && matches!(self.stage, Stage::MailedProof(_) | Stage::SecondFactor)
    }

    /// From the beginning of signing in. An invitation stays meant for whom it is.
    pub(super) fn restart_sign_in(mut self) -> Moved {
        self.stage = Stage::SignIn;
        if self.kind() != FlowKind::AcceptInvitation {
            self.person = None;
        }
        self.proofs.clear();
        self.moved([])
    }
}
