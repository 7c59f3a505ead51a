//! Grants of members to applications, for member administrators: listing and revocation.

use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::oauth::grants;
use sinete_store::{BatchOutcome, WriteBatch};

pub use sinete_store::oauth::grants::{GrantRow, StoredGrantKind};

/// Lists the grants of the organization or of one member, oldest first, including ended ones.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    member: Option<MembershipId>,
    after: Option<GrantId>,
    limit: u32,
) -> Result<Vec<GrantRow>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "grants").await?;
    let organization = access.organization.id;
    Ok(match member {
        None => grants::list_grants(engine.store(), organization, after, limit).await?,
        Some(member) => {
            grants::list_member_grants(engine.store(), organization, member, after, limit).await?
        }
    })
}

/// Shows a grant.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: GrantId) -> Result<GrantRow, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "grants").await?;
    find_grant(engine, access, id).await
}

/// Revokes a grant with all its tokens, effective on all nodes; also while the organization is suspended.
pub async fn revoke(engine: &Engine, access: &OrganizationAccess, id: GrantId) -> Result<(), Error> {
    access.require_read_permission(MANAGE_MEMBERS)?;
    let grant = find_grant(engine, access, id).await?;
    if grant.revoked_at.is_some() {
        access.record_read_by_non_member(engine, "grants").await?;
        return Ok(());
    }
    let event = access
        .event(engine, EventKind::GrantRevoked)
        .with_subject("grant", id)
        .with_detail("membership", grant.membership.to_string())
        .with_detail("client", grant.client.as_str())
        .with_detail("because", "revoked_by_manager");
    let batch = WriteBatch::new().with_statement(grants::revoke_grant(id, "revoked", access.now()));
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

async fn find_grant(engine: &Engine, access: &OrganizationAccess, id: GrantId) -> Result<GrantRow, Error> {
    let grant = grants::find_grant(engine.store(), id).await?;
    let grant = grant.filter(|grant| grant.organization == access.organization.id);
    let none = || Refusal::because(RequestRefusal::NotFound, "no such grant");
    Ok(grant.ok_or_else(none)?)
}
