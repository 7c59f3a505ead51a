//! Token exchange (RFC 8693): a client exchanges a user's token or API key for one with no more authority and
//! no longer lifetime that names the client as actor. Revoking the source revokes it too.

mod access_token;
mod api_key;

use crate::oauth::token::{RequestedAccess, TokenOrigin, TokenRequestContext};
use crate::oauth::token_issuance;
use crate::oauth::token_issuance::{AccessTokenParams, Audience, IssuedTokens};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure, UseCaseResult};
use sinete_core::access_control::Authority;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{DelegationId, OrganizationId};
use sinete_core::oauth::access_token::AuthenticationContext;
use sinete_core::oauth::actor::ActorClaim;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::oauth::grants::token_exchange::{SubjectToken, TokenExchangeRequest, limit_lifetime};
use sinete_core::oauth::grants::{
    invalid_authorization_details, invalid_grant, invalid_scope, invalid_target, to_refusal,
};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::oauth::organization_policy::{
    PolicyApproval, TokenDerivation, TokenSource, UserAuthentication,
};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::time::Timestamp;
use sinete_store::DependencySnapshot;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::delegations;
use sinete_store::oauth::delegations::{ExchangedSubjectToken, NewDelegation};
use sinete_store::{GuardedStatement, WriteBatch};

/// The exchanged token or API key, in its current state.
struct ExchangedSubject {
    /// The source.
    exchange_source: ExchangeSource,
    /// Proof that everything is active.
    subject: ActiveSubject,
    /// Its current authority.
    authority: Authority,
    /// Its audience; `None` for an API key.
    audience: Option<ApiIdentifier>,
    /// Its scope.
    scope: ScopeSet,
    /// Its authorization details.
    details: AuthorizationDetails,
    /// When it expires.
    expires_at: Timestamp,
    /// Its actor chain.
    actor: Option<ActorClaim>,
    /// Whether it is sender-constrained.
    is_bound: bool,
    /// The user's authentication.
    authentication: Option<AuthenticationContext>,
    /// The audience of the new token.
    target_audience: Audience,
    /// Further statements.
    delegation_statement: Option<GuardedStatement>,
    /// The organization's settings.
    settings: OrganizationSettings,
    /// The original source of the token.
    source: TokenSource,
    /// The authentication evidence of the grant behind it, if there is one.
    evidence: Option<AuthenticationEvidence>,
}

impl ExchangedSubject {
    /// The input for the organization's policy.
    fn token_origin(&self, now: Timestamp) -> TokenOrigin<'_> {
        let assurance = self.authentication.map(|it| it.assurance).unwrap_or_default();
        TokenOrigin {
            organization: self.subject.organization(),
            settings: &self.settings,
            source: self.source,
            derivation: TokenDerivation::Exchange,
            root: match &self.exchange_source {
                ExchangeSource::Token(jti) => jti.root,
                ExchangeSource::ApiKey(key) => TokenRevocationRoot::ApiKey(*key),
            },
            user: self.evidence.as_ref().map(|evidence| UserAuthentication { evidence, assurance, now }),
        }
    }

    /// The binding of the new token. A binding is never removed.
    fn confirmation(&self, context: &TokenRequestContext<'_>) -> Option<ConfirmationClaim> {
        let client = context.client;
        if self.is_bound { client.presented_confirmation.clone() } else { client.confirmation.clone() }
    }

    /// Whether the new token is for another API than the source.
    fn is_for_other_api(&self) -> bool {
        self.audience.as_ref() != Some(self.target_audience.audience())
    }
}

/// What is exchanged.
enum ExchangeSource {
    Token(Jti),
    ApiKey(sinete_core::id::ApiKeyId),
}

pub(in crate::oauth) async fn exchange_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    exchange: &TokenExchangeRequest,
) -> Result<IssuedTokens, Error> {
    // If the source is revoked meanwhile, the next read shows it.
    for _ in 0..ATTEMPTS_MAX {
        let (issued, batch) = load_and_prepare(engine, context, exchange, None).await?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(issued);
        }
    }
    Err(Failure::Contended.into())
}

/// The same for a client whose authentication at this dependency version the transaction confirms. Otherwise
/// nothing happens, and `None` is returned.
pub(in crate::oauth) async fn exchange_token_at_version(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    exchange: &TokenExchangeRequest,
    facts: DependencySnapshot,
) -> Result<Option<IssuedTokens>, Failure> {
    let prepared = load_and_prepare(engine, context, exchange, Some(facts)).await;
    let Some((issued, batch)) = prepared.unless_refused()? else { return Ok(None) };
    Ok(engine.store().commit(batch).await?.is_committed().then_some(issued))
}

async fn load_and_prepare(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    exchange: &TokenExchangeRequest,
    facts: Option<DependencySnapshot>,
) -> Result<(IssuedTokens, WriteBatch), Error> {
    let subject = match &exchange.subject {
        SubjectToken::AccessToken(token) => {
            access_token::find_token_subject(engine, context, token, exchange.actor_token.as_deref()).await?
        }
        SubjectToken::ApiKey(key) => {
            api_key::find_api_key_subject(engine, context, key, exchange.actor_token.as_deref()).await?
        }
    };
    prepare_exchange(engine, context, subject, facts)
}

/// Prepares the response and its batch.
fn prepare_exchange(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    subject: ExchangedSubject,
    facts: Option<DependencySnapshot>,
) -> Result<(IssuedTokens, WriteBatch), Error> {
    let NarrowedAccess { scopes, authority, details, policy } = narrow_access(engine, context, &subject)?;
    let (client, confirmation) = (&context.client.client.client, subject.confirmation(context));
    let was_exchanged =
        matches!(&subject.exchange_source, ExchangeSource::Token(jti) if jti.delegation.is_some());
    let before = ActorClaim::before_exchange(subject.actor, &client.id, was_exchanged);
    let Ok(actor) = ActorClaim::append_actor(client.id.clone(), client.kind, before) else {
        return Err(Refusal::because(OAuthRefusal::DelegationChainTooLong, "").into());
    };
    let (now, id) = (context.now, DelegationId::mint(context.now, &engine.id_entropy()));
    let lifetime = limit_lifetime(subject.target_audience.token_lifetime(), subject.expires_at, now);
    let of = match &subject.exchange_source {
        ExchangeSource::Token(jti) => ExchangedSubjectToken::Token(jti),
        ExchangeSource::ApiKey(key) => ExchangedSubjectToken::ApiKey(*key),
    };
    let wording = AccessTokenParams {
        audience: &subject.target_audience,
        client: &client.id,
        scopes: &scopes,
        metadata: &context.client.client.metadata,
        jti: Jti::mint(of.root(), Some(id), &engine.id_entropy()),
        now,
        lifetime,
        authentication: subject.authentication,
        actor: Some(actor),
        confirmation,
        details: details.clone().into_objects(),
        policy,
    };
    let access_token = token_issuance::sign_access_token(engine, &subject.subject, &authority, wording)?;
    let audience = subject.target_audience.audience().as_str();
    let statement = delegations::create_delegation(&NewDelegation {
        id,
        subject_token: of,
        actor: &client.id,
        audience,
        scope: &scopes,
        created_at: now,
        expires_at: now.plus(lifetime),
    });
    let event = engine
        .event(EventKind::TokenExchanged, &context.cause, now)
        .with_subject("delegation", id)
        .with_organization(authority.organization())
        .with_client(client.id.clone())
        .with_detail("of", of.root().to_string())
        .with_detail("audience", audience)
        .with_detail("scope", scopes.to_string());
    let batch = WriteBatch::new()
        .with_statements(context.record_client_use())
        .with_statement(statement)
        .with_statements(subject.delegation_statement);
    let batch = match facts {
        Some(facts) => batch.with_event_at_version(&event, facts),
        None => batch.with_event(&event),
    };
    let issued = IssuedTokens {
        access_token,
        lifetime,
        scope: scopes,
        refresh_token: None,
        id_token: None,
        details: details.into_objects(),
        is_exchanged: true,
    };
    Ok((issued, batch))
}

/// The contents of the new token, approved by the organization's policy.
struct NarrowedAccess {
    scopes: ScopeSet,
    authority: Authority,
    details: AuthorizationDetails,
    policy: PolicyApproval,
}

fn narrow_access(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    subject: &ExchangedSubject,
) -> Result<NarrowedAccess, Refusal> {
    let (scopes, authority) = narrow_scopes(engine, context, subject)?;
    // Authorization details are defined by one API and meaningless at another.
    let details = subject.details.narrow(context.request.details.as_ref()).ok();
    let details = details.filter(|details| details.is_empty() || !subject.is_for_other_api());
    let details = details.ok_or_else(invalid_authorization_details)?;
    let access = RequestedAccess { audience: &subject.target_audience, scopes: &scopes, details: &details };
    let policy = context.check_policy(engine, subject.token_origin(context.now), access)?;
    Ok(NarrowedAccess { scopes, authority, details, policy })
}

/// The scopes of the new token: limited by the source, the client's allowed scopes and the current authority,
/// and defined at the audience.
fn narrow_scopes(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    subject: &ExchangedSubject,
) -> Result<(ScopeSet, Authority), Refusal> {
    let requested_scope = context.request.scope.as_ref();
    let scopes = requested_scope.unwrap_or(&subject.scope);
    if scopes.is_empty() || !scopes.is_within(&subject.scope) {
        return Err(invalid_scope("the scope exceeds what is exchanged"));
    }
    let ceiling = context.client.client.scope_ceiling(engine, Some(&subject.settings));
    if let Some(excess) = ceiling.find_excess(scopes) {
        let text = ceiling.describe_excess(&excess);
        return Err(invalid_scope("the scope exceeds what the client may request").with_public_text(text));
    }
    let permissions = scopes.permissions();
    // Identity scopes alone give no access to another API: the user did not consent to that.
    if permissions.is_empty()
        && subject.is_for_other_api()
        && matches!(subject.target_audience, Audience::Api(_))
    {
        return Err(invalid_target());
    }
    subject.target_audience.target().require_defined_permissions(&permissions).map_err(to_refusal)?;
    match subject.authority.narrow(&permissions) {
        Ok(authority) => Ok((scopes.clone(), authority)),
        Err(widening) if requested_scope.is_some() => Err(invalid_scope(widening.to_string())),
        Err(widening) => Err(invalid_grant(widening.to_string())),
    }
}

/// The organization of the client; `None` if it serves all.
const fn client_organization(origin: ClientOrigin) -> Option<OrganizationId> {
    match origin {
        ClientOrigin::Organization(organization) => Some(organization),
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => None,
    }
}
