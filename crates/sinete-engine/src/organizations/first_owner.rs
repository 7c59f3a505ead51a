//! The first owner of an organization that no user has joined yet: operators see whether one is invited, and invite one.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::{
    find_organization, no_such_organization, organization_suspended,
};
use crate::organizations::{OrganizationRow, invitations};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{CREATE_ORGANIZATIONS, READ_INSTANCE};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{InvitationId, RoleId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::time::Timestamp;
use sinete_store::organizations as store;
use sinete_store::organizations::invitations::InvitationRow;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::organizations::{memberships, roles};
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch};

/// The first owner of an organization, who is invited.
#[derive(Clone, Debug)]
pub struct FirstOwner {
    /// The address that the invitation is sent to.
    pub address: EmailAddress,
    /// The language of the message; `None` for the organization's.
    pub language: Option<Language>,
}

/// Maximum invitations of an organization without users that are read.
const INVITATIONS_MAX: u32 = 200;

/// Whether an organization has its first owner.
#[derive(Clone, Debug)]
pub enum FirstOwnerState {
    /// No user has joined, and no owner is invited.
    Missing,
    /// No user has joined, and this invitation of an owner is open or expired.
    Invited(InvitationRow),
    /// A user has joined. What happens inside is for the organization alone.
    Joined,
}

/// Finds an organization of a customer, for an operator with the permission.
pub async fn find(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    permission: FirstOwnerPermission,
    name: &str,
) -> Result<OrganizationRow, Error> {
    instance_admin.require_permission(match permission {
        FirstOwnerPermission::Show => READ_INSTANCE,
        FirstOwnerPermission::Invite => CREATE_ORGANIZATIONS,
    })?;
    let organization = find_organization(engine, name, instance_admin.now()).await?;
    let organization = organization.filter(|it| it.kind == OrganizationKind::Customer);
    let organization = organization.filter(|it| it.condition != LifecycleCondition::Ended);
    Ok(organization.ok_or_else(no_such_organization)?)
}

/// The action of an operator about the first owner.
#[derive(Clone, Copy, Debug)]
pub enum FirstOwnerPermission {
    /// See whether there is one.
    Show,
    /// Invite one.
    Invite,
}

/// Shows whether the organization has its first owner.
pub async fn show(engine: &Engine, organization: &OrganizationRow) -> Result<FirstOwnerState, Error> {
    if store::has_users(engine.store(), organization.id).await? {
        return Ok(FirstOwnerState::Joined);
    }
    let role = find_owner_role(engine, organization).await?;
    let open = list_open_invitations(engine, organization, role).await?;
    Ok(open.into_iter().next_back().map_or(FirstOwnerState::Missing, FirstOwnerState::Invited))
}

/// Invites the first owner. The new invitation replaces those of other owners, in one transaction.
pub async fn invite(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    organization: &OrganizationRow,
    owner: &FirstOwner,
) -> Result<FirstOwnerState, Error> {
    instance_admin.require_permission(CREATE_ORGANIZATIONS)?;
    let (id, now) = (organization.id, instance_admin.now());
    let role = find_owner_role(engine, organization).await?;
    let settings: OrganizationSettings = organization.settings.parse()?;
    for _ in 0..ATTEMPTS_MAX {
        if store::has_users(engine.store(), id).await? {
            return Err(organization_has_users().into());
        }
        let replaced = list_open_invitations(engine, organization, role).await?;
        let prepared = invitations::prepare_first_owner(
            engine,
            id,
            &organization.name,
            &owner.address,
            owner.language.unwrap_or(settings.language),
            role,
            now,
        )
        .await?;
        let ended: Vec<String> = replaced.iter().map(|it| it.id.to_string()).collect();
        let mut event = instance_admin
            .event(engine, EventKind::InvitationSent, id)
            .with_subject("invitation", prepared.invitation)
            .with_detail("membership", prepared.membership.to_string())
            .with_detail("roles", vec![BuiltInRole::Owner.name().to_owned()]);
        if !ended.is_empty() {
            event = event.with_detail("replaces", ended.join(" "));
        }
        let batch = WriteBatch::new()
            .with_statement(store::lock_organization_row(id, now))
            .with_statement(store::require_no_users(id))
            .with_statements(end_invitations(engine, &replaced, now).await?)
            .with_statements(prepared.statements);
        match engine.store().commit(instance_admin.record(batch, &event, "")?).await? {
            BatchOutcome::Committed(_) => {
                return find_sent(engine, organization, prepared.invitation).await;
            }
            BatchOutcome::Conflict(conflict) if store::is_lock_conflict(&conflict) => {
                return Err(organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

async fn find_sent(
    engine: &Engine,
    organization: &OrganizationRow,
    id: InvitationId,
) -> Result<FirstOwnerState, Error> {
    let invitation = store::invitations::find_invitation(engine.store(), organization.id, id).await?;
    Ok(invitation.map_or(FirstOwnerState::Missing, FirstOwnerState::Invited))
}

/// The statements that revoke invitations and end the memberships that they would claim.
async fn end_invitations(
    engine: &Engine,
    replaced: &[InvitationRow],
    now: Timestamp,
) -> Result<Vec<GuardedStatement>, Failure> {
    let mut steps = Vec::new();
    for old in replaced {
        steps.push(store::invitations::revoke_invitation(old.organization, old.id, now));
        let membership =
            memberships::find_membership(engine.store(), old.organization, old.membership).await?;
        let waits = membership.filter(|it| {
            it.holder == MembershipHolder::Unclaimed && it.condition != LifecycleCondition::Ended
        });
        steps.extend(
            waits.map(|it| memberships::change_membership_condition(&it, LifecycleCondition::Ended, now)),
        );
    }
    Ok(steps)
}

/// The invitations of owners that were neither accepted nor revoked, oldest first; also expired ones.
async fn list_open_invitations(
    engine: &Engine,
    organization: &OrganizationRow,
    role: RoleId,
) -> Result<Vec<InvitationRow>, Failure> {
    let all =
        store::invitations::list_invitations(engine.store(), organization.id, None, INVITATIONS_MAX).await?;
    let is_open = |it: &InvitationRow| it.accepted_at.is_none() && it.revoked_at.is_none();
    Ok(all.into_iter().filter(|it| is_open(it) && it.roles.contains(&role)).collect())
}

async fn find_owner_role(engine: &Engine, organization: &OrganizationRow) -> Result<RoleId, Error> {
    let all = roles::list_roles(engine.store(), organization.id).await?;
    let owner =
        all.iter().find(|it| it.is_built_in && it.role.name() == BuiltInRole::Owner.name()).map(|it| it.id);
    Ok(owner.ok_or_else(no_such_organization)?)
}

fn organization_has_users() -> Refusal {
    Refusal::because(OrganizationRefusal::OrganizationHasUsers, "a user has joined")
}
