//! Going to a provider of an organization, and what follows when somebody comes back from it.

use super::answer::{FlowEffect, VerifiedFlowInput};
use super::credential::single_sign_on::IdentityResolution;
use super::person::{AuthenticationProofMethod, FlowAccount};
use super::purpose::FlowKind;
use super::stage::{FlowOutcome, FlowStage, IdentityProviderRedirect};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::assurance::AuthenticationProof;

impl AuthenticationFlow {
    /// Whether somebody may begin to sign in at a provider.
    pub(super) fn signs_in_at_providers(&self) -> bool {
        self.providers && self.signs_in_by_mail()
    }

    /// Somebody goes to a provider, or comes back from it.
    pub(super) fn there_and_back(
        mut self,
        stage: FlowStage,
        answer: VerifiedFlowInput,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match (stage, answer) {
            (
                from @ (FlowStage::SignIn | FlowStage::Reauthenticate { .. }),
                VerifiedFlowInput::SentToProvider(at),
            ) => self.send_to_provider(from, at),
            (FlowStage::AtProvider(at), VerifiedFlowInput::Vouched { person, proof, admission }) => {
                self.vouched_for(at, person, proof, admission)
            }
            (
                FlowStage::AtProvider(IdentityProviderRedirect { from: Some(from), .. }),
                VerifiedFlowInput::Restart,
            ) => {
                self.stage = *from;
                Ok(self.moved([]))
            }
            _ => Err(FlowActionUnavailable),
        }
    }

    /// Somebody goes to a provider: to say who they are, or to prove it again.
    fn send_to_provider(
        mut self,
        from: FlowStage,
        at: IdentityProviderRedirect,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let is_offered = match &from {
            FlowStage::SignIn => self.signs_in_at_providers(),
            _ => self.ways().contains(&AuthenticationProofMethod::SingleSignOn),
        };
        if !is_offered {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::AtProvider(IdentityProviderRedirect { from: Some(Box::new(from)), ..at });
        Ok(self.moved([]))
    }

    /// The provider vouches for whoever came back.
    fn vouched_for(
        mut self,
        at: IdentityProviderRedirect,
        person: FlowAccount,
        proof: AuthenticationProof,
        admission: Box<IdentityResolution>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if self.person.as_ref().is_some_and(|known| known.account != person.account) {
            return Err(FlowActionUnavailable);
        }
        let account = person.account;
        let admit = FlowEffect::Admit { account, admission };
        match (self.kind(), at.from) {
            (FlowKind::LinkIdentity, None) => {
                self.stage = FlowStage::Finished(FlowOutcome::IdentityLinked);
                Ok(self.moved([admit]))
            }
            (_, Some(from)) => {
                self.stage = *from;
                let mut moved = self.prove(person, proof)?;
                moved.effects.insert(0, admit);
                Ok(moved)
            }
            (_, None) => Err(FlowActionUnavailable),
        }
    }
}
