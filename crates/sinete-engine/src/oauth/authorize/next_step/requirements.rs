//! Requirements after user and organization are known: the API's definition, the organization's policy for
//! the client, the user's permissions, and assurance.

use super::{AuthorizationCheck, ChosenOrganization};
use crate::oauth::authorize::error::AuthorizationError;
use crate::oauth::authorize::requested_scopes::RequestedScopes;
use crate::oauth::authorize::target::AuthorizationTarget;
use crate::oauth::authorize::{AuthorizationStep, SignInRelativeToRequest, StepUpRequirement};
use crate::sign_in::flows;
use crate::sign_in::sessions::ActiveSession;
use sinete_core::access_control::Authority;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::assurance::credential_kind::CredentialKind;
use sinete_core::assurance::freshness::ReauthenticationRequirement;
use sinete_core::oauth::authorize::params::PromptParameter;
use sinete_core::oauth::authorize::prompt_check::LoginRequiredReason;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::authorize::step_up;
use sinete_core::oauth::authorize::target_resource;
use sinete_core::oauth::organization_policy::{
    PolicyRequest, PolicyViolation, RequestedClientAccess, TokenDerivation, UserAuthentication,
    check_token_policy,
};
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::time::Timestamp;
use std::collections::BTreeSet;

/// The user's authentication, for the organization's policy.
const fn user_authentication(signed_in: &ActiveSession, now: Timestamp) -> UserAuthentication<'_> {
    UserAuthentication { evidence: &signed_in.evidence, assurance: signed_in.assurance, now }
}

impl AuthorizationCheck<'_> {
    /// Rejects scopes that the API does not define, that the client may not have, or that the user lacks.
    /// Assurance required by the organization's policy is left to a step-up.
    pub(super) fn check_allowed(
        &self,
        requested_scopes: &RequestedScopes,
        authorization_target: &AuthorizationTarget,
        signed_in: &ActiveSession,
        organization: &ChosenOrganization,
    ) -> Result<Option<PolicyViolation>, AuthorizationError> {
        let (target, permissions) =
            (authorization_target.audience.target(), requested_scopes.scopes.permissions());
        let (metadata, details) = (&self.client.client.metadata, &self.params.details);
        // The instance's ceiling was checked before; the organization may have a lower one.
        let ceiling = self.client.client.scope_ceiling(self.engine, Some(&organization.settings));
        if let Some(excess) = ceiling.find_excess(&requested_scopes.scopes) {
            let text = ceiling.describe_excess(&excess);
            return Err(AuthorizationError::Refused((AuthorizationErrorCode::InvalidScope, text.into())));
        }
        target.require_defined_permissions(&permissions)?;
        target.validate_details(details, metadata)?;
        let client_trust = self.client.trust;
        let request = PolicyRequest {
            organization: organization.membership.organization,
            source: self.channel.token_source(),
            derivation: TokenDerivation::Direct,
            client: Some(RequestedClientAccess {
                client_trust,
                document_host: self.client.client.client.id.document_host(),
                target,
                scopes: &requested_scopes.scopes,
                details,
            }),
            user: Some(user_authentication(signed_in, self.engine.now())),
        };
        let missing = check_token_policy(&organization.settings, &request).err();
        if let Some(wrong) = missing.and_then(PolicyViolation::authorization_error) {
            return Err(wrong.into());
        }
        let denied = (
            AuthorizationErrorCode::AccessDenied,
            "The user has no organization that can use this client with this scope.",
        );
        target_resource::require_permissions(
            &Authority::derive(authorization_target.subject.as_ref().ok_or(denied)?),
            &permissions,
        )?;
        Ok(missing)
    }

    /// The step-up that the organization's policy, the channel or an essential `acr` requires, if any.
    pub(super) fn require_assurance(
        &self,
        missing: Option<PolicyViolation>,
        signed_in: &ActiveSession,
        organization: &ChosenOrganization,
    ) -> Result<Option<AuthorizationStep>, AuthorizationError> {
        let allowed = organization.settings.allowed_credentials.as_ref();
        let is_silent = self.params.prompt == PromptParameter::Silent;
        let level = user_authentication(signed_in, self.engine.now())
            .effective_level(&organization.settings, organization.membership.organization);
        let level = level.filter(|_| missing != Some(PolicyViolation::CredentialNotAllowed));
        let Some(level) = level else {
            return match (is_silent, self.answers.sign_in) {
                (true, _) => Err((
                    AuthorizationErrorCode::LoginRequired,
                    "The user must sign in, which \
                    prompt=none does not allow. Send the request without prompt=none.",
                )
                    .into()),
                (false, SignInRelativeToRequest::Before) => Ok(Some(self.require_sign_in(
                    LoginRequiredReason::CredentialNotAccepted,
                    Some(&organization.settings),
                ))),
                (false, SignInRelativeToRequest::Because) => {
                    let text = "The organization does not accept how the user signed in. Let the user sign in \
                                with a method that it accepts.";
                    Err((AuthorizationErrorCode::AccessDenied, text).into())
                }
            };
        };
        let least =
            organization.settings.required_assurance(self.engine.now()).max(self.channel.least_assurance());
        let needed = step_up::resolve_required_level(least, &self.params.claims)?;
        let demand = ReauthenticationRequirement {
            max_age: self.max_age(),
            ..ReauthenticationRequirement::for_level(needed)
        };
        let authentication_evidence = organization
            .settings
            .accepted_evidence(&signed_in.evidence, organization.membership.organization);
        if level >= needed && demand.is_satisfied_by(&authentication_evidence, self.engine.now()) {
            return Ok(None);
        }
        if is_silent {
            return Err((
                AuthorizationErrorCode::InteractionRequired,
                "The user must authenticate with more \
                factors, which prompt=none does not allow. Send the request without prompt=none.",
            )
                .into());
        }
        Ok(Some(AuthorizationStep::StepUp(StepUpRequirement { required: needed, allowed: allowed.cloned() })))
    }

    /// Leads a user who has no credentials to reach the required level through setting one up, after a recent
    /// proof of everything that the account has. Confirming another device does not lead there.
    pub(super) async fn check_reachable(
        &self,
        first: AuthorizationStep,
        signed_in: &ActiveSession,
    ) -> Result<AuthorizationStep, AuthorizationError> {
        let AuthorizationStep::StepUp(step_up) = &first else { return Ok(first) };
        let account = flows::load_flow_account(self.engine, signed_in.session.account).await?;
        if account.max_assurance_level() >= step_up.required {
            return Ok(first);
        }
        let factors = acceptable_factors(step_up.allowed.as_ref());
        if !self.channel.enrolls_on_demand() || factors.is_empty() || !account.closed.is_empty() {
            let text = "The user has no credential for the requested acr_values. Let the user set up a second \
                        factor first.";
            return Err((AuthorizationErrorCode::AccessDenied, text).into());
        }
        if account.can_enroll_second_factor(&signed_in.evidence, self.engine.now()) {
            return Ok(AuthorizationStep::Enroll(factors));
        }
        Ok(if account.ways.is_empty() {
            self.require_sign_in(LoginRequiredReason::MaxAgeExceeded, None)
        } else {
            let allowed = step_up.allowed.clone();
            AuthorizationStep::StepUp(StepUpRequirement { required: AssuranceLevel::One, allowed })
        })
    }
}

/// The second factors that can be set up and that the organization accepts.
fn acceptable_factors(allowed: Option<&BTreeSet<CredentialKind>>) -> Vec<EnrollableFactor> {
    let factors = [
        (EnrollableFactor::Passkey, CredentialKind::Passkey),
        (EnrollableFactor::Totp, CredentialKind::Totp),
    ];
    let is_allowed = |kind: &CredentialKind| allowed.is_none_or(|allowed| allowed.contains(kind));
    factors.into_iter().filter(|(_, kind)| is_allowed(kind)).map(|(factor, _)| factor).collect()
}
