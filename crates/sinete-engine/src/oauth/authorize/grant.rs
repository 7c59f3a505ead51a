//! Creation of the grant with its code, its consent and all consequences, in one transaction.

use super::channel::{AuthorizationCodeDelivery, AuthorizationResponseChannel};
use super::next_step::next_browser_step;
use super::{
    AuthorizationChannel, AuthorizationStep, AuthorizeContext, ConsentRequest, InteractionAnswers,
    PendingAuthorization, next_step,
};
use crate::oauth::token::{CachedAuthorizationCode, GrantSnapshot};
use crate::sign_in::sessions::ActiveSession;
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::access_control::scope::IdentityScope;
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::limits::{
    AGENT_GRANT_LIFETIME_MAX, AUTHORIZATION_CODE_LIFETIME, CACHED_CODE_BYTES_MAX, GRANT_LIFETIME_MAX,
};
use sinete_core::oauth::authorize::consent::RememberedConsent;
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::redirectable_request::AuthorizationResponseTarget;
use sinete_core::oauth::authorize::stored_grant_params::{
    GrantAuthentication, GrantedScopes, StoredGrantParams,
};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::secret::{AuthorizationCodeDigest, AuthorizationCodeSecret, Digest};
use sinete_core::time::Timestamp;
use sinete_store::oauth::authorization_codes::NewAuthorizationCode;
use sinete_store::oauth::consents;
use sinete_store::oauth::consents::{ConsentParties, ConsentRow, StoredConsentBinding};
use sinete_store::oauth::grants;
use sinete_store::oauth::grants::{GrantLifespan, NewGrant, PriorConsent, StoredGrantKind};
use sinete_store::oauth::par;
use sinete_store::organizations::api_catalog::ApiCatalogVersion;
use sinete_store::sign_in::sessions::SessionRow;
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};
use std::sync::Arc;

/// An authorization request with all answers.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationAttempt<'a> {
    /// The request.
    pub request: &'a PendingAuthorization,
    /// The session.
    pub signed_in: &'a ActiveSession,
    /// The answers.
    pub answers: &'a InteractionAnswers,
    /// The facts read together with the session, if recent.
    pub context: Option<&'a AuthorizeContext>,
}

/// The outcome of a request.
#[derive(Debug)]
pub enum AuthorizationOutcome {
    /// A code was issued.
    Issued(IssuedCode),
    /// Another step is required.
    StepRequired(Box<AuthorizationStep>),
}

/// An issued code.
#[derive(Debug)]
pub struct IssuedCode {
    /// The redirect URI and response mode.
    pub reply_to: AuthorizationResponseTarget,
    /// The code.
    pub code: String,
}

/// The parts of a grant.
#[derive(Debug)]
pub struct GrantDraft {
    pub(super) client: ClientId,
    pub(super) params: Arc<AuthorizationParams>,
    pub(super) channel: Arc<AuthorizationResponseChannel>,
    pub(super) membership: MembershipId,
    pub(super) session: SessionRow,
    pub(super) authenticated: GrantAuthentication,
    pub(super) kind: ClientKind,
    pub(super) consent_request: ConsentRequest,
    pub(super) remembered_consent: Option<RememberedConsent>,
    /// When the user consented before, if that was used.
    pub(super) consented_at: Option<Timestamp>,
    /// The facts it depends on, if they can be cached.
    pub(super) grant_facts: Option<GrantFacts>,
}

/// The facts about the user and organization, as of one time.
#[derive(Debug)]
pub(super) struct GrantFacts {
    pub(super) subject: ActiveSubject,
    /// The version of the API catalog.
    pub(super) api_catalog_version: ApiCatalogVersion,
    /// The organization's settings.
    pub(super) settings: OrganizationSettings,
    /// The dependency version of all of this.
    pub(super) dependency_version: i64,
}

/// Completes the request if nothing is missing, together with further statements, such as using up its flow.
/// If the facts change meanwhile, it is evaluated again.
pub async fn complete_authorization(
    engine: &Engine,
    passage: AuthorizationAttempt<'_>,
    with: &(dyn Fn(Timestamp) -> Vec<GuardedStatement> + Sync),
    cause: &EventCause,
) -> Result<AuthorizationOutcome, Failure> {
    let AuthorizationAttempt { request: pending, signed_in, answers, mut context } = passage;
    for _ in 0..ATTEMPTS_MAX {
        let next = match context.take() {
            Some(context) => next_browser_step(engine, context, pending, Some(signed_in), answers).await?,
            None => next_step(engine, pending, Some(signed_in), answers).await?,
        };
        let draft = match next {
            AuthorizationStep::Grant(draft) => draft,
            otherwise => return Ok(AuthorizationOutcome::StepRequired(Box::new(otherwise))),
        };
        let via = Arc::clone(&draft.channel);
        let AuthorizationResponseChannel::Browser(by_code) = &*via else { return Err(Failure::Contended) };
        let now = engine.now();
        let code = AuthorizationCodeSecret::mint(GrantId::mint(now, &engine.id_entropy()), engine.entropy());
        let first = draft.consume_pushed_request(pending.arrival, now).into_iter().chain(with(now)).collect();
        let (batch, authorization_code) = draft.build_batch(engine, code.digest(), by_code, first, cause)?;
        if engine.store().commit(batch).await?.is_committed() {
            if let Some(authorization_code) = authorization_code {
                authorization_code.insert_into_cache(engine);
            }
            let reply_to = by_code.reply_to.clone();
            return Ok(AuthorizationOutcome::Issued(IssuedCode { reply_to, code: code.reveal() }));
        }
    }
    Err(Failure::Contended)
}

impl GrantDraft {
    /// The statement that uses up a pushed authorization request.
    fn consume_pushed_request(
        &self,
        arrival: AuthorizationChannel,
        now: Timestamp,
    ) -> Option<GuardedStatement> {
        match arrival {
            AuthorizationChannel::Browser
            | AuthorizationChannel::Device(_)
            | AuthorizationChannel::Backchannel(_) => None,
            AuthorizationChannel::Pushed(digest) => {
                Some(par::consume_pushed_request(&Digest::from_bytes(digest), &self.client, now))
            }
        }
    }

    /// Builds the batch, and the cache entry for the code.
    fn build_batch(
        self,
        engine: &Engine,
        code: AuthorizationCodeDigest,
        by_code: &AuthorizationCodeDelivery,
        first: Vec<GuardedStatement>,
        cause: &EventCause,
    ) -> Result<(WriteBatch, Option<CachedAuthorizationCode>), Failure> {
        let now = engine.now();
        let (params, agreement) = (&self.params, &self.consent_request);
        let id = code.grant;
        let request = StoredGrantParams {
            audience: agreement.audience.clone(),
            nonce: params.nonce.clone(),
            max_age_given: params.max_age.is_some(),
            claims: params.claims.clone(),
            agreed_claims: agreement.claims.clone(),
            key: params.key,
        };
        let held_against = JsonDocument::from_value(&request)?;
        let new_code = NewAuthorizationCode {
            digest: &code.code,
            redirect_uri: by_code.reply_to.callback.as_str(),
            challenge: *by_code.challenge.as_bytes(),
            request: &held_against,
            expires_at: now.plus(AUTHORIZATION_CODE_LIFETIME),
        };
        let batch = WriteBatch::new()
            .with_statements(first)
            .with_statements(
                self.remembered_consent.as_ref().map(|remember| self.remember_consent(remember, now)),
            )
            .with_statement(self.open_grant(id, StoredGrantKind::Code, Some(&new_code), now)?);
        let batch = self.with_events(engine, batch, id, cause);
        let expires_at = new_code.expires_at;
        if held_against.byte_length() > CACHED_CODE_BYTES_MAX {
            return Ok((batch, None));
        }
        let authorization_code =
            self.into_grant_snapshot(id, now).map(|(client, snapshot, facts)| CachedAuthorizationCode {
                digest: code,
                client,
                redirect_uri: by_code.reply_to.callback.as_str().to_owned(),
                challenge: by_code.challenge,
                expires_at,
                request,
                grant: snapshot,
                dependency_version: facts,
            });
        Ok((batch, authorization_code))
    }

    /// The client, the grant snapshot and its dependency version, if they were read together and are small
    /// enough.
    fn into_grant_snapshot(self, grant: GrantId, now: Timestamp) -> Option<(ClientId, GrantSnapshot, i64)> {
        let (lifespan, expires_at) = self.lifespan(now);
        let GrantFacts { subject, api_catalog_version: offering, settings, dependency_version: facts } =
            self.grant_facts?;
        let snapshot = GrantSnapshot {
            grant,
            membership: self.membership,
            expires_at,
            agreed_scopes: GrantedScopes::for_single_audience(
                self.consent_request.audience,
                self.consent_request.scopes,
            ),
            details: self.consent_request.details,
            authenticated: self.authenticated,
            session: (lifespan == GrantLifespan::Session).then(|| self.session.freshness()),
            subject,
            api_catalog_version: offering,
            kind: StoredGrantKind::Code,
            settings,
        };
        snapshot.is_cacheable().then_some((self.client, snapshot, facts))
    }

    /// The consent that the grant depends on: it must not be revoked before the commit.
    fn consent_guard(&self) -> Option<PriorConsent<'_>> {
        let audience = self.consent_request.audience.as_str();
        self.consented_at.map(|at| PriorConsent { audience, at })
    }

    /// Creates the grant, with its code if there is one.
    pub(super) fn open_grant(
        &self,
        id: GrantId,
        kind: StoredGrantKind,
        code: Option<&NewAuthorizationCode<'_>>,
        now: Timestamp,
    ) -> Result<GuardedStatement, Failure> {
        let agreement = &self.consent_request;
        let scopes = GrantedScopes::for_single_audience(agreement.audience.clone(), agreement.scopes.clone());
        let (lifespan, expires_at) = self.lifespan(now);
        let (scopes, details) =
            (JsonDocument::from_value(&scopes)?, JsonDocument::from_value(&agreement.details)?);
        let authentication = JsonDocument::from_value(&self.authenticated)?;
        let grant = NewGrant {
            id,
            kind,
            membership: self.membership,
            account_epoch: self.session.account_epoch,
            client: &self.client,
            session: self.session.id,
            lifespan,
            scopes: &scopes,
            details: &details,
            authentication: &authentication,
            created_at: now,
            expires_at,
        };
        Ok(match code {
            Some(code) => grants::open_grant_with_code(&grant, code, self.consent_guard()),
            None => grants::open_grant(&grant),
        })
    }

    /// The lifetime of the grant: with its session, or up to its own limit with `offline_access`.
    fn lifespan(&self, now: Timestamp) -> (GrantLifespan, Timestamp) {
        if !self.consent_request.scopes.contains(IdentityScope::OfflineAccess) {
            return (GrantLifespan::Session, self.session.expires_at);
        }
        let lifetime = match self.kind {
            ClientKind::Agent => AGENT_GRANT_LIFETIME_MAX,
            ClientKind::Application | ClientKind::Service => GRANT_LIFETIME_MAX,
        };
        (GrantLifespan::Expiry, now.plus(lifetime))
    }

    fn remember_consent(&self, remember: &RememberedConsent, now: Timestamp) -> GuardedStatement {
        let parties = ConsentParties {
            membership: self.membership,
            client: &self.client,
            audience: self.consent_request.audience.as_str(),
        };
        let within = remember.binding.as_ref();
        let within = within.map(|within| StoredConsentBinding {
            session: within.session,
            redirect_host: within.redirect_host.clone(),
        });
        let (scope, claims) = (remember.scope.clone(), remember.claims.clone());
        consents::record_consent(parties, &ConsentRow { scope, claims, binding: within, consented_at: now })
    }

    /// Creates an event about the grant.
    pub(super) fn event(
        &self,
        engine: &Engine,
        kind: EventKind,
        actor: SecurityEventActor,
        cause: &EventCause,
    ) -> SecurityEvent {
        let (agreement, cause) = (&self.consent_request, EventCause { actor, origin: cause.origin.clone() });
        engine
            .event(kind, &cause, engine.now())
            .with_organization(agreement.organization)
            .with_client(self.client.clone())
            .with_detail("audience", agreement.audience.as_str())
            .with_detail("scope", agreement.scopes.to_string())
            .with_detail("claims", agreement.claims.to_string())
    }

    fn with_events(
        &self,
        engine: &Engine,
        batch: WriteBatch,
        grant: GrantId,
        cause: &EventCause,
    ) -> WriteBatch {
        let event = |kind, actor| self.event(engine, kind, actor, cause);
        let (event_actor, member) = (
            SecurityEventActor::Account(self.session.account),
            SecurityEventActor::Membership(self.membership),
        );
        // Consent is an event of the user, like its revocation.
        let consent_event =
            |_| event(EventKind::ConsentGiven, event_actor).with_subject("membership", self.membership);
        let consent = self.remembered_consent.as_ref().map(consent_event);
        let batch = consent.into_iter().fold(batch, |batch, consent| batch.with_event(&consent));
        let methods: Vec<&str> = self.authenticated.evidence.amr_values().into_iter().collect();
        let security_event = event(EventKind::GrantGiven, member).with_subject("grant", grant);
        batch.with_event(&security_event.with_detail("methods", methods))
    }
}
