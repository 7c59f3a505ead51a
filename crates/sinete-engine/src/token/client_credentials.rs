//! A machine asks for itself: what its own roles hold in the organization it belongs to.

use super::TokenRequestContext;
use super::policy::{RequestedAccess, TokenOrigin};
use crate::issue::{self, AccessTokenParams, Audience, IssuedTokens};
use crate::{Engine, EventCause, Failure};
use sinete_core::authority::Authority;
use sinete_core::authority::details::AuthorizationDetails;
use sinete_core::authority::permission::PermissionSet;
use sinete_core::authority::scope::Scope;
use sinete_core::authorize::policy::{TokenSource, TokenStep};
use sinete_core::grant::{as_refusal, client_credentials, may_not, too_much, unfit_details};
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::AccessTokenClaims;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_crypto::jwt::JwtType;
use sinete_store::WriteBatch;
use sinete_store::client_proofs::DependencySnapshot;
use sinete_store::clients::ClientOrigin;
use sinete_store::offered::ApiCatalog;
use sinete_store::standing::shown::ServiceLookup;

/// A token that a service may have for itself, and what that was decided on.
pub(crate) struct CachedServiceToken {
    claims: AccessTokenClaims,
    algorithm: SigningAlgorithm,
    lifetime: Lifetime,
    /// The epoch of the service, which its tokens name and end with.
    epoch: i64,
    facts: DependencySnapshot,
}

impl CachedServiceToken {
    /// What it was decided on.
    pub(super) const fn facts(&self) -> DependencySnapshot {
        self.facts
    }
}

pub(super) async fn issue(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<Result<(IssuedTokens, CachedServiceToken), Refusal>, Failure> {
    let decided = match decide(engine, asking, service).await? {
        Ok(decided) => decided,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (issued, event) = made(engine, &decided, decided.claims.clone(), &asking.cause, asking.now)?;
    engine.store().commit(WriteBatch::new().record(&event)).await?.map_err(|_| Failure::Contended)?;
    Ok(Ok((issued, decided)))
}

/// One more token by what was decided before, if all that it was decided on is as it was: the database says so in the
/// statement that records the token. Otherwise nothing happens.
pub(super) async fn repeat(
    engine: &Engine,
    decided: &CachedServiceToken,
    cause: &EventCause,
    now: Timestamp,
) -> Result<Option<IssuedTokens>, Failure> {
    let cause = EventCause {
        actor: SecurityEventActor::Client(decided.claims.client().clone()),
        origin: cause.origin.clone(),
    };
    let claims = decided.claims.again(jti(engine, decided.epoch), now);
    let (issued, event) = made(engine, decided, claims, &cause, now)?;
    let recorded = engine.store().commit(WriteBatch::new().record_at(&event, decided.facts)).await?;
    Ok(recorded.is_ok().then_some(issued))
}

fn jti(engine: &Engine, epoch: i64) -> Jti {
    Jti::mint(TokenRoot::Own { epoch }, None, &engine.ids())
}

/// The token, and the event that must be durable before it leaves.
fn made(
    engine: &Engine,
    decided: &CachedServiceToken,
    claims: AccessTokenClaims,
    cause: &EventCause,
    now: Timestamp,
) -> Result<(IssuedTokens, SecurityEvent), Failure> {
    let access_token = issue::sign(engine, decided.algorithm, JwtType::Access, &claims, now)?;
    let event = engine
        .event(EventKind::TokenIssued, cause, now)
        .about("token", claims.jti())
        .within(claims.organization())
        .through(claims.client().clone())
        .with("audience", claims.audience().as_str())
        .with("scope", claims.scope().to_string());
    let issued = IssuedTokens {
        access_token,
        lifetime: decided.lifetime,
        scope: claims.scope().clone(),
        refresh_token: None,
        id_token: None,
        details: Vec::new(),
        is_exchanged: false,
    };
    Ok((issued, event))
}

async fn decide(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<Result<CachedServiceToken, Refusal>, Failure> {
    // Nobody granted a machine details, and what is not granted is not passed over.
    if asking.request.details.is_some() {
        return Ok(Err(unfit_details()));
    }
    let ServiceLookup { found, facts } = match itself(asking, service) {
        Ok(service) => service,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let epoch = found.client_epoch.unwrap_or_default();
    let (offering, settings) = (found.offering, found.settings.read::<OrganizationSettings>()?);
    let alive = match found.standing.alive() {
        Ok(alive) => alive,
        Err(lifeless) => return Ok(Err(may_not(lifeless.to_string()))),
    };
    let offered = offering.load(engine.store()).await?;
    let (aim, asked) = match aimed(engine, asking, &offered)? {
        Ok(aimed) => aimed,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let authority = match Authority::of(&alive).narrow(&asked) {
        Ok(authority) => authority,
        Err(widening) => return Ok(Err(too_much(widening.to_string()))),
    };
    let (scopes, details) =
        (asked.iter().cloned().map(Scope::Permission).collect(), AuthorizationDetails::default());
    let origin = TokenOrigin {
        organization: alive.organization(),
        settings: &settings,
        source: TokenSource::ClientCredentials,
        step: TokenStep::First,
        root: TokenRoot::Own { epoch },
        user: None,
    };
    let access = RequestedAccess { aim: &aim, scopes: &scopes, details: &details };
    let policy = match asking.check_policy(engine, origin, access) {
        Ok(policy) => policy,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let wording = AccessTokenParams {
        aim: &aim,
        client: asking.client.id(),
        scopes: &scopes,
        jti: jti(engine, epoch),
        now: asking.now,
        lifetime: aim.lifetime(),
        authentication: None,
        actor: None,
        confirmation: asking.client.confirmation.clone(),
        details: Vec::new(),
        policy,
    };
    let (algorithm, lifetime) = (aim.algorithm(), aim.lifetime());
    let claims = issue::claims(engine, &alive, &authority, wording);
    Ok(Ok(CachedServiceToken { claims, algorithm, lifetime, epoch, facts }))
}

/// The machine in the organization it belongs to.
fn itself(
    asking: &TokenRequestContext<'_>,
    service: Option<ServiceLookup>,
) -> Result<ServiceLookup, Refusal> {
    match asking.client.known.client.origin {
        ClientOrigin::Organization(_) => service.ok_or_else(|| may_not("the client carries no roles")),
        ClientOrigin::Operator | ClientOrigin::Itself => {
            Err(may_not("the client belongs to no organization"))
        }
    }
}

/// Where the token is to be used, and what for.
fn aimed(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    offered: &ApiCatalog,
) -> Result<Result<(Audience, PermissionSet), Refusal>, Failure> {
    let (request, registered) = (asking.request, &asking.client.known.client.scope);
    let named = request.resource.as_ref().map(|resource| issue::aim_at(engine, offered, resource));
    let named = match named.transpose() {
        Ok(named) => named,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let target = named.as_ref().map(Audience::target);
    let asked = match client_credentials::asked(request.scope.as_ref(), registered, target) {
        Ok(asked) => asked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let aim = match named {
        Some(aim) => aim,
        None => match issue::aim_by(engine, offered, &asked)? {
            Ok(aim) => aim,
            Err(refusal) => return Ok(Err(refusal)),
        },
    };
    let defined = aim.target().must_define(&asked);
    Ok(defined.map(|()| (aim, asked)).map_err(as_refusal))
}
