//! A machine asks for itself: what its own roles hold in the organization it belongs to.

use super::Asking;
use crate::issue::{self, Aim, Issued, Wording};
use crate::{Engine, Failed};
use sinete_core::authority::Authority;
use sinete_core::authority::permission::PermissionSet;
use sinete_core::grant::{as_refusal, client_credentials, may_not, too_much, unfit_details};
use sinete_core::id::OrganizationId;
use sinete_core::people::settings::{GrantKind, OrganizationSettings};
use sinete_core::refusal::Refusal;
use sinete_core::security::event::EventKind;
use sinete_core::token::jti::{Jti, Root};
use sinete_store::Act;
use sinete_store::clients::Origin;
use sinete_store::offered::Offered;
use sinete_store::standing::Found;

pub(super) async fn issue(
    engine: &Engine,
    asking: &Asking<'_>,
    found: Option<Found>,
) -> Result<Result<Issued, Refusal>, Failed> {
    // Nobody granted a machine details, and what is not granted is not passed over.
    if asking.request.details.is_some() {
        return Ok(Err(unfit_details()));
    }
    let (organization, found) = match itself(asking, found) {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let epoch = found.client_epoch.unwrap_or_default();
    let (offering, allowed) = (found.offering, must_be_allowed(&found)?);
    let alive = match found.standing.alive() {
        Ok(alive) => alive,
        Err(lifeless) => return Ok(Err(may_not(lifeless.to_string()))),
    };
    if let Err(refusal) = allowed {
        return Ok(Err(refusal));
    }
    let offered = offering.load(engine.store()).await?;
    let (aim, asked) = match aimed(engine, asking, &offered)? {
        Ok(aimed) => aimed,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let authority = match Authority::of(&alive).narrow(&asked) {
        Ok(authority) => authority,
        Err(widening) => return Ok(Err(too_much(widening.to_string()))),
    };
    let scope = asked.iter().cloned().map(sinete_core::authority::scope::Scope::Permission).collect();
    let (id, lifetime, now) = (asking.client.id(), aim.lifetime(), asking.now);
    let wording = Wording {
        aim: &aim,
        client: id,
        scopes: &scope,
        jti: Jti::mint(Root::Own { epoch }, None, &engine.ids()),
        now,
        lifetime,
        authentication: None,
        actor: None,
        confirmation: asking.client.confirmation.clone(),
        details: Vec::new(),
    };
    let jti = wording.jti.to_string();
    let access_token = issue::access_token(engine, &alive, &authority, wording)?;
    let event = engine
        .event(EventKind::TokenIssued, &asking.cause, now)
        .about("token", jti)
        .within(organization)
        .through(id.clone())
        .with("audience", aim.identifier().as_str())
        .with("scope", scope.to_string());
    engine.store().commit(Act::new().record(&event)).await?.map_err(|_| Failed::Contended)?;
    Ok(Ok(Issued {
        access_token,
        lifetime,
        scope,
        refresh_token: None,
        id_token: None,
        details: Vec::new(),
        is_exchanged: false,
    }))
}

/// The machine in the organization it belongs to.
fn itself(asking: &Asking<'_>, found: Option<Found>) -> Result<(OrganizationId, Found), Refusal> {
    match asking.client.known.client.origin {
        Origin::Organization(organization) => {
            found.map(|found| (organization, found)).ok_or_else(|| may_not("the client carries no roles"))
        }
        Origin::Operator | Origin::Itself => Err(may_not("the client belongs to no organization")),
    }
}

/// Whether the organization lets machines get tokens for themselves.
fn must_be_allowed(found: &Found) -> Result<Result<(), Refusal>, Failed> {
    let settings: OrganizationSettings = found.settings.read()?;
    let is_refused = settings.refused_grants.contains(&GrantKind::ClientCredentials);
    Ok(if is_refused { Err(may_not("the organization switched this grant off")) } else { Ok(()) })
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
