//! The end of setting something up. It proves nothing: the session is worth afterwards what it was worth before.

use super::stage::{FlowOutcome, FlowStage};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::sign_in::credentials::enrollment::{CompletedEnrollment, PendingEnrollment};

impl AuthenticationFlow {
    /// What was set up is kept, if it is what this flow sets up and for whom.
    pub(crate) fn complete_enrollment(
        mut self,
        enrolling: PendingEnrollment,
        made: CompletedEnrollment,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let Some(account) = self.account() else { return Err(FlowActionUnavailable) };
        if enrolling.factor() != made.factor() {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::Finished(FlowOutcome::Enrolled);
        Ok(self.into_transition([FlowEffect::AddCredential { account, enrolling, made }]))
    }

    /// How often it has moved. What was asked for at one step is not answered at another.
    pub const fn step_count(&self) -> u32 {
        self.steps
    }
}
