//! Accounts that come into being in a flow.

use super::answer::Effect;
use super::credential::enrolling::MadePasskey;
use super::person::{Person, Way};
use super::purpose::Purpose;
use super::stage::{Ending, Mailed, Stage};
use super::{Flow, Given, Moved, OutOfTurn};
use crate::assurance::Proof;

impl Flow {
    /// What a new account will be made of is known.
    pub(super) fn draft(mut self, drafted: Mailed) -> Result<Moved, OutOfTurn> {
        match &self.purpose {
            Purpose::SignUp => self.mail(drafted),
            Purpose::AcceptInvitation { address, .. } if *address == drafted.address => {
                // The invitation was mailed: whoever holds it reads that address.
                self.account_made(drafted, Some(Proof::MagicLink))
            }
            Purpose::FirstOperator { .. } => self.account_made(drafted, None),
            Purpose::AcceptInvitation { .. }
            | Purpose::Authorize { .. }
            | Purpose::ConfirmDevice { .. }
            | Purpose::ApproveRequest { .. }
            | Purpose::SignIn
            | Purpose::StepUp { .. }
            | Purpose::VerifyEmail { .. }
            | Purpose::ChangeEmail { .. }
            | Purpose::VerifyPhone { .. }
            | Purpose::Enroll { .. }
            | Purpose::LinkIdentity { .. }
            | Purpose::ResetPassword => {
                self.stage = Stage::Details;
                Err(OutOfTurn)
            }
        }
    }

    /// An account comes into being, whose owner is signed in with what they proved by making it.
    pub(super) fn account_made(mut self, drafted: Mailed, mail: Option<Proof>) -> Result<Moved, OutOfTurn> {
        // Nobody becomes the owner of an account that is there already.
        let (None, Some(account)) = (drafted.account, drafted.new_account) else { return Err(OutOfTurn) };
        // Whoever has just chosen a password knows it.
        let chosen = drafted.password.as_ref().map(|_| Proof::Password);
        // And whoever has just made a passkey holds it.
        let made = drafted.passkey.as_ref().map(MadePasskey::proof);
        for proof in mail.into_iter().chain(chosen).chain(made) {
            self.proofs.push(Given { proof, account, step: self.steps });
        }
        let evidence = self.evidence();
        if evidence.is_empty() {
            return Err(OutOfTurn);
        }
        let ways = drafted.password.iter().map(|_| Way::Password);
        let ways = ways.chain(drafted.passkey.iter().map(|_| Way::Passkey)).collect();
        self.person = Some(Person { account, ways, closed: Default::default() });
        self.stage = Stage::Finished(Ending::SignedIn);
        let is_proven = mail.is_some();
        let create = Effect::CreateAccount { drafted, is_proven };
        let follow = match &self.purpose {
            Purpose::AcceptInvitation { .. } => Some(Effect::AcceptInvitation { account }),
            Purpose::FirstOperator { .. } => Some(Effect::MakeOperator { account }),
            _ => None,
        };
        let effects = [Some(create), follow, Some(Effect::StartSession { account, evidence })];
        Ok(self.moved(effects.into_iter().flatten()))
    }
}
