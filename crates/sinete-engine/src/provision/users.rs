//! Users: made, shown, changed and removed by a directory.

use super::catalogue::{self, ProvisionedGroup, record, user_version};
use super::{PERMISSION, ScimError, ScimPrecondition, ScimReplacement, ScimResource, no_such_thing, settled};
use crate::acting::OrganizationAccess;
use crate::members::{self, MemberWithRoles, guard, no_such_role, plain, roles_refused};
use crate::{ATTEMPTS_MAX, Engine, Failure, former_members, granting};
use serde_json::Value;
use sinete_core::authority::catalogue::BuiltInRole;
use sinete_core::id::MembershipId;
use sinete_core::people::LifecycleCondition;
use sinete_core::people::membership::{is_owner, may_go};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::roles::{may_provision, may_provision_again};
use sinete_core::scim::user::{ScimUser, compared};
use sinete_core::scim::{ScimResourceType, incoming};
use sinete_core::security::event::{EventKind, SecurityEvent};
use sinete_store::memberships::{self, MembershipHolder, MembershipRow, NewMembership};
use sinete_store::provisioned_users::{self, ScimUserAttributes, ScimUserChange, ScimUserRow};
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch, organizations, roles};

/// Makes a user: a membership that belongs to nobody yet, with what everybody who belongs to the organization holds.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    settled(try_create(engine, acting, sent).await)
}

async fn try_create(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<ScimResource, ScimError> {
    acting.may_change(PERMISSION)?;
    let record = ScimUser::read(incoming::resource(ScimResourceType::User, sent)?)?;
    for _ in 0..ATTEMPTS_MAX {
        must_be_free(engine, acting, &record, None).await?;
        must_have_manager(engine, acting, &record).await?;
        let id = MembershipId::mint(acting.now(), engine.entropy());
        let act = making(engine, acting, &record, id).await?;
        match engine.store().commit(act).await? {
            Ok(_) => return try_show(engine, acting, id).await,
            Err(conflict) if organizations::was_not_held(&conflict) => {
                return Err(crate::acting::suspended().into());
            }
            Err(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Everything a new user consists of.
async fn making(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
    id: MembershipId,
) -> Result<WriteBatch, ScimError> {
    let (organization, now) = (acting.organization.id, acting.now());
    let catalogue = roles::of_organization(engine.store(), organization).await?;
    let is_base = |name: &str| name == BuiltInRole::Member.name();
    let base = catalogue.iter().find(|role| role.is_built_in && is_base(role.role.name()));
    let base = base.ok_or_else(no_such_role)?;
    may_provision(acting.changer(), &[], std::slice::from_ref(&base.role), 0)
        .map_err(|why| roles_refused(&why))?;
    let (profile, attributes) = (JsonDocument::of(&record.profile)?, JsonDocument::of(&record.rest)?);
    let place = NewMembership {
        id,
        organization,
        holder: &MembershipHolder::Nobody,
        profile: &profile,
        external_id: record.external_id.as_deref(),
        created_at: now,
    };
    let lookup = compared(&record.user_name);
    let said = ScimUserAttributes { user_name: &record.user_name, lookup: &lookup, attributes: &attributes };
    let event = acting
        .event(engine, EventKind::MembershipCreated)
        .about("membership", id)
        .with("provisioned", true)
        .with("roles", vec![base.role.name().to_owned()]);
    let act = WriteBatch::new()
        .with(organizations::hold(organization, now))
        .with(memberships::create(&place))
        .with_all(provisioned_users::note(id, organization, &said))
        .with(memberships::give_role(id, base.id, now));
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
    let off = acting.event(engine, EventKind::MembershipDisabled).about("membership", id);
    let act = act
        .with(memberships::change_condition(&fresh, LifecycleCondition::Suspended, now))
        .with_all(former_members::remember(engine, &fresh).await?);
    Ok(acting.record(act, &off)?)
}

/// One user.
pub async fn show(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    let id = match named(id) {
        Ok(id) => id,
        Err(refusal) => return Ok(Err(refusal)),
    };
    settled(try_show(engine, acting, id).await)
}

async fn try_show(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimResource, ScimError> {
    acting.may_look(PERMISSION)?;
    let user = find(engine, acting, id).await?;
    let groups = catalogue::groups(engine, acting.organization.id).await?;
    shown(engine, &user, &groups).await
}

/// A user with the groups it is in.
async fn shown(
    engine: &Engine,
    user: &ScimUserRow,
    groups: &[ProvisionedGroup],
) -> Result<ScimResource, ScimError> {
    let carried = memberships::roles_of(engine.store(), user.membership.id).await?;
    catalogue::user(engine, user, Some((groups, &carried)))
}

/// Ends the membership for good. What was known of it is not known any more, and its name is free.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
    seen: &ScimPrecondition,
) -> Result<Result<(), Refusal>, Failure> {
    settled(try_remove(engine, acting, id, seen).await)
}

async fn try_remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
    seen: &ScimPrecondition,
) -> Result<(), ScimError> {
    acting.may_change(PERMISSION)?;
    let id = named(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let acting = again_within(engine, acting).await?;
        let user = find(engine, &acting, id).await?;
        seen.must_be(&user_version(&user))?;
        let carried = turning(engine, &acting, &user, LifecycleCondition::Ended).await?;
        let event = acting.event(engine, EventKind::MembershipEnded).about("membership", id);
        let act = WriteBatch::new()
            .with_all(guard(&acting, carried))
            .with(memberships::change_condition(&user.membership, LifecycleCondition::Ended, acting.now()))
            .with(provisioned_users::forget(id))
            .with_all(former_members::remember(engine, &user.membership).await?);
        if engine.store().commit(acting.record(act, &event)?).await?.is_ok() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Makes of the user what it is becoming. Whether it counts stays as it is where nothing is said of it.
pub(super) async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: &str,
    seen: &ScimPrecondition,
    becoming: &ScimReplacement,
) -> Result<ScimResource, ScimError> {
    acting.may_change(PERMISSION)?;
    let id = named(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let acting = again_within(engine, acting).await?;
        let user = find(engine, &acting, id).await?;
        seen.must_be(&user_version(&user))?;
        let before = record(&user)?;
        let mut after = ScimUser::read(becoming.of(ScimResourceType::User, &before.resource())?)?;
        after.active = after.active.or(before.active);
        if before == after {
            return try_show(engine, &acting, id).await;
        }
        must_be_free(engine, &acting, &after, Some(id)).await?;
        if before.manager() != after.manager() {
            must_have_manager(engine, &acting, &after).await?;
        }
        let act = changing(engine, &acting, &user, (&before, &after)).await?;
        if engine.store().commit(act).await?.is_ok() {
            return try_show(engine, &acting, id).await;
        }
    }
    Err(Failure::Contended.into())
}

/// The act that makes a user another, with what is told about it.
async fn changing(
    engine: &Engine,
    acting: &OrganizationAccess,
    user: &ScimUserRow,
    (before, after): (&ScimUser, &ScimUser),
) -> Result<WriteBatch, ScimError> {
    let (id, now) = (user.membership.id, acting.now());
    let (profile, attributes) = (JsonDocument::of(&after.profile)?, JsonDocument::of(&after.rest)?);
    let (condition, turned) = match after.active {
        Some(false) => (LifecycleCondition::Suspended, EventKind::MembershipDisabled),
        Some(true) | None => (LifecycleCondition::Enabled, EventKind::MembershipEnabled),
    };
    let turns = condition != user.membership.condition;
    let owns = turns && turning(engine, acting, user, condition).await?;
    // By this name a place that waits is claimed, with the roles it carries: who gives it must be able to give those.
    let is_free = user.membership.holder == MembershipHolder::Nobody;
    if is_free && after.external_id.is_some() && before.external_id != after.external_id {
        turning(engine, acting, user, LifecycleCondition::Enabled).await?;
    }
    let changed = ScimUserChange { profile: &profile, external_id: after.external_id.as_deref(), condition };
    let lookup = compared(&after.user_name);
    let said = ScimUserAttributes { user_name: &after.user_name, lookup: &lookup, attributes: &attributes };
    let mut events: Vec<SecurityEvent> = Vec::new();
    let names = before.changed(after);
    if !names.is_empty() {
        let event = acting.event(engine, EventKind::MembershipChanged);
        events.push(event.about("membership", id).with("attributes", names));
    }
    if turns {
        events.push(acting.event(engine, turned).about("membership", id));
    }
    let steps: Vec<GuardedStatement> = guard(acting, owns);
    let mut act = WriteBatch::new()
        .with_all(steps)
        .with(provisioned_users::change(&user.membership, &changed, now))
        .with_all(provisioned_users::note(id, acting.organization.id, &said));
    if condition == LifecycleCondition::Suspended {
        let after =
            MembershipRow { profile, external_id: after.external_id.clone(), ..user.membership.clone() };
        act = act.with_all(former_members::remember(engine, &after).await?);
    }
    for event in &events {
        act = acting.record(act, event)?;
    }
    Ok(act)
}

/// Whether the user may come to be in this condition; the answer says whether it is an owner.
async fn turning(
    engine: &Engine,
    acting: &OrganizationAccess,
    user: &ScimUserRow,
    condition: LifecycleCondition,
) -> Result<bool, ScimError> {
    let catalogue = roles::of_organization(engine.store(), acting.organization.id).await?;
    let member: MemberWithRoles = members::with_roles(engine, user.membership.clone(), &catalogue).await?;
    let carried = plain(&member.roles);
    let decided = match condition {
        LifecycleCondition::Enabled => {
            let counted: Vec<_> = member.roles.iter().collect();
            let counted = granting::as_they_count(engine, acting, &counted).await?;
            may_provision_again(acting.changer(), &counted)
        }
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            let others = members::other_owners(engine, &member, &catalogue).await?;
            may_go(acting.is_owner, &carried, others)
        }
    };
    decided.map_err(|why| roles_refused(&why))?;
    Ok(is_owner(&carried))
}

/// The same, with the organization as it is now: what decides about owners stands on it.
pub(super) async fn again_within(
    engine: &Engine,
    acting: &OrganizationAccess,
) -> Result<OrganizationAccess, ScimError> {
    let found = organizations::find(engine.store(), acting.organization.id, acting.now()).await?;
    let acting = acting.with_organization(found.ok_or_else(|| no_such_thing("the organization is gone"))?);
    acting.must_be_enabled()?;
    Ok(acting)
}

/// Nobody else in the organization has the name or is known to the directory by the same.
async fn must_be_free(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
    own: Option<MembershipId>,
) -> Result<(), ScimError> {
    let (store, organization) = (engine.store(), acting.organization.id);
    let is_other = |user: &ScimUserRow| Some(user.membership.id) != own;
    let named = provisioned_users::by_name(store, organization, &compared(&record.user_name)).await?;
    if named.as_ref().is_some_and(is_other) {
        return Err(taken("another user has this userName").into());
    }
    if let Some(external_id) = &record.external_id {
        let known = provisioned_users::by_external_id(store, organization, external_id).await?;
        // A machine's membership may go by it too, and is no user.
        if known.as_ref().is_some_and(is_other) {
            return Err(taken("another user has this externalId").into());
        }
    }
    Ok(())
}

/// Whoever is named as the manager is a user of the organization.
async fn must_have_manager(
    engine: &Engine,
    acting: &OrganizationAccess,
    record: &ScimUser,
) -> Result<(), ScimError> {
    let Some(manager) = record.manager() else { return Ok(()) };
    let found = match manager.parse() {
        Ok(id) => provisioned_users::find(engine.store(), acting.organization.id, id).await?,
        Err(_) => None,
    };
    if found.is_some() {
        return Ok(());
    }
    let public = "the manager is no user of this organization";
    Err(Refusal::new(RefusalCode::InvalidValue, public, "no such manager").into())
}

pub(super) async fn find(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimUserRow, ScimError> {
    let found = provisioned_users::find(engine.store(), acting.organization.id, id).await?;
    found.ok_or_else(|| no_such_thing("no such user").into())
}

/// What is no id names nothing.
pub(super) fn named(id: &str) -> Result<MembershipId, Refusal> {
    id.parse().map_err(|_| no_such_thing("the id of a user is none"))
}

fn taken(public: &'static str) -> Refusal {
    Refusal::new(RefusalCode::Uniqueness, public, "taken")
}
