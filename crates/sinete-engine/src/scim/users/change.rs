//! Changes of users.

use super::{find_user, load_resource, parse_id, reload_organization, require_unique_name};
use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members;
use crate::organizations::members::{MemberWithRoles, ownership_guard, roles_refused, to_roles};
use crate::organizations::{former_members, role_assignment};
use crate::scim::resources::{to_user_record, user_version};
use crate::scim::{
    PERMISSION, ScimPrecondition, ScimReplacement, ScimResource, ignored_attributes_event, load_settings,
};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::organizations::memberships::{check_membership_removal, is_owner};
use sinete_core::scim::ScimResourceType;
use sinete_core::scim::group_members::check_provisioned_restore;
use sinete_core::scim::users::{ScimUser, normalize_user_name};
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow};
use sinete_store::organizations::roles;
use sinete_store::scim::users;
use sinete_store::scim::users::{ScimUserAttributes, ScimUserChange, ScimUserRow};
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};

/// Applies a change to a user. A replacement without `active` leaves it unchanged; a patch that removes it disables
/// the user (docs/contribute/decisions/0261-scim-active-removing-it-disables-the-user.md).
pub(in crate::scim) async fn change(
    engine: &Engine,
    access: &OrganizationAccess,
    id: &str,
    precondition: &ScimPrecondition,
    becoming: &ScimReplacement,
) -> Result<ScimResource, Error> {
    access.require_change_permission(PERMISSION)?;
    let id = parse_id(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let access = reload_organization(engine, access).await?;
        let user = find_user(engine, &access, id).await?;
        precondition.require_version(&user_version(&user))?;
        let (before, settings) = (to_user_record(&user)?, load_settings(&access)?);
        let patched = becoming.apply_to(ScimResourceType::User, &before.to_resource(), &settings)?;
        let ignored = ignored_attributes_event(engine, &access, &settings, patched.ignored)
            .map(|event| event.with_subject("membership", id));
        let mut after = ScimUser::from_resource(patched.resource)?;
        if becoming.is_replacement() {
            after.active = after.active.or(before.active);
        }
        let mut batch = WriteBatch::new();
        if before != after {
            require_unique_name(engine, &access, &after, Some(id)).await?;
            batch = prepare_change(engine, &access, &user, &before, &after).await?;
        } else if ignored.is_none() {
            return load_resource(engine, &access, id).await;
        }
        if let Some(event) = &ignored {
            batch = access.record(batch, event)?;
        }
        if engine.store().commit(batch).await?.is_committed() {
            return load_resource(engine, &access, id).await;
        }
    }
    Err(Failure::Contended.into())
}

/// Prepares the write batch of a change, with its events.
async fn prepare_change(
    engine: &Engine,
    access: &OrganizationAccess,
    user: &ScimUserRow,
    before: &ScimUser,
    after: &ScimUser,
) -> Result<WriteBatch, Error> {
    let (id, now) = (user.membership.id, access.now());
    let (profile, attributes) =
        (JsonDocument::from_value(&after.profile)?, JsonDocument::from_value(&after.stored_attributes())?);
    let (condition, turned) = match after.active {
        Some(true) => (LifecycleCondition::Enabled, EventKind::MembershipEnabled),
        Some(false) | None => (LifecycleCondition::Suspended, EventKind::MembershipDisabled),
    };
    let turns = condition != user.membership.condition;
    let owns = turns && check_condition_change(engine, access, user, condition).await?;
    // An unclaimed membership is claimed by its `externalId` together with its roles, so a client that sets
    // it must be able to assign those roles.
    let is_free = user.membership.holder == MembershipHolder::Unclaimed;
    if is_free && after.external_id.is_some() && before.external_id != after.external_id {
        check_condition_change(engine, access, user, LifecycleCondition::Enabled).await?;
    }
    let changed = ScimUserChange { profile: &profile, external_id: after.external_id.as_deref(), condition };
    let lookup = normalize_user_name(&after.user_name);
    let user_attributes =
        ScimUserAttributes { user_name: &after.user_name, lookup: &lookup, attributes: &attributes };
    let mut events: Vec<SecurityEvent> = Vec::new();
    let mut names = before.changed_attributes(after);
    if names.is_empty() && !turns {
        // A disabled user whose `active` is removed or set to false stays disabled.
        names.push("active".to_owned());
    }
    if !names.is_empty() {
        let event = access.event(engine, EventKind::MembershipChanged);
        events.push(event.with_subject("membership", id).with_detail("attributes", names));
    }
    if turns {
        events.push(access.event(engine, turned).with_subject("membership", id));
    }
    let steps: Vec<GuardedStatement> = ownership_guard(access, owns);
    let mut batch = WriteBatch::new()
        .with_statements(steps)
        .with_statement(users::change_scim_user(&user.membership, &changed, now))
        .with_statements(users::record_scim_user(id, access.organization.id, &user_attributes));
    if condition == LifecycleCondition::Suspended {
        let after =
            MembershipRow { profile, external_id: after.external_id.clone(), ..user.membership.clone() };
        batch =
            batch.with_statements(former_members::record_former_member_identifiers(engine, &after).await?);
    }
    for event in &events {
        batch = access.record(batch, event)?;
    }
    Ok(batch)
}

/// Checks a change of `active`, and returns whether the user is an owner.
pub(super) async fn check_condition_change(
    engine: &Engine,
    access: &OrganizationAccess,
    user: &ScimUserRow,
    condition: LifecycleCondition,
) -> Result<bool, Error> {
    let catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
    let member: MemberWithRoles =
        members::load_member_roles(engine, user.membership.clone(), &catalogue).await?;
    let roles = to_roles(&member.roles);
    let decided = match condition {
        LifecycleCondition::Enabled => {
            let member_roles: Vec<_> = member.roles.iter().collect();
            let effective_roles = role_assignment::effective_roles(engine, access, &member_roles).await?;
            check_provisioned_restore(access.role_changer(), &effective_roles)
        }
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            let others = members::count_other_owners(engine, &member, &catalogue).await?;
            check_membership_removal(access.is_owner, &roles, others)
        }
    };
    decided.map_err(|rejection| roles_refused(&rejection))?;
    Ok(is_owner(&roles))
}
