//! The client credentials grant: a machine's token with its own roles in its organization.

use crate::oauth::token::{RequestedAccess, TokenOrigin, TokenRequestContext};
use crate::oauth::token_issuance;
use crate::oauth::token_issuance::{AccessTokenParams, Audience, IssuedTokens};
use crate::platform::signing_keys;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::scope::Scope;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::grants::{
    client_credentials, invalid_authorization_details, invalid_scope, to_refusal, unauthorized_client,
};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::oauth::organization_policy::{TokenDerivation, TokenSource};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::DependencySnapshot;
use sinete_store::WriteBatch;
use sinete_store::oauth::cache::api_catalog::ApiCatalog;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::subject_state::token_lookup::ServiceLookup;

/// A cacheable decision for a service token, with what it depends on.
pub(crate) struct CachedServiceToken {
    claims: AccessTokenClaims,
    algorithm: SigningAlgorithm,
    lifetime: Lifetime,
    /// The epoch of the service, which its tokens contain and whose change ends them.
    epoch: i64,
    dependency_snapshot: DependencySnapshot,
}

impl CachedServiceToken {
    /// What it depends on.
    pub(in crate::oauth) const fn dependency_snapshot(&self) -> DependencySnapshot {
        self.dependency_snapshot
    }
}

pub(in crate::oauth) async fn issue_service_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<(IssuedTokens, CachedServiceToken), Error> {
    let decided = decide_access(engine, context, service).await?;
    let (issued, event) = sign_token(engine, &decided, decided.claims.clone(), &context.cause, context.now)?;
    engine
        .store()
        .commit(WriteBatch::new().with_event(&event))
        .await?
        .into_result()
        .map_err(|_| Failure::Contended)?;
    Ok((issued, decided))
}

/// Issues another token from a cached decision, if the statement that records the token confirms that nothing
/// has changed; otherwise `None`.
pub(in crate::oauth) async fn reissue_service_token(
    engine: &Engine,
    decided: &CachedServiceToken,
    cause: &EventCause,
    now: Timestamp,
) -> Result<Option<IssuedTokens>, Failure> {
    let cause = EventCause {
        actor: SecurityEventActor::Client(decided.claims.client().clone()),
        origin: cause.origin.clone(),
    };
    let claims = decided.claims.reissue(new_jti(engine, decided.epoch), now);
    let (issued, event) = sign_token(engine, decided, claims, &cause, now)?;
    let recorded = engine
        .store()
        .commit(WriteBatch::new().with_event_at_version(&event, decided.dependency_snapshot))
        .await?;
    Ok(recorded.is_committed().then_some(issued))
}

fn new_jti(engine: &Engine, epoch: i64) -> Jti {
    Jti::mint(TokenRevocationRoot::Machine { epoch }, None, &engine.id_entropy())
}

/// Signs the token, with the event that must be durable before the response.
fn sign_token(
    engine: &Engine,
    decided: &CachedServiceToken,
    claims: AccessTokenClaims,
    cause: &EventCause,
    now: Timestamp,
) -> Result<(IssuedTokens, SecurityEvent), Failure> {
    let access_token = signing_keys::sign_claims(engine, decided.algorithm, JwtType::Access, &claims, now)?;
    let event = engine
        .event(EventKind::TokenIssued, cause, now)
        .with_subject("token", claims.jti())
        .with_organization(claims.organization())
        .with_client(claims.client().clone())
        .with_detail("audience", claims.audience().as_str())
        .with_detail("scope", claims.combine_scope().to_string());
    let issued = IssuedTokens {
        access_token,
        lifetime: decided.lifetime,
        scope: claims.combine_scope().clone(),
        refresh_token: None,
        id_token: None,
        details: Vec::new(),
        is_exchanged: false,
    };
    Ok((issued, event))
}

async fn decide_access(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<CachedServiceToken, Error> {
    // A machine has no granted authorization details, and requested ones must not be ignored.
    if context.request.details.is_some() {
        return Err(invalid_authorization_details().into());
    }
    let ServiceLookup { snapshot, dependency_snapshot: facts } = require_service(context, service)?;
    let epoch = snapshot.client_epoch.unwrap_or_default();
    let (offering, settings) =
        (snapshot.api_catalog_version, snapshot.settings.parse::<OrganizationSettings>()?);
    let active_subject =
        snapshot.state.require_active().map_err(|subject| unauthorized_client(subject.to_string()))?;
    let catalog = offering.load_catalog(engine.store()).await?;
    let (audience, permissions) = resolve_audience(engine, context, &catalog)?;
    let authority = Authority::derive(&active_subject)
        .narrow(&permissions)
        .map_err(|widening| invalid_scope(widening.to_string()))?;
    let (scopes, details) =
        (permissions.iter().cloned().map(Scope::Permission).collect(), AuthorizationDetails::default());
    let origin = TokenOrigin {
        organization: active_subject.organization(),
        settings: &settings,
        source: TokenSource::ClientCredentials,
        derivation: TokenDerivation::Direct,
        root: TokenRevocationRoot::Machine { epoch },
        user: None,
    };
    let access = RequestedAccess { audience: &audience, scopes: &scopes, details: &details };
    let policy = context.check_policy(engine, origin, access)?;
    let wording = AccessTokenParams {
        audience: &audience,
        client: context.client.id(),
        scopes: &scopes,
        metadata: &context.client.client.metadata,
        jti: new_jti(engine, epoch),
        now: context.now,
        lifetime: audience.token_lifetime(),
        authentication: None,
        actor: None,
        confirmation: context.client.confirmation.clone(),
        details: Vec::new(),
        policy,
    };
    let (algorithm, lifetime) = (audience.signing_algorithm(), audience.token_lifetime());
    let claims = token_issuance::access_token_claims(engine, &active_subject, &authority, wording);
    Ok(CachedServiceToken { claims, algorithm, lifetime, epoch, dependency_snapshot: facts })
}

/// The machine in its organization.
fn require_service(
    context: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<ServiceLookup, Refusal> {
    match context.client.client.client.origin {
        ClientOrigin::Organization(_) => {
            service.ok_or_else(|| unauthorized_client("the client has no roles"))
        }
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => {
            Err(unauthorized_client("the client belongs to no organization"))
        }
    }
}

/// Resolves the audience and the scopes.
fn resolve_audience(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    catalog: &ApiCatalog,
) -> Result<(Audience, PermissionSet), Error> {
    let (request, registered) = (context.request, &context.client.client.client.scope);
    let result =
        request.resource.as_ref().map(|resource| token_issuance::find_audience(engine, catalog, resource));
    let audience = result.transpose()?;
    let target = audience.as_ref().map(Audience::target);
    let permissions =
        client_credentials::resolve_requested_permissions(request.scope.as_ref(), registered, target)?;
    let target_audience = match audience {
        Some(target_audience) => target_audience,
        None => token_issuance::infer_audience(engine, catalog, &permissions)?,
    };
    let defined = target_audience.target().require_defined_permissions(&permissions);
    Ok(defined.map(|()| (target_audience, permissions)).map_err(to_refusal)?)
}
