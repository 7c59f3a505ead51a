//! The API catalog: APIs of the instance, offered to all or some organizations, and APIs of single
//! organizations.
//!
//! A resource name must be unambiguous for every organization. This rule spans all APIs, so each change that
//! could violate it locks the instance and is guarded by exactly this rule: of two concurrent requests that
//! define the same name, one starts again and is refused; unrelated requests both succeed
//! (docs/contribute/decisions/0241-management-api-409-only-for-conflicts.md).

mod identifier;

use crate::access_control::admin_scope::{AdminScope, ScopedPermission};
use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access;
use crate::organizations::precondition_failed;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{
    MANAGE_APIS, OPERATE_INSTANCE, READ_APIS, READ_INSTANCE,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{ApiId, OrganizationId};
use sinete_core::organizations::api_catalog::ApiDefinition;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::authzen::model;
use sinete_store::organizations::api_catalog;
use sinete_store::organizations::api_catalog::ApiOwnership;
use sinete_store::platform::instance;
use sinete_store::{BatchOutcome, GuardConflict, GuardedStatement, WriteBatch, organizations};

pub use sinete_store::organizations::api_catalog::ApiRow;

const READ_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: READ_APIS, over_instance: READ_INSTANCE };
const MANAGE_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: MANAGE_APIS, over_instance: OPERATE_INSTANCE };

/// An API to add.
#[derive(Clone, Debug)]
pub struct NewApi {
    /// The id, if chosen.
    pub id: Option<ApiId>,
    /// Whether every organization may use it; ignored for an organization's own API.
    pub is_offered_to_all: bool,
    /// The definition.
    pub definition: ApiDefinition,
}

/// A change of an API.
#[derive(Clone, Debug)]
pub struct ApiChange {
    /// Whether every organization may use it; `None` leaves it unchanged.
    pub is_offered_to_all: Option<bool>,
    /// The new definition.
    pub definition: ApiDefinition,
}

/// Lists APIs, oldest first: those the organization may use, or all.
pub async fn list(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    after: Option<ApiId>,
    limit: u32,
) -> Result<Vec<ApiRow>, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "apis").await?;
    let apis = match admin_scope.owning_organization() {
        Some(organization) => {
            api_catalog::list_offered_apis(engine.store(), organization, after, limit).await?
        }
        None => api_catalog::list_apis(engine.store(), after, limit).await?,
    };
    Ok(apis)
}

/// Shows an API, if it is visible to the caller.
pub async fn show(engine: &Engine, admin_scope: AdminScope<'_>, id: ApiId) -> Result<ApiRow, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "apis").await?;
    find(engine, admin_scope, id).await
}

/// Adds an API.
pub async fn create(engine: &Engine, admin_scope: AdminScope<'_>, api: &NewApi) -> Result<ApiRow, Error> {
    admin_scope
        .require_change_permission(MANAGE_PERMISSION)
        .and_then(|()| check_definition(&api.definition))?;
    identifier::require_identifier_ownership(engine, admin_scope, &api.definition.identifier).await?;
    let organization = admin_scope.owning_organization();
    let is_offered_to_all = organization.is_none() && api.is_offered_to_all;
    let belonging = ApiOwnership { organization, is_offered_to_all };
    let id = api.id.unwrap_or_else(|| ApiId::mint(admin_scope.now(), engine.entropy()));
    for _ in 0..ATTEMPTS_MAX {
        check_unique_resources(engine, id, belonging, &api.definition).await?;
        let steps = api_catalog::create_api(id, belonging, &api.definition, admin_scope.now())?;
        let event = admin_scope
            .event(engine, EventKind::ApiCreated)
            .with_subject("api", id)
            .with_detail("identifier", api.definition.identifier.as_str());
        let batch = with_unique_resource_guard(admin_scope, id, belonging, &api.definition, steps);
        let batch = admin_scope.record(batch, &event)?;
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return find(engine, admin_scope, id).await,
            BatchOutcome::Conflict(conflict) if api_catalog::is_resource_name_conflict(&conflict) => {}
            BatchOutcome::Conflict(conflict) => {
                return Err(conflict_refusal(&conflict, identifier_taken).into());
            }
        }
    }
    Err(Failure::Contended.into())
}

/// Changes an API, if the version matches. Roles no longer grant permissions that it removed.
pub async fn change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: ApiId,
    expected_version: i64,
    changed: &ApiChange,
) -> Result<ApiRow, Error> {
    admin_scope
        .require_change_permission(MANAGE_PERMISSION)
        .and_then(|()| check_definition(&changed.definition))?;
    for _ in 0..ATTEMPTS_MAX {
        let before = find_changeable(engine, admin_scope, id, expected_version).await?;
        let api_identifier = &changed.definition.identifier;
        if *api_identifier != before.definition.identifier {
            identifier::require_identifier_ownership(engine, admin_scope, api_identifier).await?;
        }
        let is_offered_to_all =
            before.organization.is_none() && changed.is_offered_to_all.unwrap_or(before.is_offered_to_all);
        let belonging = ApiOwnership { organization: before.organization, is_offered_to_all };
        check_unique_resources(engine, id, belonging, &changed.definition).await?;
        check_relationships_fit(engine, &before, &changed.definition).await?;
        let steps = api_catalog::change_api(&before, is_offered_to_all, &changed.definition)?;
        let event = admin_scope
            .event(engine, EventKind::ApiChanged)
            .with_subject("api", id)
            .with_detail("identifier", changed.definition.identifier.as_str());
        let batch = with_unique_resource_guard(admin_scope, id, belonging, &changed.definition, steps);
        let batch = admin_scope.record(batch, &event)?;
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return find(engine, admin_scope, id).await,
            BatchOutcome::Conflict(conflict)
                if api_catalog::is_resource_name_conflict(&conflict)
                    || model::is_model_conflict(&conflict) => {}
            BatchOutcome::Conflict(conflict) => {
                return Err(conflict_refusal(&conflict, precondition_failed).into());
            }
        }
    }
    Err(Failure::Contended.into())
}

/// Removes an API permanently, with all its permissions.
pub async fn remove(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: ApiId,
    expected_version: i64,
) -> Result<(), Error> {
    let api = find_changeable(engine, admin_scope, id, expected_version).await?;
    let event = admin_scope
        .event(engine, EventKind::ApiRemoved)
        .with_subject("api", id)
        .with_detail("identifier", api.definition.identifier.as_str());
    let batch = admin_scope
        .guarded_batch()
        .with_statement(api_catalog::change_api_condition(&api, LifecycleCondition::Ended));
    let committed = engine.store().commit(admin_scope.record(batch, &event)?).await?;
    committed.into_result().map_err(|conflict| conflict_refusal(&conflict, precondition_failed))?;
    Ok(())
}

/// Lists the organizations that an API of the instance is offered to individually.
pub async fn list_offers(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: ApiId,
) -> Result<Vec<OrganizationId>, Error> {
    instance_admin.require_permission(READ_PERMISSION.over_instance)?;
    match api_catalog::find_api(engine.store(), id).await?.filter(|api| api.organization.is_none()) {
        Some(api) => Ok(api_catalog::list_api_offers(engine.store(), api.id).await?),
        None => Err(no_such_api().into()),
    }
}

/// Offers an API of the instance to an organization, by id or slug.
pub async fn offer_to_organization(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: ApiId,
    organization: &str,
) -> Result<(), Error> {
    change_offer(engine, instance_admin, id, organization, true).await
}

/// Withdraws an offer. Roles of the organization no longer grant permissions of the API.
pub async fn withdraw_offer(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: ApiId,
    organization: &str,
) -> Result<(), Error> {
    change_offer(engine, instance_admin, id, organization, false).await
}

async fn change_offer(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: ApiId,
    organization: &str,
    is_offered: bool,
) -> Result<(), Error> {
    instance_admin.require_permission(MANAGE_PERMISSION.over_instance)?;
    let now = instance_admin.now();
    let organization_row = organization_access::find_organization(engine, organization, now).await?;
    let Some(organization) = organization_row.filter(|it| it.condition != LifecycleCondition::Ended) else {
        return Err(organization_access::no_such_organization().into());
    };
    let api = api_catalog::find_api(engine.store(), id).await?.filter(|api| api.organization.is_none());
    let Some(api) = api else { return Err(no_such_api().into()) };
    if api_catalog::list_api_offers(engine.store(), api.id).await?.contains(&organization.id) == is_offered {
        return Ok(());
    }
    let step = match is_offered {
        true => api_catalog::offer_api(api.id, organization.id),
        false => api_catalog::withdraw_api_offer(api.id, organization.id),
    };
    let event = instance_admin
        .event(engine, EventKind::ApiChanged, organization.id)
        .with_subject("api", api.id)
        .with_detail("identifier", api.definition.identifier.as_str())
        .with_detail("offered", is_offered);
    let batch = WriteBatch::new()
        .with_statement(organizations::lock_organization_row(organization.id, now))
        .with_statement(step);
    let committed = engine.store().commit(instance_admin.record(batch, &event, "")?).await?;
    committed.into_result().map_err(|conflict| conflict_refusal(&conflict, precondition_failed))?;
    Ok(())
}

/// Finds an API, if it is visible to the caller.
pub(crate) async fn find(engine: &Engine, admin_scope: AdminScope<'_>, id: ApiId) -> Result<ApiRow, Error> {
    let Some(api) = api_catalog::find_api(engine.store(), id).await? else {
        return Err(no_such_api().into());
    };
    let can_be_met = match (admin_scope.owning_organization(), api.organization) {
        (None, _) => true,
        (Some(organization), Some(owner)) => organization == owner,
        (Some(organization), None) => {
            api.is_offered_to_all
                || api_catalog::list_api_offers(engine.store(), id).await?.contains(&organization)
        }
    };
    if can_be_met { Ok(api) } else { Err(no_such_api().into()) }
}

/// Finds an API for a change, if the caller may change it and the version matches.
pub async fn find_changeable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: ApiId,
    expected_version: i64,
) -> Result<ApiRow, Error> {
    admin_scope.require_change_permission(MANAGE_PERMISSION)?;
    match find(engine, admin_scope, id).await? {
        api if api.organization != admin_scope.owning_organization() => Err(not_owned().into()),
        api if api.version != expected_version => Err(precondition_failed().into()),
        api => Ok(api),
    }
}

/// Adds the guard that each resource name is unambiguous.
fn with_unique_resource_guard(
    admin_scope: AdminScope<'_>,
    id: ApiId,
    belonging: ApiOwnership,
    definition: &ApiDefinition,
    steps: Vec<GuardedStatement>,
) -> WriteBatch {
    WriteBatch::new()
        .with_statement(instance::lock_instance_row())
        .with_statements(admin_scope.organization_guard())
        .with_statements(api_catalog::guard_resource_names(id, belonging, definition.resources()))
        .with_statements(steps)
}

fn check_definition(definition: &ApiDefinition) -> Result<(), Refusal> {
    let errors = definition.validate();
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors)) }
}

/// Checks that every resource name of the definition is unambiguous.
async fn check_unique_resources(
    engine: &Engine,
    id: ApiId,
    belonging: ApiOwnership,
    definition: &ApiDefinition,
) -> Result<(), Error> {
    let taken_resources =
        api_catalog::find_conflicting_apis(engine.store(), id, belonging, &definition.resources()).await?;
    let mut errors = ValidationErrors::default();
    for (index, text) in definition.permissions.iter().enumerate() {
        if taken_resources.iter().any(|resource| resource == text.permission.resource()) {
            errors.add(
                format!("/permissions/{index}/permission"),
                "another API that is offered to the organization defines this resource name; choose another",
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors).into()) }
}

/// Checks that all existing relationships match the new model. None are removed to make them match.
async fn check_relationships_fit(
    engine: &Engine,
    before: &ApiRow,
    after: &ApiDefinition,
) -> Result<(), Error> {
    let mut errors = ValidationErrors::default();
    for fit in model::find_dropped_relationships(&before.definition.object_types, &after.object_types) {
        if model::has_dropped_relationship(engine.store(), before.id, &fit).await? {
            errors.add(
                format!("/object_types/{}/relations/{}", fit.object_type, fit.relation),
                format!("relationships of {} use this relation; remove them first", fit.subject_type),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors).into()) }
}

/// Converts a guard conflict to a refusal.
fn conflict_refusal(conflict: &GuardConflict, otherwise: fn() -> Refusal) -> Refusal {
    if organizations::is_lock_conflict(conflict) {
        organization_access::organization_suspended()
    } else {
        otherwise()
    }
}

pub(crate) fn no_such_api() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such API")
}

pub(crate) fn not_owned() -> Refusal {
    Refusal::because(OrganizationRefusal::ApiOfAnotherOrganization, "not the manager's own API")
}

fn identifier_taken() -> Refusal {
    Refusal::because(OrganizationRefusal::ApiIdentifierTaken, "the identifier is taken")
}
