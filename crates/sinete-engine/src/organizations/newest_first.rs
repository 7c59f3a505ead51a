//! Members, invitations and API keys of an organization with the newest first, for lists that a reader sorts.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members::{MemberWithRoles, load_roles};
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::{MANAGE_API_KEYS, READ_MEMBERS};
use sinete_core::id::{ApiKeyId, InvitationId, MembershipId};
use sinete_store::organizations::api_keys::ApiKeyRow;
use sinete_store::organizations::invitations::InvitationRow;
use sinete_store::organizations::newest_first;

/// Lists the members, newest first.
pub async fn list_members(
    engine: &Engine,
    access: &OrganizationAccess,
    before: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MemberWithRoles>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "members").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    let page = newest_first::list_newest_memberships(store, organization, before, limit).await?;
    Ok(load_roles(engine, organization, page).await?)
}

/// Lists the invitations in any state, newest first.
pub async fn list_invitations(
    engine: &Engine,
    access: &OrganizationAccess,
    before: Option<InvitationId>,
    limit: u32,
) -> Result<Vec<InvitationRow>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "invitations").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    Ok(newest_first::list_newest_invitations(store, organization, before, limit).await?)
}

/// Lists the API keys of the organization, newest first, without secrets.
pub async fn list_api_keys(
    engine: &Engine,
    access: &OrganizationAccess,
    before: Option<ApiKeyId>,
    limit: u32,
) -> Result<Vec<ApiKeyRow>, Error> {
    access.require_read_permission(MANAGE_API_KEYS)?;
    access.record_read_by_non_member(engine, "api_keys").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    Ok(newest_first::list_newest_api_keys(store, organization, before, limit).await?)
}
