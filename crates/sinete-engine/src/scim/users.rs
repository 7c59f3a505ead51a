//! Users: created, shown, changed and removed by a directory.

mod change;

pub(super) use change::change;

use super::organization_data;
use super::resources;
use super::resources::{ProvisionedGroup, user_version};
use super::{PERMISSION, ScimPrecondition, ScimResource, load_settings, not_found};
use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::former_members;
use crate::organizations::members::{no_such_role, ownership_guard, roles_refused};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use change::check_condition_change;
use serde_json::Value;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::MembershipId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::group_members::check_provisioned_roles;
use sinete_core::scim::users::{ScimUser, normalize_user_name};
use sinete_core::scim::{ScimResourceType, normalization};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::scim::users;
use sinete_store::scim::users::{ScimUserAttributes, ScimUserRow};
use sinete_store::{BatchOutcome, JsonDocument, WriteBatch, organizations};

/// Creates a user: a membership without an account, with the member role.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<ScimResource, Error> {
    acting.require_change_permission(PERMISSION)?;
    let registered = load_settings(acting)?.extension_schemas;
    let sent = normalization::normalize_resource(ScimResourceType::User, sent, &registered)?;
    let mut record = ScimUser::from_resource(sent)?;
    record.active = record.active.or(Some(true));
    for _ in 0..ATTEMPTS_MAX {
        require_unique_name(engine, acting, &record, None).await?;
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
        (JsonDocument::from_value(&record.profile)?, JsonDocument::from_value(&record.stored_attributes())?);
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
    let mut shown = load_user_resource(engine, &user, &groups).await?;
    let users = std::slice::from_ref(&user);
    organization_data::complete_users(engine, users, std::slice::from_mut(&mut shown)).await?;
    organization_data::link_managers(engine, acting.organization.id, std::slice::from_mut(&mut shown))
        .await?;
    Ok(shown)
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
        return Err(uniqueness_conflict(
            "Another user has this userName. Use that user, or choose another userName.",
        )
        .into());
    }
    if let Some(external_id) = &record.external_id {
        let known = users::find_scim_user_by_external_id(store, organization, external_id).await?;
        // A machine's membership may have the name too, but is not a user.
        if known.as_ref().is_some_and(is_other) {
            return Err(uniqueness_conflict(
                "Another user has this externalId. Use that user, or choose another externalId.",
            )
            .into());
        }
    }
    Ok(())
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
    id.parse().map_err(|_| not_found("the id of a user is malformed"))
}

fn uniqueness_conflict(text: &'static str) -> Refusal {
    Refusal::because(ScimRefusal::NotUnique(text), "taken")
}
