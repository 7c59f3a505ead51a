//! Accounts created in a flow.

use super::account::FlowAccount;
use super::purpose::FlowPurpose;
use super::stage::{EmailChallenge, FlowOutcome, FlowStage};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowProof, FlowTransition};
use crate::assurance::AuthenticationProof;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::oauth::authorize::pending_authorization::SignInRelativeToRequest;
use crate::sign_in::credentials::enrollment::RegisteredPasskey;

impl AuthenticationFlow {
    /// Sets whether anyone may create an account and use it for the purpose of this flow.
    #[must_use]
    pub const fn with_sign_up(mut self, sign_up: bool) -> Self {
        self.sign_up = sign_up;
        self
    }

    /// Whether a user of an authorization request may create an account instead of signing in. Once they signed
    /// in for the request, they have one.
    pub const fn can_sign_up(&self) -> bool {
        match &self.purpose {
            FlowPurpose::Authorize { answers, .. } => {
                self.sign_up && matches!(answers.sign_in, SignInRelativeToRequest::Before)
            }
            _ => false,
        }
    }

    /// Whether the address of a new account is verified by e-mail in this flow. Such an account joins the home
    /// organization.
    pub const fn verifies_new_address(&self) -> bool {
        matches!(self.purpose, FlowPurpose::SignUp | FlowPurpose::Authorize { .. })
    }

    /// The user wants to create an account.
    pub(crate) fn begin_sign_up(mut self) -> Result<FlowTransition, FlowActionUnavailable> {
        if !self.can_sign_up() {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::Details;
        Ok(self.into_transition([]))
    }

    /// Records the details of a new account.
    pub(crate) fn draft_account(
        mut self,
        drafted: EmailChallenge,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match &self.purpose {
            FlowPurpose::SignUp => self.send_email_challenge(drafted),
            FlowPurpose::Authorize { .. } if self.can_sign_up() => self.send_email_challenge(drafted),
            FlowPurpose::AcceptInvitation { address, .. } if *address == drafted.address => {
                // The invitation was sent by e-mail, so holding it proves access to the mailbox.
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

    /// Creates an account and signs its owner in with the proofs given during sign-up.
    pub(crate) fn create_account(
        mut self,
        drafted: EmailChallenge,
        mail: Option<AuthenticationProof>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        // An existing account is never taken over.
        let (None, Some(account)) = (drafted.account, drafted.new_account) else {
            return Err(FlowActionUnavailable);
        };
        // Choosing a password proves knowledge of it.
        let authentication_proof = drafted.password.as_ref().map(|_| AuthenticationProof::Password);
        // Creating a passkey proves possession of it.
        let passkey_proof = drafted.passkey.as_ref().map(RegisteredPasskey::proof);
        for proof in mail.into_iter().chain(authentication_proof).chain(passkey_proof) {
            self.proofs.push(FlowProof { proof, account, step: self.steps });
        }
        let evidence = self.evidence();
        if evidence.is_empty() {
            return Err(FlowActionUnavailable);
        }
        let proof_methods = drafted.password.iter().map(|_| AuthenticationProofMethod::Password);
        let proof_methods =
            proof_methods.chain(drafted.passkey.iter().map(|_| AuthenticationProofMethod::Passkey)).collect();
        self.person = Some(FlowAccount { account, ways: proof_methods, closed: Default::default() });
        self.stage = match &mut self.purpose {
            FlowPurpose::Authorize { answers, .. } => {
                answers.sign_in = SignInRelativeToRequest::Because;
                FlowStage::Deciding
            }
            _ => FlowStage::Finished(FlowOutcome::SignedIn),
        };
        let is_proven = mail.is_some();
        let create = FlowEffect::CreateAccount { details: drafted, is_proven };
        let follow = match &self.purpose {
            FlowPurpose::AcceptInvitation { .. } => Some(FlowEffect::AcceptInvitation { account }),
            FlowPurpose::FirstOperator { .. } => Some(FlowEffect::MakeOperator { account }),
            _ => None,
        };
        let effects = [Some(create), follow, Some(FlowEffect::StartSession { account, evidence })];
        Ok(self.into_transition(effects.into_iter().flatten()))
    }
}
