//! Whoever is signed in proves it again, or proves more: what is asked of them, and when it is enough.

use super::answer::FlowEffect;
use super::person::AuthenticationProofMethod;
use super::purpose::FlowPurpose;
use super::stage::{FlowOutcome, FlowStage};
use super::{AuthenticationFlow, FlowTransition};
use crate::assurance::freshness::FreshnessDemand;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::people::ways_in;

impl AuthenticationFlow {
    /// What was proven in this flow is held against what is needed, beside what still counts from before.
    pub(super) fn prove_again(self, needs: AssuranceLevel, base: &AuthenticationEvidence) -> FlowTransition {
        let given = self.evidence();
        let before = self.counting(base);
        let is_met = self.demand(needs).is_some_and(|demand| demand.is_met_by(&before, &given));
        if is_met { self.reauthenticated(base.with(&given)) } else { self.moved([]) }
    }

    /// The ways in which it can be proven again. Whoever has a passkey is asked for it before anything else.
    pub(super) fn ways_again(&self, needs: AssuranceLevel) -> Vec<AuthenticationProofMethod> {
        let (Some(person), Some(demand)) = (&self.person, self.demand(needs)) else { return Vec::new() };
        let mut ways: Vec<_> = person.ways.iter().copied().filter(|way| demand.accepts(*way)).collect();
        ways.sort_by_key(|way| *way != AuthenticationProofMethod::Passkey);
        ways
    }

    fn reauthenticated(mut self, evidence: AuthenticationEvidence) -> FlowTransition {
        self.stage = match self.purpose {
            FlowPurpose::Authorize { .. }
            | FlowPurpose::ConfirmDevice { .. }
            | FlowPurpose::ApproveRequest { .. } => FlowStage::Deciding,
            _ => FlowStage::Finished(FlowOutcome::SignedIn),
        };
        self.moved([FlowEffect::RenewSession { evidence }])
    }

    /// Whether something was proven already that still counts, so that only a second thing is missing.
    pub fn lacks_only_a_second(&self) -> bool {
        match &self.stage {
            FlowStage::SecondFactor => true,
            FlowStage::Reauthenticate { needs, base } => {
                let proven = self.counting(base).with(&self.evidence()).assurance();
                proven.is_some() && proven < Some(*needs)
            }
            _ => false,
        }
    }

    /// What has to be proven to go on, by whomever the flow is about.
    fn demand(&self, needs: AssuranceLevel) -> Option<FreshnessDemand> {
        let person = self.person.as_ref()?;
        Some(match self.purpose {
            FlowPurpose::StepUp { .. } => FreshnessDemand::step_up(needs, person),
            _ => FreshnessDemand::requested(needs, person),
        })
    }

    /// What of the evidence in the session counts here. A step-up that somebody begins decides about their account, for
    /// which the provider of an organization speaks only where they have set up nothing of their own.
    fn counting(&self, base: &AuthenticationEvidence) -> AuthenticationEvidence {
        let is_own = matches!(self.purpose, FlowPurpose::StepUp { .. });
        let has_own = self
            .person
            .as_ref()
            .is_some_and(|it| !it.ways.contains(&AuthenticationProofMethod::SingleSignOn));
        ways_in::counting(base, is_own && has_own)
    }
}
