//! Accounts that come into being in a flow.

use super::account::{AuthenticationProofMethod, FlowAccount};
use super::purpose::FlowPurpose;
use super::stage::{EmailChallenge, FlowOutcome, FlowStage};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowProof, FlowTransition};
use crate::assurance::AuthenticationProof;
use crate::sign_in::credentials::enrollment::RegisteredPasskey;

impl AuthenticationFlow {
    /// What a new account will be made of is known.
    pub(crate) fn draft_account(
        mut self,
        drafted: EmailChallenge,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match &self.purpose {
            FlowPurpose::SignUp => self.send_email_challenge(drafted),
            FlowPurpose::AcceptInvitation { address, .. } if *address == drafted.address => {
                // The invitation was mailed: whoever holds it reads that address.
                self.create_account(drafted, Some(AuthenticationProof::MagicLink))
            }
            FlowPurpose::FirstOperator { .. } => self.create_account(drafted, None),
            FlowPurpose::AcceptInvitation { .. }
            | FlowPurpose::Authorize { .. }
            | FlowPurpose::ConfirmDevice { .. }
            | FlowPurpose::ApproveRequest { .. }
            | FlowPurpose::SignIn
            | FlowPurpose::StepUp { .. }
            | FlowPurpose::VerifyEmail { .. }
            | FlowPurpose::ChangeEmail { .. }
            | FlowPurpose::VerifyPhone { .. }
            | FlowPurpose::Enroll { .. }
            | FlowPurpose::LinkIdentity { .. }
            | FlowPurpose::ResetPassword => {
                self.stage = FlowStage::Details;
                Err(FlowActionUnavailable)
            }
        }
    }

    /// An account comes into being, whose owner is signed in with what they proved by making it.
    pub(crate) fn create_account(
        mut self,
        drafted: EmailChallenge,
        mail: Option<AuthenticationProof>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        // Nobody becomes the owner of an account that is there already.
        let (None, Some(account)) = (drafted.account, drafted.new_account) else {
            return Err(FlowActionUnavailable);
        };
        // Whoever has just chosen a password knows it.
        let chosen = drafted.password.as_ref().map(|_| AuthenticationProof::Password);
        // And whoever has just made a passkey holds it.
        let made = drafted.passkey.as_ref().map(RegisteredPasskey::proof);
        for proof in mail.into_iter().chain(chosen).chain(made) {
            self.proofs.push(FlowProof { proof, account, step: self.steps });
        }
        let evidence = self.evidence();
        if evidence.is_empty() {
            return Err(FlowActionUnavailable);
        }
        let ways = drafted.password.iter().map(|_| AuthenticationProofMethod::Password);
        let ways = ways.chain(drafted.passkey.iter().map(|_| AuthenticationProofMethod::Passkey)).collect();
        self.person = Some(FlowAccount { account, ways, closed: Default::default() });
        self.stage = FlowStage::Finished(FlowOutcome::SignedIn);
        let is_proven = mail.is_some();
        let create = FlowEffect::CreateAccount { drafted, is_proven };
        let follow = match &self.purpose {
            FlowPurpose::AcceptInvitation { .. } => Some(FlowEffect::AcceptInvitation { account }),
            FlowPurpose::FirstOperator { .. } => Some(FlowEffect::MakeOperator { account }),
            _ => None,
        };
        let effects = [Some(create), follow, Some(FlowEffect::StartSession { account, evidence })];
        Ok(self.into_transition(effects.into_iter().flatten()))
    }
}
