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
        enrolling: PendingEnrollment,
        made: CompletedEnrollment,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let Some(account) = self.account() else { return Err(FlowActionUnavailable) };
        if enrolling.factor() != made.factor() {
            return Err(FlowActionUnavailable);
        }
        self.stage = if self.kind().enrolls_on_demand() {
            FlowStage::Deciding
        } else {
            FlowStage::Finished(FlowOutcome::Enrolled)
        };
        Ok(self.into_transition([FlowEffect::AddCredential { account, enrolling, made }]))
    }

    /// Begins the enrollment of one of the factors that an authorization request demands.
    pub(crate) fn choose_factor(
        mut self,
        factors: &[EnrollableFactor],
        enrolling: PendingEnrollment,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if !factors.contains(&enrolling.factor()) {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::Enroll(enrolling);
        Ok(self.into_transition([]))
    }

    /// The number of transitions. A challenge of one step is not valid at another.
    pub const fn step_count(&self) -> u32 {
        self.steps
    }
}
