//! The user's decisions in an authorization: organization, user code and consent.

use super::purpose::FlowPurpose;
use super::stage::{FlowStage, OrganizationChoice};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::id::OrganizationId;
use crate::oauth::authorize::pending_authorization::{ConsentDecision, PendingAuthorization};

impl AuthenticationFlow {
    pub(crate) fn choose_organization(
        mut self,
        choices: &[OrganizationChoice],
        organization: OrganizationId,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let Some(answers) = self.purpose.answers_mut() else { return Err(FlowActionUnavailable) };
        if !choices.iter().any(|choice| choice.organization == organization) {
            return Err(FlowActionUnavailable);
        }
        (answers.organization, self.stage) = (Some(organization), FlowStage::Deciding);
        Ok(self.into_transition([]))
    }

    pub(crate) fn decide_consent(
        mut self,
        decision: ConsentDecision,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let FlowPurpose::Authorize { answers, .. } = &mut self.purpose else {
            return Err(FlowActionUnavailable);
        };
        (answers.consent, self.stage) = (Some(decision), FlowStage::Deciding);
        Ok(self.into_transition([]))
    }

    pub(crate) fn recognize_user_code(
        mut self,
        pending: Box<PendingAuthorization>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let FlowPurpose::ConfirmDevice { pending_authorization, .. } = &mut self.purpose else {
            return Err(FlowActionUnavailable);
        };
        (*pending_authorization, self.stage) = (Some(pending), FlowStage::Deciding);
        Ok(self.into_transition([]))
    }
}
