//! Whoever is signed in proves it again, or proves more: what is asked of them, and when it is enough.

use super::answer::Effect;
use super::person::Way;
use super::purpose::Purpose;
use super::stage::{Ending, Stage};
use super::{Flow, Moved};
use crate::assurance::freshness::FreshnessDemand;
use crate::assurance::{Assurance, Evidence};
use crate::people::ways_in;

impl Flow {
    /// What was proven in this flow is held against what is needed, beside what still counts from before.
    pub(super) fn prove_again(self, needs: Assurance, base: &Evidence) -> Moved {
        let given = self.evidence();
        let before = self.counting(base);
        let is_met = self.demand(needs).is_some_and(|demand| demand.is_met_by(&before, &given));
        if is_met { self.reauthenticated(base.with(&given)) } else { self.moved([]) }
    }

    /// The ways in which it can be proven again. Whoever has a passkey is asked for it before anything else.
    pub(super) fn ways_again(&self, needs: Assurance) -> Vec<Way> {
        let (Some(person), Some(demand)) = (&self.person, self.demand(needs)) else { return Vec::new() };
        let mut ways: Vec<_> = person.ways.iter().copied().filter(|way| demand.accepts(*way)).collect();
        ways.sort_by_key(|way| *way != Way::Passkey);
        ways
    }

    fn reauthenticated(mut self, evidence: Evidence) -> Moved {
        self.stage = match self.purpose {
            Purpose::Authorize { .. } | Purpose::ConfirmDevice { .. } | Purpose::ApproveRequest { .. } => {
                Stage::Deciding
            }
            _ => Stage::Finished(Ending::SignedIn),
        };
        self.moved([Effect::RenewSession { evidence }])
    }

    /// Whether something was proven already that still counts, so that only a second thing is missing.
    pub fn lacks_only_a_second(&self) -> bool {
        match &self.stage {
            Stage::SecondFactor => true,
            Stage::Reauthenticate { needs, base } => {
                let proven = self.counting(base).with(&self.evidence()).assurance();
                proven.is_some() && proven < Some(*needs)
            }
            _ => false,
        }
    }

    /// What has to be proven to go on, by whomever the flow is about.
    fn demand(&self, needs: Assurance) -> Option<FreshnessDemand> {
        let person = self.person.as_ref()?;
        Some(match self.purpose {
            Purpose::StepUp { .. } => FreshnessDemand::step_up(needs, person),
            _ => FreshnessDemand::requested(needs, person),
        })
    }

    /// What of the evidence in the session counts here. A step-up that somebody begins decides about their account, for
    /// which the provider of an organization speaks only where they have set up nothing of their own.
    fn counting(&self, base: &Evidence) -> Evidence {
        let is_own = matches!(self.purpose, Purpose::StepUp { .. });
        let has_own = self.person.as_ref().is_some_and(|it| !it.ways.contains(&Way::SingleSignOn));
        ways_in::counting(base, is_own && has_own)
    }
}
