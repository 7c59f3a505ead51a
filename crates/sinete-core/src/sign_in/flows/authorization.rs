//! The steps of an authorization request, as the engine decides them.

use super::purpose::FlowPurpose;
use super::stage::FlowStage;
use super::verified_input::NextAuthorizationStep;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};

impl AuthenticationFlow {
    /// Applies the next step of an authorization request.
    pub(super) fn apply_next_step(
        mut self,
        direction: NextAuthorizationStep,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
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
            NextAuthorizationStep::SignUp if self.sign_up && !is_elsewhere => {
                self.person = None;
                self.proofs.clear();
                FlowStage::Details
            }
            NextAuthorizationStep::StepUp { needs, base, person: account } => {
                self.person = Some(account);
                self.proofs.clear();
                FlowStage::Reauthenticate { needs, base }
            }
            NextAuthorizationStep::Enroll { factors, person: account } if !is_device => {
                self.person = Some(account);
                self.proofs.clear();
                FlowStage::ChooseFactor { factors }
            }
            NextAuthorizationStep::UserCode if is_device => FlowStage::UserCode,
            NextAuthorizationStep::ChooseOrganization(choices) => FlowStage::ChooseOrganization { choices },
            NextAuthorizationStep::Consent { consent_request: agreement, prompt: question } => {
                FlowStage::Consent { agreement: Box::new(agreement), question }
            }
            NextAuthorizationStep::Refuse { error, description } if is_elsewhere => {
                FlowStage::Refused { error, description }
            }
            NextAuthorizationStep::Resume if !is_elsewhere => FlowStage::Resume,
            NextAuthorizationStep::UserCode
            | NextAuthorizationStep::SignUp
            | NextAuthorizationStep::Enroll { .. }
            | NextAuthorizationStep::Refuse { .. }
            | NextAuthorizationStep::Resume => return Err(FlowActionUnavailable),
        };
        Ok(self.into_transition([]))
    }
}
