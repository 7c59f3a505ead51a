//! The logo of an organization: chosen and taken away by its own, shown to whoever is about to sign in to it.

use crate::acting::OrganizationAccess;
use crate::organizations::outrun;
use crate::{Engine, Failure};
use sinete_core::id::OrganizationId;
use sinete_core::people::logo::OrganizationLogo;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::EventKind;
pub use sinete_store::organization_logos::{LogoDescription, LogoRow};
use sinete_store::{GuardedStatement, WriteBatch, organization_logos, organizations};

/// What is known of the organization's logo.
pub async fn describe(
    engine: &Engine,
    acting: &OrganizationAccess,
) -> Result<Result<LogoDescription, Refusal>, Failure> {
    if let Err(refusal) = acting.may_look("organization:read") {
        return Ok(Err(refusal));
    }
    acting.note_look(engine, "logo").await?;
    Ok(described(engine, acting).await?.ok_or_else(nothing))
}

/// Chooses a logo, in place of the one that was there, if the organization is still as the caller saw it.
pub async fn choose(
    engine: &Engine,
    acting: &OrganizationAccess,
    seen: i64,
    logo: &OrganizationLogo,
) -> Result<Result<LogoDescription, Refusal>, Failure> {
    let step = organization_logos::choose(acting.organization.id, logo, acting.now());
    match change(engine, acting, seen, step).await? {
        Ok(()) => Ok(described(engine, acting).await?.ok_or_else(nothing)),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Takes the logo away.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    seen: i64,
) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = acting.may_look("organization:update") {
        return Ok(Err(refusal));
    }
    if described(engine, acting).await?.is_none() {
        return Ok(Err(nothing()));
    }
    change(engine, acting, seen, organization_logos::remove(acting.organization.id)).await
}

/// The logo of an organization that counts, for whoever asks: it is on the page before anybody is known.
pub async fn show(engine: &Engine, organization: OrganizationId) -> Result<Option<LogoRow>, Failure> {
    Ok(organization_logos::show(engine.store(), organization, engine.now()).await?)
}

async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    seen: i64,
    step: GuardedStatement,
) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = acting.may_change("organization:update") {
        return Ok(Err(refusal));
    }
    let event = acting.event(engine, EventKind::OrganizationChanged).with("logo", true);
    let advanced = organizations::advance(acting.organization.id, seen, acting.now());
    let act = acting.record(WriteBatch::new().with(advanced).with(step), &event)?;
    Ok(engine.store().commit(act).await?.map(|_| ()).map_err(|_| outrun()))
}

async fn described(engine: &Engine, acting: &OrganizationAccess) -> Result<Option<LogoDescription>, Failure> {
    Ok(organization_logos::describe(engine.store(), acting.organization.id).await?)
}

fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "the organization has no logo", "no logo was chosen")
}
