//! Users: created, shown, changed and removed by a directory.

use super::resources;
use super::resources::{ProvisionedGroup, to_user_record, user_version};
use super::{PERMISSION, ScimPrecondition, ScimReplacement, ScimResource, not_found};
use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members;
use crate::organizations::members::{
    MemberWithRoles, no_such_role, ownership_guard, roles_refused, to_roles,
};
use crate::organizations::{former_members, role_assignment};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use serde_json::Value;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::MembershipId;
use sinete_core::organizations::memberships::{check_membership_removal, is_owner};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::group_members::{check_provisioned_restore, check_provisioned_roles};
use sinete_core::scim::users::{ScimUser, normalize_user_name};
use sinete_core::scim::{ScimResourceType, normalization};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::scim::users;
use sinete_store::scim::users::{ScimUserAttributes, ScimUserChange, ScimUserRow};
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, WriteBatch, organizations};

/// Creates a user: a membership without an account, with the member role.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<ScimResource, Error> {
    acting.require_change_permission(PERMISSION)?;
    let record = ScimUser::from_resource(normalization::normalize_resource(ScimResourceType::User, sent)?)?;
    for _ in 0..ATTEMPTS_MAX {
        require_unique_name(engine, acting, &record, None).await?;
        require_manager(engine, acting, &record).await?;
        let id = MembershipId::mint(acting.now(), engine.entropy());
        let act = prepare_creation(engine, acting, &record, id).await?;
        match engine.store().commit(act).await? {
            BatchOutcome::Committed(_) => return load_resource(engine, acting, id).await,
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(crate::access_control::organization_access::organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Prepares the write batch of a new user.
async fn prepare_creation(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
    id: MembershipId,
) -> Result<WriteBatch, Error> {
    let (organization, now) = (acting.organization.id, acting.now());
    let catalogue = roles::list_roles(engine.store(), organization).await?;
    let is_base = |name: &str| name == BuiltInRole::Member.name();
    let base = catalogue.iter().find(|role| role.is_built_in && is_base(role.role.name()));
    let base = base.ok_or_else(no_such_role)?;
    check_provisioned_roles(acting.role_changer(), &[], std::slice::from_ref(&base.role), 0)
        .map_err(|why| roles_refused(&why))?;
    let (profile, attributes) =
        (JsonDocument::from_value(&record.profile)?, JsonDocument::from_value(&record.rest)?);
    let place = NewMembership {
        id,
        organization,
        holder: &MembershipHolder::Nobody,
        profile: &profile,
        external_id: record.external_id.as_deref(),
        created_at: now,
    };
    let lookup = normalize_user_name(&record.user_name);
    let said = ScimUserAttributes { user_name: &record.user_name, lookup: &lookup, attributes: &attributes };
    let event = acting
        .event(engine, EventKind::MembershipCreated)
        .with_subject("membership", id)
        .with_detail("provisioned", true)
        .with_detail("roles", vec![base.role.name().to_owned()]);
    let act = WriteBatch::new()
        .with_statement(organizations::lock_organization(organization, now))
        .with_statement(memberships::create_membership(&place))
        .with_statements(users::record_scim_user(id, organization, &said))
        .with_statement(memberships::add_role(id, base.id, now));
    let act = acting.record(act, &event)?;
    if record.active != Some(false) {
        return Ok(act);
    }
    let fresh = MembershipRow {
        id,
        organization,
        holder: MembershipHolder::Nobody,
        condition: LifecycleCondition::Enabled,
        profile,
        external_id: record.external_id.clone(),
        created_at: now,
        version: 1,
    };
    let off = acting.event(engine, EventKind::MembershipDisabled).with_subject("membership", id);
    let act = act
        .with_statement(memberships::change_membership_condition(&fresh, LifecycleCondition::Suspended, now))
        .with_statements(former_members::record_former_member(engine, &fresh).await?);
    Ok(acting.record(act, &off)?)
}

/// Shows a user.
pub async fn show(engine: &Engine, acting: &OrganizationAccess, id: &str) -> Result<ScimResource, Error> {
    let id = parse_id(id)?;
    load_resource(engine, acting, id).await
}

async fn load_resource(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimResource, Error> {
    acting.require_read_permission(PERMISSION)?;
    let user = find_user(engine, acting, id).await?;
    let groups = resources::list_groups(engine, acting.organization.id).await?;
    load_user_resource(engine, &user, &groups).await
}

/// Loads a user with its groups.
async fn load_user_resource(
    engine: &Engine,
    user: &ScimUserRow,
    groups: &[ProvisionedGroup],
) -> Result<ScimResource, Error> {
    let carried = memberships::list_membership_roles(engine.store(), user.membership.id).await?;
    resources::to_user_resource(engine, user, Some((groups, &carried)))
}

/// Ends the membership permanently. Its SCIM data is deleted, and its `userName` becomes free.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
    seen: &ScimPrecondition,
) -> Result<(), Error> {
    acting.require_change_permission(PERMISSION)?;
    let id = parse_id(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let acting = reload_organization(engine, acting).await?;
        let user = find_user(engine, &acting, id).await?;
        seen.require_version(&user_version(&user))?;
        let carried = check_condition_change(engine, &acting, &user, LifecycleCondition::Ended).await?;
        let event = acting.event(engine, EventKind::MembershipEnded).with_subject("membership", id);
        let act = WriteBatch::new()
            .with_statements(ownership_guard(&acting, carried))
            .with_statement(memberships::change_membership_condition(
                &user.membership,
                LifecycleCondition::Ended,
                acting.now(),
            ))
            .with_statement(users::delete_scim_user(id))
            .with_statements(former_members::record_former_member(engine, &user.membership).await?);
        if engine.store().commit(acting.record(act, &event)?).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Applies a change to a user. `active` stays unchanged if it is not given.
pub(super) async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
    seen: &ScimPrecondition,
    becoming: &ScimReplacement,
) -> Result<ScimResource, Error> {
    acting.require_change_permission(PERMISSION)?;
    let id = parse_id(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let acting = reload_organization(engine, acting).await?;
        let user = find_user(engine, &acting, id).await?;
        seen.require_version(&user_version(&user))?;
        let before = to_user_record(&user)?;
        let mut after =
            ScimUser::from_resource(becoming.apply_to(ScimResourceType::User, &before.to_resource())?)?;
        after.active = after.active.or(before.active);
        if before == after {
            return load_resource(engine, &acting, id).await;
        }
        require_unique_name(engine, &acting, &after, Some(id)).await?;
        if before.manager_id() != after.manager_id() {
            require_manager(engine, &acting, &after).await?;
        }
        let act = prepare_change(engine, &acting, &user, (&before, &after)).await?;
        if engine.store().commit(act).await?.is_committed() {
            return load_resource(engine, &acting, id).await;
        }
    }
    Err(Failure::Contended.into())
}

/// Prepares the write batch of a change, with its events.
async fn prepare_change(
    engine: &Engine,
    acting: &OrganizationAccess,
    user: &ScimUserRow,
    (before, after): (&ScimUser, &ScimUser),
) -> Result<WriteBatch, Error> {
    let (id, now) = (user.membership.id, acting.now());
    let (profile, attributes) =
        (JsonDocument::from_value(&after.profile)?, JsonDocument::from_value(&after.rest)?);
    let (condition, turned) = match after.active {
        Some(false) => (LifecycleCondition::Suspended, EventKind::MembershipDisabled),
        Some(true) | None => (LifecycleCondition::Enabled, EventKind::MembershipEnabled),
    };
    let turns = condition != user.membership.condition;
    let owns = turns && check_condition_change(engine, acting, user, condition).await?;
    // An unclaimed membership is claimed by its `externalId` together with its roles, so a client that sets
    // it must be able to assign those roles.
    let is_free = user.membership.holder == MembershipHolder::Nobody;
    if is_free && after.external_id.is_some() && before.external_id != after.external_id {
        check_condition_change(engine, acting, user, LifecycleCondition::Enabled).await?;
    }
    let changed = ScimUserChange { profile: &profile, external_id: after.external_id.as_deref(), condition };
    let lookup = normalize_user_name(&after.user_name);
    let said = ScimUserAttributes { user_name: &after.user_name, lookup: &lookup, attributes: &attributes };
    let mut events: Vec<SecurityEvent> = Vec::new();
    let names = before.changed_attributes(after);
    if !names.is_empty() {
        let event = acting.event(engine, EventKind::MembershipChanged);
        events.push(event.with_subject("membership", id).with_detail("attributes", names));
    }
    if turns {
        events.push(acting.event(engine, turned).with_subject("membership", id));
    }
    let steps: Vec<GuardedStatement> = ownership_guard(acting, owns);
    let mut act = WriteBatch::new()
        .with_statements(steps)
        .with_statement(users::change_scim_user(&user.membership, &changed, now))
        .with_statements(users::record_scim_user(id, acting.organization.id, &said));
    if condition == LifecycleCondition::Suspended {
        let after =
            MembershipRow { profile, external_id: after.external_id.clone(), ..user.membership.clone() };
        act = act.with_statements(former_members::record_former_member(engine, &after).await?);
    }
    for event in &events {
        act = acting.record(act, event)?;
    }
    Ok(act)
}

/// Checks a change of `active`, and returns whether the user is an owner.
async fn check_condition_change(
    engine: &Engine,
    acting: &OrganizationAccess,
    user: &ScimUserRow,
    condition: LifecycleCondition,
) -> Result<bool, Error> {
    let catalogue = roles::list_roles(engine.store(), acting.organization.id).await?;
    let member: MemberWithRoles =
        members::load_member_roles(engine, user.membership.clone(), &catalogue).await?;
    let carried = to_roles(&member.roles);
    let decided = match condition {
        LifecycleCondition::Enabled => {
            let counted: Vec<_> = member.roles.iter().collect();
            let counted = role_assignment::effective_roles(engine, acting, &counted).await?;
            check_provisioned_restore(acting.role_changer(), &counted)
        }
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            let others = members::count_other_owners(engine, &member, &catalogue).await?;
            check_membership_removal(acting.is_owner, &carried, others)
        }
    };
    decided.map_err(|why| roles_refused(&why))?;
    Ok(is_owner(&carried))
}

/// Reloads the organization, on which decisions about owners depend.
pub(super) async fn reload_organization(
    engine: &Engine,
    acting: &OrganizationAccess,
) -> Result<OrganizationAccess, Error> {
    let found =
        organizations::find_organization(engine.store(), acting.organization.id, acting.now()).await?;
    let acting = acting.with_organization(found.ok_or_else(|| not_found("the organization is gone"))?);
    acting.require_enabled()?;
    Ok(acting)
}

/// Checks that no other user has the same `userName` or `externalId`.
async fn require_unique_name(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
    own: Option<MembershipId>,
) -> Result<(), Error> {
    let (store, organization) = (engine.store(), acting.organization.id);
    let is_other = |user: &ScimUserRow| Some(user.membership.id) != own;
    let named =
        users::find_scim_user_by_name(store, organization, &normalize_user_name(&record.user_name)).await?;
    if named.as_ref().is_some_and(is_other) {
        return Err(uniqueness_conflict("another user has this userName").into());
    }
    if let Some(external_id) = &record.external_id {
        let known = users::find_scim_user_by_external_id(store, organization, external_id).await?;
        // A machine's membership may have the name too, but is not a user.
        if known.as_ref().is_some_and(is_other) {
            return Err(uniqueness_conflict("another user has this externalId").into());
        }
    }
    Ok(())
}

/// Checks that the manager is a user of the organization.
async fn require_manager(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
) -> Result<(), Error> {
    let Some(manager) = record.manager_id() else { return Ok(()) };
    let found = match manager.parse() {
        Ok(id) => users::find_scim_user(engine.store(), acting.organization.id, id).await?,
        Err(_) => None,
    };
    if found.is_some() {
        return Ok(());
    }
    let public = "the manager is no user of this organization";
    Err(Refusal::new(RefusalCode::InvalidValue, public, "no such manager").into())
}

pub(super) async fn find_user(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimUserRow, Error> {
    let found = users::find_scim_user(engine.store(), acting.organization.id, id).await?;
    found.ok_or_else(|| not_found("no such user").into())
}

/// Parses an id; an invalid one is answered as not found.
pub(super) fn parse_id(id: &str) -> Result<MembershipId, Refusal> {
    id.parse().map_err(|_| not_found("the id of a user is none"))
}

fn uniqueness_conflict(public: &'static str) -> Refusal {
    Refusal::new(RefusalCode::Uniqueness, public, "taken")
}
