//! The end of setting something up. It proves nothing: the session is worth afterwards what it was worth before.

use super::answer::FlowEffect;
use super::credential::enrolling::{CompletedEnrollment, PendingEnrollment};
use super::stage::{FlowOutcome, FlowStage};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};

impl AuthenticationFlow {
    /// What was set up is kept, if it is what this flow sets up and for whom.
    pub(super) fn complete_enrollment(
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
