//! Redirects to an organization's identity provider and back.

use super::account::FlowAccount;
use super::purpose::FlowKind;
use super::stage::{FlowOutcome, FlowStage, IdentityProviderRedirect};
use super::verified_input::{FlowEffect, VerifiedFlowInput};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::assurance::AuthenticationProof;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::identity_providers::identity_resolution::IdentityResolution;

impl AuthenticationFlow {
    /// Whether sign-in can start at an identity provider.
    pub(crate) fn allows_provider_sign_in(&self) -> bool {
        self.providers && self.allows_email_sign_in()
    }

    /// Handles the redirect to an identity provider and the return from it.
    pub(crate) fn handle_provider_redirect(
        mut self,
        stage: FlowStage,
        answer: VerifiedFlowInput,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match (stage, answer) {
            (
                from @ (FlowStage::SignIn | FlowStage::Reauthenticate { .. }),
                VerifiedFlowInput::RedirectedToProvider(at),
            ) => self.send_to_provider(from, at),
            (
                FlowStage::AtProvider(at),
                VerifiedFlowInput::IdentityAsserted { person: account, proof, resolution: admission },
            ) => self.accept_provider_identity(at, account, proof, admission),
            (
                FlowStage::AtProvider(IdentityProviderRedirect { from: Some(from), .. }),
                VerifiedFlowInput::Restart,
            ) => {
                self.stage = *from;
                Ok(self.into_transition([]))
            }
            _ => Err(FlowActionUnavailable),
        }
    }

    /// Redirects to an identity provider, to sign in or to reauthenticate.
    fn send_to_provider(
        mut self,
        from: FlowStage,
        at: IdentityProviderRedirect,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let is_offered = match &from {
            FlowStage::SignIn => self.allows_provider_sign_in(),
            _ => self.available_proof_methods().contains(&AuthenticationProofMethod::SingleSignOn),
        };
        if !is_offered {
            return Err(FlowActionUnavailable);
        }
        self.stage = FlowStage::AtProvider(IdentityProviderRedirect { from: Some(Box::new(from)), ..at });
        Ok(self.into_transition([]))
    }

    /// Accepts the identity asserted by the provider.
    fn accept_provider_identity(
        mut self,
        at: IdentityProviderRedirect,
        flow_account: FlowAccount,
        proof: AuthenticationProof,
        admission: Box<IdentityResolution>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        if self.person.as_ref().is_some_and(|account| account.account != flow_account.account) {
            return Err(FlowActionUnavailable);
        }
        let account = flow_account.account;
        let admit = FlowEffect::ResolveIdentity { account, resolution: admission };
        match (self.kind(), at.from) {
            (FlowKind::LinkIdentity, None) => {
                self.stage = FlowStage::Finished(FlowOutcome::IdentityLinked);
                Ok(self.into_transition([admit]))
            }
            (_, Some(from)) => {
                self.stage = *from;
                let mut moved = self.add_proof(flow_account, proof)?;
                moved.effects.insert(0, admit);
                Ok(moved)
            }
            (_, None) => Err(FlowActionUnavailable),
        }
    }
}
