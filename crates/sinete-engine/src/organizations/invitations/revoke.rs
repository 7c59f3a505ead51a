//! Revoking an invitation.

use super::{already_accepted, find_stored};
use crate::access_control::organization_access::{OrganizationAccess, organization_suspended};
use crate::organizations::members;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::InvitationId;
use sinete_core::organizations::memberships::{RoleChangeRejection, is_owner};
use sinete_store::organizations::invitations;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::scim::users;
use sinete_store::{BatchOutcome, WriteBatch, organizations};

/// Revokes an invitation and its membership, unless a directory created the membership.
pub async fn revoke(engine: &Engine, access: &OrganizationAccess, id: InvitationId) -> Result<(), Error> {
    access.require_change_permission(MANAGE_MEMBERS)?;
    let invitation = find_stored(engine, access, id).await?;
    if invitation.revoked_at.is_some() {
        access.record_read_by_non_member(engine, "invitations").await?;
        return Ok(());
    }
    if invitation.accepted_at.is_some() {
        return Err(already_accepted().into());
    }
    let with_roles = members::find_member(engine, access, invitation.membership).await?;
    let waits = with_roles.filter(|member| member.membership.holder == MembershipHolder::Unclaimed);
    if waits.as_ref().is_some_and(|with_roles| is_owner(&members::to_roles(&with_roles.roles)))
        && !access.is_owner
    {
        return Err(members::roles_refused(&RoleChangeRejection::OwnersOnly).into());
    }
    let user = users::find_scim_user(engine.store(), access.organization.id, invitation.membership).await?;
    let is_directorys = user.is_some_and(|it| it.user_name.is_some());
    let end = waits.filter(|_| !is_directorys).map(|it| {
        memberships::change_membership_condition(&it.membership, LifecycleCondition::Ended, access.now())
    });
    let batch = WriteBatch::new()
        .with_statement(organizations::lock_organization_row(access.organization.id, access.now()))
        .with_statements(end)
        .with_statement(invitations::revoke_invitation(access.organization.id, id, access.now()));
    let event = access.event(engine, EventKind::InvitationRevoked).with_subject("invitation", id);
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
            Err(organization_suspended().into())
        }
        BatchOutcome::Conflict(_) => Err(already_accepted().into()),
    }
}
