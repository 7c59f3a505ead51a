//! A machine asks for itself: what its own roles hold in the organization it belongs to.

use super::Asking;
use super::policy::{RequestedAccess, TokenOrigin};
use crate::issue::{self, Aim, Issued, Wording};
use crate::{Cause, Engine, Failed};
use sinete_core::authority::Authority;
use sinete_core::authority::details::Details;
use sinete_core::authority::permission::PermissionSet;
use sinete_core::authority::scope::Scope;
use sinete_core::authorize::policy::{TokenSource, TokenStep};
use sinete_core::grant::{as_refusal, client_credentials, may_not, too_much, unfit_details};
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_core::signing::Algorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::AccessClaims;
use sinete_core::token::jti::{Jti, Root};
use sinete_crypto::jwt::TokenType;
use sinete_store::Act;
use sinete_store::client_proofs::ServiceFacts;
use sinete_store::clients::Origin;
use sinete_store::offered::Offered;
use sinete_store::standing::shown::Service;

/// A token that a service may have for itself, and what that was decided on.
pub(crate) struct Decided {
    claims: AccessClaims,
    algorithm: Algorithm,
    lifetime: Lifetime,
    /// The epoch of the service, which its tokens name and end with.
    epoch: i64,
    facts: ServiceFacts,
}

impl Decided {
    /// What it was decided on.
    pub(super) const fn facts(&self) -> ServiceFacts {
        self.facts
    }
}

pub(super) async fn issue(
    engine: &Engine,
    asking: &Asking<'_>,
    service: Option<Service>,
) -> Result<Result<(Issued, Decided), Refusal>, Failed> {
    let decided = match decide(engine, asking, service).await? {
        Ok(decided) => decided,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (issued, event) = made(engine, &decided, decided.claims.clone(), &asking.cause, asking.now)?;
    engine.store().commit(Act::new().record(&event)).await?.map_err(|_| Failed::Contended)?;
    Ok(Ok((issued, decided)))
}

/// One more token by what was decided before, if all that it was decided on is as it was: the database says so in the
/// statement that records the token. Otherwise nothing happens.
pub(super) async fn repeat(
    engine: &Engine,
    decided: &Decided,
    cause: &Cause,
    now: Timestamp,
) -> Result<Option<Issued>, Failed> {
    let cause = Cause { actor: Actor::Client(decided.claims.client().clone()), origin: cause.origin.clone() };
    let claims = decided.claims.again(jti(engine, decided.epoch), now);
    let (issued, event) = made(engine, decided, claims, &cause, now)?;
    let recorded = engine.store().commit(Act::new().record_at(&event, decided.facts)).await?;
    Ok(recorded.is_ok().then_some(issued))
}

fn jti(engine: &Engine, epoch: i64) -> Jti {
    Jti::mint(Root::Own { epoch }, None, &engine.ids())
}

/// The token, and the event that must be durable before it leaves.
fn made(
    engine: &Engine,
    decided: &Decided,
    claims: AccessClaims,
    cause: &Cause,
    now: Timestamp,
) -> Result<(Issued, Event), Failed> {
    let access_token = issue::sign(engine, decided.algorithm, TokenType::Access, &claims, now)?;
    let event = engine
        .event(EventKind::TokenIssued, cause, now)
        .about("token", claims.jti())
        .within(claims.organization())
        .through(claims.client().clone())
        .with("audience", claims.audience().as_str())
        .with("scope", claims.scope().to_string());
    let issued = Issued {
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
    asking: &Asking<'_>,
    service: Option<Service>,
) -> Result<Result<Decided, Refusal>, Failed> {
    // Nobody granted a machine details, and what is not granted is not passed over.
    if asking.request.details.is_some() {
        return Ok(Err(unfit_details()));
    }
    let Service { found, facts } = match itself(asking, service) {
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
    let (scopes, details) = (asked.iter().cloned().map(Scope::Permission).collect(), Details::default());
    let origin = TokenOrigin {
        organization: alive.organization(),
        settings: &settings,
        source: TokenSource::ClientCredentials,
        step: TokenStep::First,
        root: Root::Own { epoch },
        user: None,
    };
    let access = RequestedAccess { aim: &aim, scopes: &scopes, details: &details };
    let policy = match asking.check_policy(engine, origin, access) {
        Ok(policy) => policy,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let wording = Wording {
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
    Ok(Ok(Decided { claims, algorithm, lifetime, epoch, facts }))
}

/// The machine in the organization it belongs to.
fn itself(asking: &Asking<'_>, service: Option<Service>) -> Result<Service, Refusal> {
    match asking.client.known.client.origin {
        Origin::Organization(_) => service.ok_or_else(|| may_not("the client carries no roles")),
        Origin::Operator | Origin::Itself => Err(may_not("the client belongs to no organization")),
    }
}

/// Where the token is to be used, and what for.
fn aimed(
    engine: &Engine,
    asking: &Asking<'_>,
    offered: &Offered,
) -> Result<Result<(Aim, PermissionSet), Refusal>, Failed> {
    let (request, registered) = (asking.request, &asking.client.known.client.scope);
    let named = request.resource.as_ref().map(|resource| issue::aim_at(engine, offered, resource));
    let named = match named.transpose() {
        Ok(named) => named,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let target = named.as_ref().map(Aim::target);
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
