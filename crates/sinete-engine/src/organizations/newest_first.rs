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
    acting: &OrganizationAccess,
    before: Option<MembershipId>,
    most: u32,
) -> Result<Vec<MemberWithRoles>, Error> {
    acting.require_read_permission(READ_MEMBERS)?;
    acting.record_read_by_stranger(engine, "members").await?;
    let (store, organization) = (engine.store(), acting.organization.id);
    let page = newest_first::list_newest_memberships(store, organization, before, most).await?;
    Ok(load_roles(engine, organization, page).await?)
}

/// Lists the invitations in any state, newest first.
pub async fn list_invitations(
    engine: &Engine,
    acting: &OrganizationAccess,
    before: Option<InvitationId>,
    most: u32,
) -> Result<Vec<InvitationRow>, Error> {
    acting.require_read_permission(READ_MEMBERS)?;
    acting.record_read_by_stranger(engine, "invitations").await?;
    let (store, organization) = (engine.store(), acting.organization.id);
    Ok(newest_first::list_newest_invitations(store, organization, before, most).await?)
}

/// Lists the API keys of the organization, newest first, without secrets.
pub async fn list_api_keys(
    engine: &Engine,
    acting: &OrganizationAccess,
    before: Option<ApiKeyId>,
    most: u32,
) -> Result<Vec<ApiKeyRow>, Error> {
    acting.require_read_permission(MANAGE_API_KEYS)?;
    acting.record_read_by_stranger(engine, "api_keys").await?;
    let (store, organization) = (engine.store(), acting.organization.id);
    Ok(newest_first::list_newest_api_keys(store, organization, before, most).await?)
}
