//! Groups: roles of the organization, created, shown, changed and removed by a directory.
//!
//! A directory can add members to any role whose permissions the SCIM client holds. It can rename and remove
//! only roles created by a directory, and never sets permissions
//! (docs/contribute/decisions/0141-scim-groups-are-roles.md).

mod group_members;

use super::resources;
use super::resources::{ProvisionedGroup, group_version};
use super::users::reload_organization;
use super::{
    PERMISSION, ScimPrecondition, ScimReplacement, ScimResource, ignored_attributes_event, load_settings,
    not_found,
};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use group_members::{GroupDifference, prepare_member_changes};
use serde_json::{Map, Value, json};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::organizations::scim_settings::ScimExtensionSchemas;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::groups::{ScimGroup, create_empty_role, derive_role_name, normalize_display_name};
use sinete_core::scim::{ScimResourceType, normalization};
use sinete_store::organizations::roles;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::scim::groups;
use sinete_store::scim::groups::ScimGroupRow;
use sinete_store::{BatchOutcome, WriteBatch, organizations};
use std::collections::HashSet;

/// Creates a group: a role without permissions.
pub async fn create(
    engine: &Engine,
    access: &OrganizationAccess,
    body: &Value,
) -> Result<ScimResource, Error> {
    access.require_change_permission(PERMISSION)?;
    let record = ScimGroup::from_resource(&normalization::normalize_resource(
        ScimResourceType::Group,
        body,
        &ScimExtensionSchemas::default(),
    )?)?;
    for _ in 0..ATTEMPTS_MAX {
        let access = reload_organization(engine, access).await?;
        let groups = resources::list_groups(engine, access.organization.id).await?;
        require_unique_name(&groups, &record, None)?;
        let id = RoleId::mint(access.now(), engine.entropy());
        let batch = prepare_creation(engine, &access, &groups, &record, id).await?;
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return load_resource(engine, &access, id).await,
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(crate::access_control::organization_access::organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Prepares the write batch of a new group.
async fn prepare_creation(
    engine: &Engine,
    access: &OrganizationAccess,
    groups: &[ProvisionedGroup],
    record: &ScimGroup,
    id: RoleId,
) -> Result<WriteBatch, Error> {
    let (organization, now) = (access.organization.id, access.now());
    let taken_names: Vec<&str> = groups.iter().map(|group| group.role.role.name()).collect();
    let role = create_empty_role(&derive_role_name(&record.display_name, &taken_names))?;
    let scim_group = ScimGroupRow {
        role: id,
        created_at: now,
        display_name: Some(record.display_name.clone()),
        external_id: record.external_id.clone(),
        is_created_by_scim: true,
    };
    let event = access.event(engine, EventKind::RoleCreated).with_subject("role", id);
    let event = event.with_detail("name", role.name()).with_detail("permissions", Vec::<String>::new());
    let batch = WriteBatch::new()
        .with_statement(organizations::lock_organization_row(organization, now))
        .with_statement(roles::create_role(id, organization, &role, &record.display_name, now))
        .with_statements(groups::record_scim_group(&scim_group, organization));
    let batch = access.record(batch, &event.with_detail("provisioned", true))?;
    let stored = RoleRow { id, role, description: String::new(), is_built_in: false, version: 1 };
    let group = ProvisionedGroup { role: stored, scim_group };
    let difference = GroupDifference { added: record.members.clone(), removed: Vec::new() };
    prepare_member_changes(engine, access, &group, &difference, batch).await
}

/// Shows a group.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: &str) -> Result<ScimResource, Error> {
    let id = parse_id(id)?;
    load_resource(engine, access, id).await
}

async fn load_resource(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
) -> Result<ScimResource, Error> {
    access.require_read_permission(PERMISSION)?;
    let (group, bearers) = find(engine, access, id).await?;
    Ok(resources::to_group_resource(engine, &group, Some(&bearers)))
}

/// Applies a change to a group.
pub(super) async fn change(
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
        let (group, bearers) = find(engine, &access, id).await?;
        precondition.require_version(&group_version(&group, &bearers))?;
        let before = to_writable_attributes(&group, &bearers);
        let settings = load_settings(&access)?;
        let patched = becoming.apply_to(ScimResourceType::Group, &before, &settings)?;
        let ignored = ignored_attributes_event(engine, &access, &settings, patched.ignored)
            .map(|event| event.with_subject("role", id));
        let after = ScimGroup::from_resource(&patched.resource)?;
        let before = ScimGroup::from_resource(&before)?;
        let mut batch = WriteBatch::new();
        if before != after {
            batch = prepare_change(engine, &access, &group, &before, &after).await?;
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
    group: &ProvisionedGroup,
    before: &ScimGroup,
    after: &ScimGroup,
) -> Result<WriteBatch, Error> {
    let (organization, now) = (access.organization.id, access.now());
    let is_renamed = before.display_name != after.display_name;
    if is_renamed && !group.scim_group.is_created_by_scim {
        return Err(
            Refusal::because(ScimRefusal::RoleNotProvisioned, "the role was not created by SCIM").into()
        );
    }
    let groups = resources::list_groups(engine, organization).await?;
    require_unique_name(&groups, after, Some(group.role.id))?;
    let mut batch = WriteBatch::new();
    let statement = groups::advance_group_version(group.role.id, group.role.version, organization, now);
    batch = batch.with_statement(statement);
    if is_renamed || before.external_id != after.external_id {
        let display_name = if is_renamed { Some(after.display_name.clone()) } else { None };
        let scim_group = ScimGroupRow {
            display_name: display_name.or_else(|| group.scim_group.display_name.clone()),
            external_id: after.external_id.clone(),
            ..group.scim_group.clone()
        };
        let event = access.event(engine, EventKind::RoleChanged).with_subject("role", group.role.id);
        let event = event.with_detail("name", group.role.role.name()).with_detail("provisioned", true);
        batch = access
            .record(batch.with_statements(groups::record_scim_group(&scim_group, organization)), &event)?;
    }
    let (were, are): (HashSet<_>, HashSet<_>) =
        (before.members.iter().collect(), after.members.iter().collect());
    let difference = GroupDifference {
        added: after.members.iter().filter(|id| !were.contains(id)).cloned().collect(),
        removed: before.members.iter().filter(|id| !are.contains(id)).cloned().collect(),
    };
    prepare_member_changes(engine, access, group, &difference, batch).await
}

/// Removes a group created by a directory, and its members from it.
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
        let (group, bearers) = find(engine, &access, id).await?;
        precondition.require_version(&group_version(&group, &bearers))?;
        if !group.scim_group.is_created_by_scim {
            return Err(Refusal::because(
                ScimRefusal::RoleNotProvisioned,
                "the role was not created by SCIM",
            )
            .into());
        }
        let event = access.event(engine, EventKind::RoleRemoved).with_subject("role", id);
        let event = event.with_detail("name", group.role.role.name()).with_detail("provisioned", true);
        let batch = WriteBatch::new().with_statement(roles::remove_role(
            &group.role,
            access.organization.id,
            access.now(),
        ));
        if engine.store().commit(access.record(batch, &event)?).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// The writable attributes of a group.
fn to_writable_attributes(group: &ProvisionedGroup, bearers: &[MembershipId]) -> Map<String, Value> {
    let members: Vec<Value> = bearers.iter().map(|bearer| json!({"value": bearer.to_string()})).collect();
    let mut resource = Map::new();
    resource.insert("displayName".to_owned(), group.display_name().into());
    resource.extend(group.scim_group.external_id.as_deref().map(|it| ("externalId".to_owned(), it.into())));
    if !members.is_empty() {
        resource.insert("members".to_owned(), members.into());
    }
    resource
}

/// Checks that no other group has the same name or `externalId`.
fn require_unique_name(
    groups: &[ProvisionedGroup],
    record: &ScimGroup,
    role_id: Option<RoleId>,
) -> Result<(), Refusal> {
    let mut others = groups.iter().filter(|group| Some(group.role.id) != role_id);
    let called = normalize_display_name(&record.display_name);
    let clash = others.find_map(|group| {
        if normalize_display_name(group.display_name()) == called {
            return Some(
                "Another group has this displayName. Use that group, or choose another displayName.",
            );
        }
        let is_same =
            group.scim_group.external_id.is_some() && group.scim_group.external_id == record.external_id;
        is_same.then_some("Another group has this externalId. Use that group, or choose another externalId.")
    });
    clash.map_or(Ok(()), |text| Err(Refusal::because(ScimRefusal::NotUnique(text), "taken")))
}

async fn find(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
) -> Result<(ProvisionedGroup, Vec<MembershipId>), Error> {
    let groups = resources::list_groups(engine, access.organization.id).await?;
    let group = groups.into_iter().find(|group| group.role.id == id);
    let group = group.ok_or_else(|| not_found("no such group"))?;
    let bearers = groups::list_group_members(engine.store(), id).await?;
    Ok((group, bearers))
}

/// Parses an id; an invalid one is answered as not found.
fn parse_id(id: &str) -> Result<RoleId, Refusal> {
    id.parse().map_err(|_| not_found("the id of a group is malformed"))
}
