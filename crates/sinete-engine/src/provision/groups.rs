//! Groups: roles of the organization, made, shown, filled and removed by a directory.
//!
//! A directory fills any role, as far as whoever provisions holds what the role confers. It renames and removes only
//! what a directory made, and says of none what it confers (docs/decisions/0141-scim-groups-are-roles.md).

mod membership;

use super::catalogue::{self, ProvisionedGroup, group_version};
use super::users::again_within;
use super::{PERMISSION, ScimError, ScimPrecondition, ScimReplacement, ScimResource, no_such_thing, settled};
use crate::acting::OrganizationAccess;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use membership::{GroupDifference, filling};
use serde_json::{Map, Value, json};
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::group::{ScimGroup, compared, empty_role, role_name};
use sinete_core::scim::{ScimResourceType, incoming};
use sinete_core::security::event::EventKind;
use sinete_store::provisioned_groups::{self, ScimGroupRow};
use sinete_store::roles::RoleRow;
use sinete_store::{WriteBatch, organizations, roles};
use std::collections::HashSet;

/// Makes a group: a role that confers nothing until somebody says what.
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
    let record = ScimGroup::read(&incoming::resource(ScimResourceType::Group, sent)?)?;
    for _ in 0..ATTEMPTS_MAX {
        let acting = again_within(engine, acting).await?;
        let groups = catalogue::groups(engine, acting.organization.id).await?;
        must_be_free(&groups, &record, None)?;
        let id = RoleId::mint(acting.now(), engine.entropy());
        let act = making(engine, &acting, (&groups, &record), id).await?;
        match engine.store().commit(act).await? {
            Ok(_) => return try_show(engine, &acting, id).await,
            Err(conflict) if organizations::was_not_held(&conflict) => {
                return Err(crate::acting::suspended().into());
            }
            Err(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Everything a new group consists of.
async fn making(
    engine: &Engine,
    acting: &OrganizationAccess,
    (groups, record): (&[ProvisionedGroup], &ScimGroup),
    id: RoleId,
) -> Result<WriteBatch, ScimError> {
    let (organization, now) = (acting.organization.id, acting.now());
    let taken: Vec<&str> = groups.iter().map(|group| group.stored.role.name()).collect();
    let role = empty_role(&role_name(&record.display_name, &taken))?;
    let known = ScimGroupRow {
        role: id,
        created_at: now,
        display_name: Some(record.display_name.clone()),
        external_id: record.external_id.clone(),
        is_made: true,
    };
    let event = acting.event(engine, EventKind::RoleCreated).about("role", id);
    let event = event.with("name", role.name()).with("permissions", Vec::<String>::new());
    let act = WriteBatch::new()
        .with(organizations::hold(organization, now))
        .with(roles::create(id, organization, &role, &record.display_name, now))
        .with_all(provisioned_groups::note(&known, organization));
    let act = acting.record(act, &event.with("provisioned", true))?;
    let stored = RoleRow { id, role, description: String::new(), is_built_in: false, version: 1 };
    let group = ProvisionedGroup { stored, known };
    let difference = GroupDifference { added: record.members.clone(), dropped: Vec::new() };
    filling(engine, acting, &group, &difference, act).await
}

/// One group.
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
    id: RoleId,
) -> Result<ScimResource, ScimError> {
    acting.may_look(PERMISSION)?;
    let (group, bearers) = find(engine, acting, id).await?;
    Ok(catalogue::group(engine, &group, Some(&bearers)))
}

/// Makes of the group what it is becoming, as a whole.
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
        let (group, bearers) = find(engine, &acting, id).await?;
        seen.must_be(&group_version(&group, &bearers))?;
        let before = plain(&group, &bearers);
        let after = ScimGroup::read(&becoming.of(ScimResourceType::Group, &before)?)?;
        let before = ScimGroup::read(&before)?;
        if before == after {
            return try_show(engine, &acting, id).await;
        }
        let act = changing(engine, &acting, &group, (&before, &after)).await?;
        if engine.store().commit(act).await?.is_ok() {
            return try_show(engine, &acting, id).await;
        }
    }
    Err(Failure::Contended.into())
}

/// The act that makes a group another, with what is told about it.
async fn changing(
    engine: &Engine,
    acting: &OrganizationAccess,
    group: &ProvisionedGroup,
    (before, after): (&ScimGroup, &ScimGroup),
) -> Result<WriteBatch, ScimError> {
    let (organization, now) = (acting.organization.id, acting.now());
    let is_renamed = before.display_name != after.display_name;
    if is_renamed && !group.known.is_made {
        let public = "this role was not made by a directory, and keeps its name";
        return Err(Refusal::new(RefusalCode::Mutability, public, "a role of people's own").into());
    }
    let groups = catalogue::groups(engine, organization).await?;
    must_be_free(&groups, after, Some(group.stored.id))?;
    let mut act = WriteBatch::new();
    let counted = provisioned_groups::advance(group.stored.id, group.stored.version, organization, now);
    act = act.with(counted);
    if is_renamed || before.external_id != after.external_id {
        let display_name = if is_renamed { Some(after.display_name.clone()) } else { None };
        let known = ScimGroupRow {
            display_name: display_name.or_else(|| group.known.display_name.clone()),
            external_id: after.external_id.clone(),
            ..group.known.clone()
        };
        let event = acting.event(engine, EventKind::RoleChanged).about("role", group.stored.id);
        let event = event.with("name", group.stored.role.name()).with("provisioned", true);
        act = acting.record(act.with_all(provisioned_groups::note(&known, organization)), &event)?;
    }
    let (were, are): (HashSet<_>, HashSet<_>) =
        (before.members.iter().collect(), after.members.iter().collect());
    let difference = GroupDifference {
        added: after.members.iter().filter(|id| !were.contains(id)).cloned().collect(),
        dropped: before.members.iter().filter(|id| !are.contains(id)).cloned().collect(),
    };
    filling(engine, acting, group, &difference, act).await
}

/// Removes a group that a directory made. Whoever was in it is not any more.
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
        let (group, bearers) = find(engine, &acting, id).await?;
        seen.must_be(&group_version(&group, &bearers))?;
        if !group.known.is_made {
            let public = "this role was not made by a directory, and is removed by people";
            return Err(Refusal::new(RefusalCode::Mutability, public, "a role of people's own").into());
        }
        let event = acting.event(engine, EventKind::RoleRemoved).about("role", id);
        let event = event.with("name", group.stored.role.name()).with("provisioned", true);
        let act = WriteBatch::new().with(roles::remove(&group.stored, acting.organization.id, acting.now()));
        if engine.store().commit(acting.record(act, &event)?).await?.is_ok() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// What a directory may change of a group, as it stands.
fn plain(group: &ProvisionedGroup, bearers: &[MembershipId]) -> Map<String, Value> {
    let members: Vec<Value> = bearers.iter().map(|bearer| json!({"value": bearer.to_string()})).collect();
    let mut resource = Map::new();
    resource.insert("displayName".to_owned(), group.called().into());
    resource.extend(group.known.external_id.as_deref().map(|it| ("externalId".to_owned(), it.into())));
    if !members.is_empty() {
        resource.insert("members".to_owned(), members.into());
    }
    resource
}

/// No other group is called the same, or known to the directory by the same.
fn must_be_free(groups: &[ProvisionedGroup], record: &ScimGroup, own: Option<RoleId>) -> Result<(), Refusal> {
    let mut others = groups.iter().filter(|group| Some(group.stored.id) != own);
    let called = compared(&record.display_name);
    let clash = others.find_map(|group| {
        if compared(group.called()) == called {
            return Some("another group is called this");
        }
        let is_same = group.known.external_id.is_some() && group.known.external_id == record.external_id;
        is_same.then_some("another group has this externalId")
    });
    clash.map_or(Ok(()), |public| Err(Refusal::new(RefusalCode::Uniqueness, public, "taken")))
}

async fn find(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
) -> Result<(ProvisionedGroup, Vec<MembershipId>), ScimError> {
    let groups = catalogue::groups(engine, acting.organization.id).await?;
    let group = groups.into_iter().find(|group| group.stored.id == id);
    let group = group.ok_or_else(|| no_such_thing("no such group"))?;
    let bearers = provisioned_groups::bearers(engine.store(), id).await?;
    Ok((group, bearers))
}

/// What is no id names nothing.
fn named(id: &str) -> Result<RoleId, Refusal> {
    id.parse().map_err(|_| no_such_thing("the id of a group is none"))
}
