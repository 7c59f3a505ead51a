//! Reauthentication and step-up: what is required, and when it is enough.

use super::purpose::FlowPurpose;
use super::stage::{FlowOutcome, FlowStage};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowTransition};
use crate::assurance::freshness::ReauthenticationRequirement;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::sign_in::sign_in_methods;

impl AuthenticationFlow {
    /// Checks the flow's proofs, with the session's still valid evidence, against the required level.
    pub(crate) fn reauthenticate(
        self,
        needs: AssuranceLevel,
        base: &AuthenticationEvidence,
    ) -> FlowTransition {
        let authentication_evidence = self.evidence();
        let before = self.applicable_evidence(base);
        let is_met = self
            .reauthentication_requirement(needs)
            .is_some_and(|demand| demand.is_satisfied_by_step_up(&before, &authentication_evidence));
        if is_met {
            self.finish_reauthentication(base.merge(&authentication_evidence))
        } else {
            self.into_transition([])
        }
    }

    /// The methods for reauthentication. A passkey, if enrolled, comes first.
    pub(crate) fn reauthentication_methods(&self, needs: AssuranceLevel) -> Vec<AuthenticationProofMethod> {
        let (Some(account), Some(demand)) = (&self.person, self.reauthentication_requirement(needs)) else {
            return Vec::new();
        };
        let mut methods: Vec<_> = account
            .ways
            .iter()
            .copied()
            .filter(|proof_method| demand.accepts_method(*proof_method))
            .collect();
        methods.sort_by_key(|proof_method| *proof_method != AuthenticationProofMethod::Passkey);
        methods
    }

    fn finish_reauthentication(mut self, evidence: AuthenticationEvidence) -> FlowTransition {
        self.stage = match self.purpose {
            FlowPurpose::Authorize { .. }
            | FlowPurpose::ConfirmDevice { .. }
            | FlowPurpose::ApproveRequest { .. } => FlowStage::Deciding,
            _ => FlowStage::Finished(FlowOutcome::SignedIn),
        };
        self.into_transition([FlowEffect::RenewSession { evidence }])
    }

    /// Whether only a second factor is missing.
    pub fn needs_only_second_factor(&self) -> bool {
        match &self.stage {
            FlowStage::SecondFactor => true,
            FlowStage::Reauthenticate { needs, base } => {
                let assurance_level =
                    self.applicable_evidence(base).merge(&self.evidence()).assurance_level();
                assurance_level.is_some() && assurance_level < Some(*needs)
            }
            _ => false,
        }
    }

    /// What must be proven to continue.
    fn reauthentication_requirement(&self, needs: AssuranceLevel) -> Option<ReauthenticationRequirement> {
        let account = self.person.as_ref()?;
        Some(match self.purpose {
            FlowPurpose::StepUp { .. } => ReauthenticationRequirement::for_step_up(needs, account),
            _ => ReauthenticationRequirement::for_authorization_request(needs, account),
        })
    }

    /// The session evidence that counts here. A step-up started by the user protects their account, so an
    /// organization's identity provider counts only if they have no credentials of their own.
    fn applicable_evidence(&self, base: &AuthenticationEvidence) -> AuthenticationEvidence {
        let is_own = matches!(self.purpose, FlowPurpose::StepUp { .. });
        let has_own = self
            .person
            .as_ref()
            .is_some_and(|it| !it.ways.contains(&AuthenticationProofMethod::SingleSignOn));
        sign_in_methods::filter_account_evidence(base, is_own && has_own)
    }
}
