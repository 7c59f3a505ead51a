//! Determines what a request still needs from the current facts, in this order: validity of the request,
//! user, organization, permissions, assurance, consent.

mod organization_selection;
mod requirements;

pub(super) use organization_selection::ChosenOrganization;
use organization_selection::OrganizationChoice;

use super::channel::{AuthorizationCodeDelivery, AuthorizationResponseChannel};
use super::consent_prompt;
use super::consent_prompt::ConsentTarget;
use super::context::AuthorizingMemberships;
use super::deferred;
use super::error::AuthorizationError;
use super::grant::{GrantDraft, GrantFacts};
use super::id_token_hint;
use super::id_token_hint::NamedSubject;
use super::requested_scopes::{RequestedScopes, check_client_request};
use super::requesting_client::ActiveClient;
use super::target::AuthorizationTarget;
use super::{
    AuthorizationChannel, AuthorizationStep, AuthorizeContext, ConsentRequest, InteractionAnswers,
    PendingAuthorization, RefusedAuthorization, SignInRequirement,
};
use crate::sign_in::flows::SignUpPolicy;
use crate::sign_in::sessions::ActiveSession;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::{ActiveSubject, SignInStatus};
use sinete_core::assurance::AssuranceLevel;
use sinete_core::assurance::freshness::ReauthenticationRequirement;
use sinete_core::oauth::authorize::consent;
use sinete_core::oauth::authorize::consent::{
    ConsentBinding, ConsentContext, ConsentOutcome, RememberedConsent,
};
use sinete_core::oauth::authorize::params::{AuthorizationParams, PromptValue};
use sinete_core::oauth::authorize::prompt_check;
use sinete_core::oauth::authorize::prompt_check::{IdTokenHintMatch, LoginRequiredReason, PromptCheck};
use sinete_core::oauth::authorize::request::AuthorizationRequest;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::authorize::stored_grant_params::GrantAuthentication;
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use sinete_store::oauth::par;
use std::sync::Arc;

/// Determines the next step, given the session and the answers so far.
pub async fn next_step(
    engine: &Engine,
    pending: &PendingAuthorization,
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    use sinete_core::oauth::authorize::raw_params::UnredirectableError;
    let Some(client) = ActiveClient::find(engine, &pending.client).await? else {
        return Ok(AuthorizationStep::ShowError(UnredirectableError::ClientUnknown));
    };
    let context = AuthorizeContext::from_client(client);
    match pending.arrival.deferred_grant() {
        Some(digest) => {
            deferred::next_deferred_step(engine, &context.client, pending, digest, signed_in, answers).await
        }
        None => next_browser_step(engine, &context, pending, signed_in, answers).await,
    }
}

/// The same for a request from a browser: errors are sent to its redirect URI.
pub(super) async fn next_browser_step(
    engine: &Engine,
    context: &AuthorizeContext,
    pending: &PendingAuthorization,
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    let AuthorizeContext { client, memberships: authorizing_memberships } = context;
    // The facts are used only for the user they were read for.
    let account = signed_in.map(|signed_in| signed_in.session.account);
    let authorizing_memberships = authorizing_memberships
        .as_ref()
        .filter(|authorizing_memberships| Some(authorizing_memberships.account) == account);
    let addressed = match pending.raw_params().verify_redirect_uri(&client.redirect_target()) {
        Ok(addressed) => addressed,
        Err(error) => return Ok(AuthorizationStep::ShowError(error)),
    };
    let reply_to = addressed.response_target().clone();
    let anybody = if signed_in.is_some() { SignInStatus::SignedIn } else { SignInStatus::SignedOut };
    let walked = match addressed.validate(anybody) {
        Ok(AuthorizationRequest { reply_to, challenge, params, .. }) => {
            let via = AuthorizationResponseChannel::Browser(AuthorizationCodeDelivery {
                reply_to,
                challenge,
                channel: pending.arrival,
            });
            AuthorizationCheck {
                engine,
                client,
                memberships: authorizing_memberships,
                params: Arc::new(params),
                channel: Arc::new(via),
                answers,
            }
            .next_step(signed_in)
            .await
        }
        Err(redirected) => Err(AuthorizationError::Refused((redirected.error, redirected.description))),
    };
    match walked {
        Ok(next) => Ok(next),
        Err(AuthorizationError::Failed(failed)) => Err(failed),
        Err(AuthorizationError::Refused((error, description))) => {
            let redirected =
                sinete_core::oauth::authorize::response::RedirectedError { reply_to, error, description };
            let is_silent = pending.find_parameter("prompt") == Some("none");
            let delivery = redirected.choose_delivery(client.trust, anybody, is_silent);
            let client_name = client.client.client.name.clone();
            Ok(AuthorizationStep::Refuse(Box::new(RefusedAuthorization {
                response: redirected,
                delivery,
                client_name,
            })))
        }
    }
}

/// One evaluation of a request.
pub(super) struct AuthorizationCheck<'a> {
    pub(super) engine: &'a Engine,
    pub(super) client: &'a ActiveClient,
    /// The user's memberships, if they were read with the session.
    pub(super) memberships: Option<&'a AuthorizingMemberships>,
    pub(super) params: Arc<AuthorizationParams>,
    pub(super) channel: Arc<AuthorizationResponseChannel>,
    pub(super) answers: &'a InteractionAnswers,
}

impl AuthorizationCheck<'_> {
    pub(super) async fn next_step(
        &self,
        signed_in: Option<&ActiveSession>,
    ) -> Result<AuthorizationStep, AuthorizationError> {
        self.require_valid_arrival().await?;
        let requested_scopes =
            check_client_request(self.engine, self.client, &self.params, self.channel.grant_type()).await?;
        self.require_open_sign_up()?;
        let hint = self.params.id_token_hint.as_deref();
        let hinted =
            id_token_hint::parse_id_token_hint(self.engine, hint, &self.client.client.client.id).await?;
        let hinted = hinted.map(NamedSubject::Member);
        let subject = id_token_hint::find_requested_subject(self.engine, &self.params.claims).await?;
        let expects = match (hinted, subject) {
            (Some(hinted), Some(subject)) if hinted != subject => {
                return Err((
                    AuthorizationErrorCode::InvalidRequest,
                    "The parameters login_hint and id_token_hint name different users. Send one of them.",
                )
                    .into());
            }
            (hinted, subject) => subject.or(hinted),
        };
        let present = signed_in.map(|signed_in| self.prompt_check(signed_in, expects));
        let default_max_age = self.default_max_age();
        let reason = prompt_check::check_prompt(&self.params, default_max_age, present, self.engine.now())?;
        let signed_in = match (reason, signed_in) {
            (None, Some(signed_in)) => signed_in,
            (Some(reason), _) => return Ok(self.require_sign_in(reason, None)),
            (None, None) => return Ok(self.require_sign_in(LoginRequiredReason::NotSignedIn, None)),
        };
        let organization = match self.select_organization(signed_in, expects).await? {
            OrganizationChoice::Chosen(organization) => organization,
            OrganizationChoice::Required(options) => {
                return Ok(AuthorizationStep::ChooseOrganization(options));
            }
        };
        if subject.is_some_and(|subject| subject.organization() != Some(organization.membership.organization))
        {
            return Err((
                AuthorizationErrorCode::LoginRequired,
                "The user signed in for another organization than the \
                    one in the request. Send the request again.",
            )
                .into());
        }
        let target = self.resolve_target(&requested_scopes, &organization).await?;
        let missing = self.check_allowed(&requested_scopes, &target, signed_in, &organization)?;
        if let Some(first) = self.require_assurance(missing, signed_in, &organization)? {
            return self.check_reachable(first, signed_in).await;
        }
        self.check_consent(requested_scopes, target, signed_in, &organization)
    }

    /// Requires that a user can create an account, if the client asks for that.
    fn require_open_sign_up(&self) -> Result<(), AuthorizationError> {
        let is_open = self.engine.settings().flows.sign_up == SignUpPolicy::Open;
        if self.params.prompt.requires(PromptValue::Create) && !is_open {
            let text =
                "The prompt create is not supported, because sign-up is closed. Send the request without it.";
            return Err((AuthorizationErrorCode::InvalidRequest, text).into());
        }
        Ok(())
    }

    /// Requires that a pushed request is unused, and that a client which must push its requests did so.
    async fn require_valid_arrival(&self) -> Result<(), AuthorizationError> {
        let refused = |text| Err((AuthorizationErrorCode::InvalidRequest, text).into());
        let arrival = match &*self.channel {
            AuthorizationResponseChannel::Browser(by_code) => by_code.channel,
            // Whether it is still pending was checked when it was read.
            AuthorizationResponseChannel::Deferred(_) => return Ok(()),
        };
        match arrival {
            AuthorizationChannel::Browser if self.client.client.metadata.requires_par() => refused(
                "The client must use pushed authorization requests. Push the request (RFC 9126) and send its \
                 request_uri.",
            ),
            AuthorizationChannel::Browser
            | AuthorizationChannel::Device(_)
            | AuthorizationChannel::Backchannel(_) => Ok(()),
            AuthorizationChannel::Pushed(digest) => {
                let digest = Digest::from_bytes(digest);
                let request = par::find_pushed_request(self.engine.store(), &digest).await?;
                match request {
                    Some(request) if request.used_at.is_none() && request.expires_at > self.engine.now() => {
                        Ok(())
                    }
                    Some(_) | None => {
                        refused("The request_uri was used before or has expired. Push the request again.")
                    }
                }
            }
        }
    }

    fn default_max_age(&self) -> Option<Lifetime> {
        self.client.client.metadata.default_max_age.map(Lifetime::from_seconds)
    }

    /// The maximum authentication age. A sign-in caused by this request satisfies it.
    fn max_age(&self) -> Option<Lifetime> {
        match self.answers.sign_in {
            super::SignInRelativeToRequest::Before => self.params.max_age.or(self.default_max_age()),
            super::SignInRelativeToRequest::Because => None,
        }
    }

    fn prompt_check(&self, signed_in: &ActiveSession, expects: Option<NamedSubject>) -> PromptCheck {
        let is_them = |account| {
            if account == signed_in.session.account {
                IdTokenHintMatch::SameUser
            } else {
                IdTokenHintMatch::OtherUser
            }
        };
        PromptCheck {
            authenticated_at: signed_in.session.authenticated_at,
            hinted: match (self.channel.required_account(), expects) {
                (Some(account), _) => is_them(account),
                (None, Some(NamedSubject::Member(expects))) => is_them(expects.account),
                (None, Some(NamedSubject::Unknown)) => IdTokenHintMatch::OtherUser,
                (None, None) => IdTokenHintMatch::NoHint,
            },
            sign_in: self.answers.sign_in,
        }
    }

    fn require_sign_in(
        &self,
        reason: LoginRequiredReason,
        settings: Option<&OrganizationSettings>,
    ) -> AuthorizationStep {
        AuthorizationStep::SignIn(SignInRequirement {
            reason,
            creates_account: self.params.prompt.requires(PromptValue::Create)
                && self.answers.sign_in == super::SignInRelativeToRequest::Before,
            login_hint: self.params.login_hint.clone(),
            allowed: settings.and_then(|settings| settings.allowed_credentials.clone()),
        })
    }

    /// The facts of the grant, if they were read together and the client can be cached.
    fn grant_facts(
        &self,
        subject: Option<ActiveSubject>,
        organization: &ChosenOrganization,
    ) -> Option<GrantFacts> {
        let facts = self.memberships.filter(|_| self.client.client.is_cacheable())?.dependency_version;
        let (offering, settings) =
            (organization.membership.api_catalog_version, organization.settings.clone());
        subject.map(|subject| GrantFacts {
            subject,
            api_catalog_version: offering,
            settings,
            dependency_version: facts,
        })
    }

    /// The consent prompt, or the grant.
    fn check_consent(
        &self,
        requested_scopes: RequestedScopes,
        target: AuthorizationTarget,
        signed_in: &ActiveSession,
        organization: &ChosenOrganization,
    ) -> Result<AuthorizationStep, AuthorizationError> {
        let (client, audience) = (&self.client.client.client, &target.audience);
        let ceiling = self.client.client.scope_ceiling(self.engine, Some(&organization.settings));
        let claims = IndividualClaims::from_request(&self.params.claims, &requested_scopes.scopes, &ceiling);
        let question = ConsentRequest {
            organization: organization.membership.organization,
            audience: audience.target().identifier().clone(),
            scopes: requested_scopes.scopes,
            details: self.params.details.clone(),
            claims,
        };
        let agreed_before = target.consent.as_ref().map(|consent| consent.consented_at);
        let remembered = target.consent.map(|consent| RememberedConsent {
            scope: consent.scope,
            claims: consent.claims,
            binding: consent.binding.map(|within| ConsentBinding {
                session: within.session,
                redirect_host: within.redirect_host,
            }),
        });
        let consent_binding =
            ConsentBinding { session: signed_in.session.id, redirect_host: self.channel.redirect_host() };
        let circumstances = ConsentContext {
            request: &question,
            mode: self.client.consent_mode(),
            client_trust: self.client.trust,
            current_binding: &consent_binding,
            remembered: remembered.as_ref(),
            prompt: &self.params.prompt,
            requires_consent_each_time: self.channel.requires_consent_each_time(),
        };
        let (remember, agreed_at) = match consent::decide_consent(&circumstances, self.answers)? {
            ConsentOutcome::Satisfied => (None, agreed_before),
            ConsentOutcome::Granted(remembered) => {
                (self.channel.remembers_consent().then_some(remembered), None)
            }
            ConsentOutcome::Required { new } => {
                let at = ConsentTarget { membership: &organization.membership, audience };
                let consent_prompt =
                    consent_prompt::build_consent_prompt(self.client, &self.channel, at, question, &new);
                return Ok(AuthorizationStep::Consent(Box::new(consent_prompt)));
            }
        };
        // Only evidence accepted by this organization is stored with the grant.
        let evidence = signed_in.evidence.restrict_to_organization(organization.membership.organization);
        let two = ReauthenticationRequirement {
            max_age: self.max_age(),
            ..ReauthenticationRequirement::for_level(AssuranceLevel::Two)
        };
        let assurance = match two.is_satisfied_by(&evidence, self.engine.now()) {
            true => signed_in.assurance,
            false => AssuranceLevel::One,
        };
        Ok(AuthorizationStep::Grant(Box::new(GrantDraft {
            client: client.id.clone(),
            params: Arc::clone(&self.params),
            channel: Arc::clone(&self.channel),
            membership: organization.membership.membership,
            session: signed_in.session.clone(),
            authenticated: GrantAuthentication {
                at: evidence.authenticated_at(assurance, signed_in.session.authenticated_at),
                assurance,
                evidence,
                session: signed_in.session.id,
            },
            kind: client.kind,
            consent_request: question,
            remembered_consent: remember,
            consented_at: agreed_at,
            grant_facts: self.grant_facts(target.subject, organization),
        })))
    }
}
