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
    access: &OrganizationAccess,
    body: &Value,
) -> Result<ScimResource, Error> {
    access.require_change_permission(PERMISSION)?;
    let registered = load_settings(access)?.extension_schemas;
    let resource = normalization::normalize_resource(ScimResourceType::User, body, &registered)?;
    let mut record = ScimUser::from_resource(resource)?;
    record.active = record.active.or(Some(true));
    for _ in 0..ATTEMPTS_MAX {
        require_unique_name(engine, access, &record, None).await?;
        let id = MembershipId::mint(access.now(), engine.entropy());
        let batch = prepare_creation(engine, access, &record, id).await?;
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return load_resource(engine, access, id).await,
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
    access: &OrganizationAccess,
    record: &ScimUser,
    id: MembershipId,
) -> Result<WriteBatch, Error> {
    let (organization, now) = (access.organization.id, access.now());
    let catalogue = roles::list_roles(engine.store(), organization).await?;
    let is_base = |name: &str| name == BuiltInRole::Member.name();
    let base = catalogue.iter().find(|role| role.is_built_in && is_base(role.role.name()));
    let base = base.ok_or_else(no_such_role)?;
    check_provisioned_roles(access.role_changer(), &[], std::slice::from_ref(&base.role), 0)
        .map_err(|rejection| roles_refused(&rejection))?;
    let (profile, attributes) =
        (JsonDocument::from_value(&record.profile)?, JsonDocument::from_value(&record.stored_attributes())?);
    let membership = NewMembership {
        id,
        organization,
        holder: &MembershipHolder::Unclaimed,
        profile: &profile,
        external_id: record.external_id.as_deref(),
        created_at: now,
    };
    let lookup = normalize_user_name(&record.user_name);
    let user_attributes =
        ScimUserAttributes { user_name: &record.user_name, lookup: &lookup, attributes: &attributes };
    let event = access
        .event(engine, EventKind::MembershipCreated)
        .with_subject("membership", id)
        .with_detail("provisioned", true)
        .with_detail("roles", vec![base.role.name().to_owned()]);
    let batch = WriteBatch::new()
        .with_statement(organizations::lock_organization_row(organization, now))
        .with_statement(memberships::create_membership(&membership))
        .with_statements(users::record_scim_user(id, organization, &user_attributes))
        .with_statement(memberships::add_role(id, base.id, now));
    let batch = access.record(batch, &event)?;
    if record.active != Some(false) {
        return Ok(batch);
    }
    let fresh = MembershipRow {
        id,
        organization,
        holder: MembershipHolder::Unclaimed,
        condition: LifecycleCondition::Enabled,
        profile,
        external_id: record.external_id.clone(),
        created_at: now,
        version: 1,
    };
    let off = access.event(engine, EventKind::MembershipDisabled).with_subject("membership", id);
    let batch = batch
        .with_statement(memberships::change_membership_condition(&fresh, LifecycleCondition::Suspended, now))
        .with_statements(former_members::record_former_member_identifiers(engine, &fresh).await?);
    Ok(access.record(batch, &off)?)
}

/// Shows a user.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: &str) -> Result<ScimResource, Error> {
    let id = parse_id(id)?;
    load_resource(engine, access, id).await
}

async fn load_resource(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimResource, Error> {
    access.require_read_permission(PERMISSION)?;
    let user = find_user(engine, access, id).await?;
    let groups = resources::list_groups(engine, access.organization.id).await?;
    let mut resource = load_user_resource(engine, &user, &groups).await?;
    let users = std::slice::from_ref(&user);
    organization_data::complete_users(engine, users, std::slice::from_mut(&mut resource)).await?;
    organization_data::link_managers(engine, access.organization.id, std::slice::from_mut(&mut resource))
        .await?;
    Ok(resource)
}

/// Loads a user with its groups.
async fn load_user_resource(
    engine: &Engine,
    user: &ScimUserRow,
    groups: &[ProvisionedGroup],
) -> Result<ScimResource, Error> {
    let role_ids = memberships::list_membership_roles(engine.store(), user.membership.id).await?;
    resources::to_user_resource(engine, user, Some((groups, &role_ids)))
}

/// Ends the membership permanently. Its SCIM data is deleted, and its `userName` becomes free.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    id: &str,
    precondition: &ScimPrecondition,
) -> Result<(), Error> {
    access.require_change_permission(PERMISSION)?;
    let id = parse_id(id)?;
    for _ in 0..ATTEMPTS_MAX {
        let access = reload_organization(engine, access).await?;
        let user = find_user(engine, &access, id).await?;
        precondition.require_version(&user_version(&user))?;
        let is_owner = check_condition_change(engine, &access, &user, LifecycleCondition::Ended).await?;
        let event = access.event(engine, EventKind::MembershipEnded).with_subject("membership", id);
        let batch = WriteBatch::new()
            .with_statements(ownership_guard(&access, is_owner))
            .with_statement(memberships::change_membership_condition(
                &user.membership,
                LifecycleCondition::Ended,
                access.now(),
            ))
            .with_statement(users::delete_scim_user(id))
            .with_statements(
                former_members::record_former_member_identifiers(engine, &user.membership).await?,
            );
        if engine.store().commit(access.record(batch, &event)?).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Reloads the organization, on which decisions about owners depend.
pub(super) async fn reload_organization(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<OrganizationAccess, Error> {
    let organization =
        organizations::find_organization(engine.store(), access.organization.id, access.now()).await?;
    let access = access.with_organization(organization.ok_or_else(|| not_found("the organization is gone"))?);
    access.require_enabled()?;
    Ok(access)
}

/// Checks that no other user has the same `userName` or `externalId`.
async fn require_unique_name(
    engine: &Engine,
    access: &OrganizationAccess,
    record: &ScimUser,
    membership: Option<MembershipId>,
) -> Result<(), Error> {
    let (store, organization) = (engine.store(), access.organization.id);
    let is_other = |user: &ScimUserRow| Some(user.membership.id) != membership;
    let user =
        users::find_scim_user_by_name(store, organization, &normalize_user_name(&record.user_name)).await?;
    if user.as_ref().is_some_and(is_other) {
        return Err(uniqueness_conflict(
            "Another user has this userName. Use that user, or choose another userName.",
        )
        .into());
    }
    if let Some(external_id) = &record.external_id {
        let scim_user = users::find_scim_user_by_external_id(store, organization, external_id).await?;
        // A machine's membership may have the name too, but is not a user.
        if scim_user.as_ref().is_some_and(is_other) {
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
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<ScimUserRow, Error> {
    let user = users::find_scim_user(engine.store(), access.organization.id, id).await?;
    user.ok_or_else(|| not_found("no such user").into())
}

/// Parses an id; an invalid one is answered as not found.
pub(super) fn parse_id(id: &str) -> Result<MembershipId, Refusal> {
    id.parse().map_err(|_| not_found("the id of a user is malformed"))
}

fn uniqueness_conflict(text: &'static str) -> Refusal {
    Refusal::because(ScimRefusal::NotUnique(text), "taken")
}
