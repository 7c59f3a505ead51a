//! Completion of an enrollment. It proves nothing: the session's assurance stays the same, and a
//! request that demands the new factor asks for it afterwards.

use super::stage::{FlowOutcome, FlowStage};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::sign_in::credentials::enrollment::{CompletedEnrollment, EnrollableFactor, PendingEnrollment};

impl AuthenticationFlow {
    /// Completes the enrollment if it matches the flow's factor and account.
    pub(crate) fn complete_enrollment(
        mut self,
        pending_enrollment: PendingEnrollment,
        completed_enrollment: CompletedEnrollment,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let Some(account) = self.account() else { return Err(FlowActionUnavailable) };
        if pending_enrollment.factor() != completed_enrollment.factor() {
            return Err(FlowActionUnavailable);
        }
        self.stage = if self.kind().enrolls_on_demand() {
            FlowStage::Deciding
        } else {
            FlowStage::Finished(FlowOutcome::Enrolled)
        };
        Ok(self.into_transition([FlowEffect::AddCredential {
            account,
            pending_enrollment,
            completed_enrollment,
        }]))
    }

    /// Begins the enrollment of one of the factors that an authorization request demands.
    pub(crate) fn choose_factor(
        mut self,
        factors: &[EnrollableFactor],
        pending_enrollment: PendingEnrollment,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if !factors.contains(&pending_enrollment.factor()) {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::Enroll(pending_enrollment);
        Ok(self.into_transition([]))
    }

    /// The number of transitions. A challenge of one step is not valid at another.
    pub const fn step_count(&self) -> u32 {
        self.steps
    }
}
