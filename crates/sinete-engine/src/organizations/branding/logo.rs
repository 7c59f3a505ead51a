//! The logo of an organization: set and removed by its administrators, shown on the sign-in page.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::precondition_failed;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{READ_ORGANIZATION, UPDATE_ORGANIZATION};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::OrganizationId;
use sinete_core::organizations::branding::logo::OrganizationLogo;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_store::organizations::branding;
pub use sinete_store::organizations::branding::{LogoDescription, LogoRow};
use sinete_store::{GuardedStatement, WriteBatch, organizations};

/// Describes the organization's logo.
pub async fn describe(engine: &Engine, acting: &OrganizationAccess) -> Result<LogoDescription, Error> {
    acting.require_read_permission(READ_ORGANIZATION)?;
    acting.record_read_by_stranger(engine, "logo").await?;
    Ok(find_description(engine, acting).await?.ok_or_else(no_logo)?)
}

/// Sets or replaces the logo, if the version matches.
pub async fn set_logo(
    engine: &Engine,
    acting: &OrganizationAccess,
    seen: i64,
    logo: &OrganizationLogo,
) -> Result<LogoDescription, Error> {
    let step = branding::set_logo(acting.organization.id, logo, acting.now());
    commit_change(engine, acting, seen, step).await?;
    Ok(find_description(engine, acting).await?.ok_or_else(no_logo)?)
}

/// Removes the logo.
pub async fn remove(engine: &Engine, acting: &OrganizationAccess, seen: i64) -> Result<(), Error> {
    acting.require_read_permission(UPDATE_ORGANIZATION)?;
    if find_description(engine, acting).await?.is_none() {
        return Err(no_logo().into());
    }
    commit_change(engine, acting, seen, branding::remove_logo(acting.organization.id)).await
}

/// The logo of an active organization. Public, because it is shown before sign-in.
pub async fn show(engine: &Engine, organization: OrganizationId) -> Result<Option<LogoRow>, Failure> {
    Ok(branding::find_logo(engine.store(), organization, engine.now()).await?)
}

async fn commit_change(
    engine: &Engine,
    acting: &OrganizationAccess,
    seen: i64,
    step: GuardedStatement,
) -> Result<(), Error> {
    acting.require_change_permission(UPDATE_ORGANIZATION)?;
    let event = acting.event(engine, EventKind::OrganizationChanged).with_detail("logo", true);
    let advanced = organizations::advance_organization_version(acting.organization.id, seen, acting.now());
    let act = acting.record(WriteBatch::new().with_statement(advanced).with_statement(step), &event)?;
    engine.store().commit(act).await?.into_result().map_err(|_| precondition_failed())?;
    Ok(())
}

async fn find_description(
    engine: &Engine,
    acting: &OrganizationAccess,
) -> Result<Option<LogoDescription>, Failure> {
    Ok(branding::find_logo_description(engine.store(), acting.organization.id).await?)
}

fn no_logo() -> Refusal {
    Refusal::because(OrganizationRefusal::LogoNotFound, "no logo was chosen")
}
