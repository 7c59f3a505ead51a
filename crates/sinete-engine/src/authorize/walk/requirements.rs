//! What a request has to meet once it is known who signs in and where: what the API defines, what the organization's policy
//! says of the client, what the person holds there, and what they have to prove first.

use super::{AuthorizationCheck, ChosenOrganization};
use crate::authorize::aim::AuthorizationTarget;
use crate::authorize::wanted::{RequestedScopes, ScopeError};
use crate::authorize::{AuthorizationStep, SignInTiming, StepUpRequirement};
use crate::flows;
use crate::sessions::ActiveSession;
use sinete_core::assurance::freshness::FreshnessDemand;
use sinete_core::authority::Authority;
use sinete_core::authorize::person::LoginRequiredReason;
use sinete_core::authorize::policy::{
    ClientRequest, PolicyRequest, PolicyViolation, TokenStep, UserAuthentication, check_token_policy,
};
use sinete_core::authorize::response::AuthorizationErrorCode;
use sinete_core::authorize::step_up;
use sinete_core::authorize::target;
use sinete_core::authorize::wish::PromptParameter;
use sinete_core::time::Timestamp;

/// How whoever is signed in authenticated, as the organization's policy looks at it.
const fn authenticated(signed_in: &ActiveSession, now: Timestamp) -> UserAuthentication<'_> {
    UserAuthentication { evidence: &signed_in.evidence, assurance: signed_in.assurance, now }
}

impl AuthorizationCheck<'_> {
    /// Refuses what the API does not define, what the client may not be given, and what the person lacks. What the
    /// organization's policy wants them to prove first is left to be asked for.
    pub(super) fn must_be_allowed(
        &self,
        wanted: &RequestedScopes,
        aim: &AuthorizationTarget,
        signed_in: &ActiveSession,
        there: &ChosenOrganization,
    ) -> Result<Option<PolicyViolation>, ScopeError> {
        let (target, permissions) = (aim.audience.target(), wanted.scopes.permissions());
        let (metadata, details) = (&self.applicant.known.metadata, &self.wish.details);
        target.must_define(&permissions)?;
        target.must_understand(details, metadata)?;
        let vouching = self.applicant.vouching;
        let request = PolicyRequest {
            organization: there.usable.organization,
            source: self.via.source(),
            step: TokenStep::First,
            client: Some(ClientRequest { vouching, target, scopes: &wanted.scopes, details }),
            user: Some(authenticated(signed_in, self.engine.now())),
        };
        let missing = check_token_policy(&there.settings, &request).err();
        if let Some(wrong) = missing.and_then(PolicyViolation::authorization_error) {
            return Err(wrong.into());
        }
        let denied = (AuthorizationErrorCode::AccessDenied, "there is no organization this could be for");
        target::must_be_held(&Authority::of(aim.alive.as_ref().ok_or(denied)?), &permissions)?;
        Ok(missing)
    }

    /// What has to be proven first, if what was proven does not suffice for the organization's policy, for this way of asking
    /// or for what the client says is essential.
    pub(super) fn assured(
        &self,
        missing: Option<PolicyViolation>,
        signed_in: &ActiveSession,
        there: &ChosenOrganization,
    ) -> Result<Option<AuthorizationStep>, ScopeError> {
        let allowed = there.settings.allowed_credentials.as_ref();
        let is_silent = self.wish.prompt == PromptParameter::Silent;
        let level =
            authenticated(signed_in, self.engine.now()).level(&there.settings, there.usable.organization);
        let level = level.filter(|_| missing != Some(PolicyViolation::CredentialNotAllowed));
        let Some(level) = level else {
            return match (is_silent, self.answers.sign_in) {
                (true, _) => Err((AuthorizationErrorCode::LoginRequired, "somebody has to sign in").into()),
                (false, SignInTiming::Before) => {
                    Ok(Some(self.sign_in(LoginRequiredReason::OtherCredential, Some(&there.settings))))
                }
                (false, SignInTiming::Because) => {
                    let text = "the organization does not accept this way of signing in";
                    Err((AuthorizationErrorCode::AccessDenied, text).into())
                }
            };
        };
        let least = there.settings.least_assurance.max(self.via.least_assurance());
        let needed = step_up::needed(least, &self.wish.claims)?;
        let demand = FreshnessDemand { max_age: self.max_age(), ..FreshnessDemand::level(needed) };
        let counted = there.settings.accepted(&signed_in.evidence, there.usable.organization);
        if level >= needed && demand.is_met(&counted, self.engine.now()) {
            return Ok(None);
        }
        if is_silent {
            return Err((AuthorizationErrorCode::InteractionRequired, "the person has to prove more").into());
        }
        Ok(Some(AuthorizationStep::StepUp(StepUpRequirement { needed, allowed: allowed.cloned() })))
    }

    /// Refuses where somebody would have to prove more than they have set up: nobody is led into a dead end.
    pub(super) async fn within_reach(
        &self,
        first: AuthorizationStep,
        signed_in: &ActiveSession,
    ) -> Result<AuthorizationStep, ScopeError> {
        if let AuthorizationStep::StepUp(step_up) = &first {
            let reach = flows::person(self.engine, signed_in.session.account).await?.reach();
            if reach < step_up.needed {
                let text = "the person has set up nothing that proves as much";
                return Err((AuthorizationErrorCode::AccessDenied, text).into());
            }
        }
        Ok(first)
    }
}
