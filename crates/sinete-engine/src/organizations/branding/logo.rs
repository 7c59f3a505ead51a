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
pub async fn describe(engine: &Engine, access: &OrganizationAccess) -> Result<LogoDescription, Error> {
    access.require_read_permission(READ_ORGANIZATION)?;
    access.record_read_by_non_member(engine, "logo").await?;
    Ok(find_description(engine, access).await?.ok_or_else(no_logo)?)
}

/// Sets or replaces the logo, if the version matches.
pub async fn set_logo(
    engine: &Engine,
    access: &OrganizationAccess,
    expected_version: i64,
    logo: &OrganizationLogo,
) -> Result<LogoDescription, Error> {
    let step = branding::set_logo(access.organization.id, logo, access.now());
    commit_change(engine, access, expected_version, step).await?;
    Ok(find_description(engine, access).await?.ok_or_else(no_logo)?)
}

/// Removes the logo.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    expected_version: i64,
) -> Result<(), Error> {
    access.require_read_permission(UPDATE_ORGANIZATION)?;
    if find_description(engine, access).await?.is_none() {
        return Err(no_logo().into());
    }
    commit_change(engine, access, expected_version, branding::remove_logo(access.organization.id)).await
}

/// The logo of an active organization. Public, because it is shown before sign-in.
pub async fn show(engine: &Engine, organization: OrganizationId) -> Result<Option<LogoRow>, Failure> {
    Ok(branding::find_logo(engine.store(), organization, engine.now()).await?)
}

async fn commit_change(
    engine: &Engine,
    access: &OrganizationAccess,
    expected_version: i64,
    step: GuardedStatement,
) -> Result<(), Error> {
    access.require_change_permission(UPDATE_ORGANIZATION)?;
    let event = access.event(engine, EventKind::OrganizationChanged).with_detail("logo", true);
    let advanced =
        organizations::advance_organization_version(access.organization.id, expected_version, access.now());
    let batch = access.record(WriteBatch::new().with_statement(advanced).with_statement(step), &event)?;
    engine.store().commit(batch).await?.into_result().map_err(|_| precondition_failed())?;
    Ok(())
}

async fn find_description(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<Option<LogoDescription>, Failure> {
    Ok(branding::find_logo_description(engine.store(), access.organization.id).await?)
}

fn no_logo() -> Refusal {
    Refusal::because(OrganizationRefusal::LogoNotFound, "no logo was chosen")
}
