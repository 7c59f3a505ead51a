//! Relationships at an API in an organization: managed by the owner of the API, and visible to the
//! organization.
//!
//! A request applies all its changes or none, and can state preconditions. Changes of the same organization
//! at the same API are serialized.

mod reader;

pub use crate::authzen::orphaned_relationships::{CleanupPosition, remove_orphaned_relationships};
pub use reader::{RelationshipInput, SubjectInput};

use crate::access_control::admin_scope::{AdminScope, ScopedPermission};
use crate::access_control::organization_access;
use crate::organizations::api_catalog as own_apis;
use crate::organizations::api_catalog::{no_such_api, not_owned};
use crate::organizations::precondition_failed;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use reader::RelationshipReader;
use sinete_core::access_control::built_in_permissions::{
    READ_APIS, READ_INSTANCE, RELATE_APIS, RELATE_INSTANCE,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::relationships::Relationship;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{ApiId, OrganizationId, RelationshipId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::authzen::AuthZenRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::authzen::model;
use sinete_store::authzen::relationships;
use sinete_store::authzen::relationships::{RelationshipFilter, RelationshipScope};
use sinete_store::organizations::api_catalog;
use sinete_store::organizations::api_catalog::ApiRow;
use sinete_store::{BatchOutcome, GuardConflict, GuardedStatement, WriteBatch, organizations};

pub use sinete_store::authzen::relationships::RelationshipRow;

const READ_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: READ_APIS, over_instance: READ_INSTANCE };
const RELATE_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: RELATE_APIS, over_instance: RELATE_INSTANCE };

/// The API and, for operators, the organization of relationships.
#[derive(Clone, Copy, Debug)]
pub struct RelationshipApiScope<'a> {
    /// The API.
    pub api: ApiId,
    /// The organization, by id or slug; `None` for a caller in it.
    pub organization: Option<&'a str>,
}

/// A filter for listing relationships.
#[derive(Clone, Debug)]
pub enum RelationshipListFilter {
    /// All.
    All,
    /// Of one object.
    OfObject(RelationObject),
    /// Of one subject, by type and id.
    WithSubject(String, String),
}

/// Changes with their preconditions.
#[derive(Clone, Debug, Default)]
pub struct RelationshipChanges {
    /// Relationships to add.
    pub add: Vec<(String, RelationshipInput)>,
    /// Relationships to remove.
    pub remove: Vec<(String, RelationshipInput)>,
    /// Relationships that must exist.
    pub must_exist: Vec<(String, RelationshipInput)>,
    /// Relationships that must not exist.
    pub must_not_exist: Vec<(String, RelationshipInput)>,
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationshipTally {
    /// The number of added relationships.
    pub added: usize,
    /// The number of removed relationships.
    pub removed: usize,
}

/// Lists relationships, oldest first.
pub async fn list(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
    filter: &RelationshipListFilter,
    after: Option<RelationshipId>,
    limit: u32,
) -> Result<Vec<RelationshipRow>, Error> {
    let (_, relationship_scope) = find_readable(engine, admin_scope, scope).await?;
    let relationship_filter = match filter {
        RelationshipListFilter::All => RelationshipFilter::All,
        RelationshipListFilter::OfObject(object) => RelationshipFilter::Object(object),
        RelationshipListFilter::WithSubject(of_type, id) => RelationshipFilter::Subject(of_type, id),
    };
    Ok(relationships::list_relationships(
        engine.store(),
        relationship_scope,
        relationship_filter,
        after,
        limit,
    )
    .await?)
}

/// Adds and removes relationships, all or none. Adding an existing one or removing a missing one has no
/// effect.
pub async fn change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
    changes: &RelationshipChanges,
) -> Result<RelationshipTally, Error> {
    admin_scope.require_change_permission(RELATE_PERMISSION)?;
    for _ in 0..ATTEMPTS_MAX {
        let (api, relationship_scope) = match find_store(engine, admin_scope, scope).await? {
            (api, _) if api.organization != admin_scope.owning_organization() => {
                return Err(not_owned().into());
            }
            target => target,
        };
        let plan = RelationshipPlan::build(engine, &api, relationship_scope, changes).await?;
        let changed = RelationshipTally { added: plan.add.len(), removed: plan.removed.len() };
        let is_changed = changed.added + changed.removed > 0;
        // Facts read one after the other may never have been true at once, so preconditions are checked again
        // by the commit.
        if !is_changed && changes.must_exist.is_empty() && changes.must_not_exist.is_empty() {
            return Ok(changed);
        }
        let mut batch = WriteBatch::new()
            .with_statement(organizations::lock_organization_row(
                relationship_scope.organization,
                admin_scope.now(),
            ))
            .with_statements(plan.to_statements(engine, &api, relationship_scope, admin_scope));
        if is_changed {
            batch = record(engine, admin_scope, batch, relationship_scope, plan.describe_event(&api))?;
        }
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return Ok(changed),
            BatchOutcome::Conflict(conflict) => {
                if let Some(refusal) =
                    permanent_refusal(engine, &conflict, relationship_scope, plan.count_difference()).await?
                {
                    return Err(refusal.into());
                }
            }
        }
    }
    Err(precondition_failed().into())
}

/// Finds the API and organization, if the caller may read the relationships there.
pub(in crate::authzen) async fn find_readable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
) -> Result<(ApiRow, RelationshipScope), Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "relationships").await?;
    find_store(engine, admin_scope, scope).await
}

/// Finds the API and organization, if the caller has access.
async fn find_store(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
) -> Result<(ApiRow, RelationshipScope), Error> {
    let (api, organization) = match admin_scope {
        AdminScope::Organization(access) => {
            (own_apis::find(engine, admin_scope, scope.api).await?, access.organization.id)
        }
        AdminScope::Instance(_) => find_offered_api(engine, admin_scope, scope).await?,
    };
    let relationship_scope = RelationshipScope { api: api.id, organization };
    Ok((api, relationship_scope))
}

/// Finds an API of the instance and an organization that it is offered to.
async fn find_offered_api(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
) -> Result<(ApiRow, OrganizationId), Error> {
    let name = scope.organization.unwrap_or_default();
    let organization = organization_access::find_organization(engine, name, admin_scope.now()).await?;
    let Some(organization) = organization.filter(|it| it.condition != LifecycleCondition::Ended) else {
        return Err(organization_access::no_such_organization().into());
    };
    let api =
        api_catalog::find_api(engine.store(), scope.api).await?.filter(|api| api.organization.is_none());
    let Some(api) = api else { return Err(no_such_api().into()) };
    let is_offered = api.is_offered_to_all
        || api_catalog::list_api_offers(engine.store(), api.id).await?.contains(&organization.id);
    if is_offered { Ok((api, organization.id)) } else { Err(no_such_api().into()) }
}

/// The planned changes.
struct RelationshipPlan {
    add: Vec<Relationship>,
    remove: Vec<RelationshipId>,
    removed: Vec<Relationship>,
    must_exist: Vec<RelationshipId>,
    must_not_exist: Vec<Relationship>,
}

impl RelationshipPlan {
    async fn build(
        engine: &Engine,
        api: &ApiRow,
        scope: RelationshipScope,
        changes: &RelationshipChanges,
    ) -> Result<Self, Error> {
        let mut reader = RelationshipReader::new(engine, &api.definition.object_types, scope.organization);
        let add = reader.read_additions(&changes.add).await?;
        let remove = reader.read_references(&changes.remove).await?;
        let relationships = reader.read_references(&changes.must_exist).await?;
        let absent = reader.read_references(&changes.must_not_exist).await?;
        let mut errors: ValidationErrors = reader.faults;
        // If something could not be read, there is already an error.
        if errors.is_empty() {
            let places = changes.add.iter().chain(&changes.remove).map(|(at, _)| at);
            find_duplicates(&mut errors, places.zip(add.iter().chain(&remove)));
        }
        if !errors.is_empty() {
            return Err(Refusal::from_validation_errors(errors).into());
        }
        let store = engine.store();
        let mut plan = Self {
            add: Vec::new(),
            remove: Vec::new(),
            removed: Vec::new(),
            must_exist: Vec::new(),
            must_not_exist: Vec::new(),
        };
        for relationship in relationships {
            match relationships::find_relationship(store, scope, &relationship).await? {
                Some(id) => plan.must_exist.push(id),
                None => return Err(precondition_not_met().into()),
            }
        }
        for relationship in absent {
            if relationships::find_relationship(store, scope, &relationship).await?.is_some() {
                return Err(precondition_not_met().into());
            }
            plan.must_not_exist.push(relationship);
        }
        for relationship in add {
            match relationships::find_relationship(store, scope, &relationship).await? {
                Some(id) => plan.must_exist.push(id),
                None => plan.add.push(relationship),
            }
        }
        for relationship in remove {
            let ids = relationships::find_equal_relationships(store, scope, &relationship).await?;
            if !ids.is_empty() {
                plan.removed.push(relationship);
            }
            plan.remove.extend(ids);
        }
        Ok(plan)
    }

    /// The change in the number of relationships.
    fn count_difference(&self) -> i64 {
        let count = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
        count(self.add.len()) - count(self.remove.len())
    }

    fn to_statements(
        &self,
        engine: &Engine,
        api: &ApiRow,
        scope: RelationshipScope,
        admin_scope: AdminScope<'_>,
    ) -> Vec<GuardedStatement> {
        let now = admin_scope.now();
        let mut steps = Vec::new();
        if !self.add.is_empty() {
            steps.push(model::lock_model(scope.api));
        }
        steps.push(relationships::lock_relationships(scope, self.count_difference()));
        steps.extend(self.must_exist.iter().map(|id| relationships::require_relationship(scope, *id)));
        steps.extend(self.must_not_exist.iter().map(|it| relationships::require_no_relationship(scope, it)));
        steps.extend(self.remove.iter().map(|id| relationships::remove_relationship(scope, *id)));
        steps.extend(self.add.iter().map(|relationship| {
            let id = RelationshipId::mint(now, engine.entropy());
            relationships::add_relationship(scope, id, api.version, relationship, now)
        }));
        steps
    }

    /// Adds the details to the event.
    fn describe_event(&self, api: &ApiRow) -> impl FnOnce(SecurityEvent) -> SecurityEvent {
        let to_values = |all: &[Relationship]| all.iter().map(Relationship::to_json).collect::<Vec<_>>();
        let (added, removed) = (to_values(&self.add), to_values(&self.removed));
        let (id, identifier) = (api.id, api.definition.identifier.to_string());
        move |event| {
            let event = event.with_subject("api", id).with_detail("identifier", identifier);
            event.with_detail("added", added).with_detail("removed", removed)
        }
    }
}

/// Finds duplicates among additions and removals, each with its location.
fn find_duplicates<'a>(
    errors: &mut ValidationErrors,
    changes: impl Iterator<Item = (&'a String, &'a Relationship)>,
) {
    let mut seen_values = Vec::new();
    for (at, relationship) in changes {
        let value = relationship.to_json();
        if seen_values.contains(&value) {
            errors.add(at, "this relationship is repeated; send it once");
        }
        seen_values.push(value);
    }
}

/// Adds the event to the security log and to the organization's audit log.
fn record(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    batch: WriteBatch,
    scope: RelationshipScope,
    add_details: impl FnOnce(SecurityEvent) -> SecurityEvent,
) -> Result<WriteBatch, Failure> {
    let kind = EventKind::RelationshipsChanged;
    match admin_scope {
        AdminScope::Instance(instance_admin) => instance_admin.record(
            batch,
            &add_details(instance_admin.event(engine, kind, scope.organization)),
            "",
        ),
        AdminScope::Organization(access) => access.record(batch, &add_details(access.event(engine, kind))),
    }
}

/// The refusal of a failed commit that a retry cannot fix, if any.
async fn permanent_refusal(
    engine: &Engine,
    conflict: &GuardConflict,
    scope: RelationshipScope,
    delta: i64,
) -> Result<Option<Refusal>, Failure> {
    if organizations::is_lock_conflict(conflict) {
        return Ok(Some(organization_access::organization_suspended()));
    }
    // Another request may have held the lock.
    if !relationships::is_lock_conflict(conflict)
        || relationships::has_relationship_capacity(engine.store(), scope, delta).await?
    {
        return Ok(None);
    }
    let mut errors = ValidationErrors::default();
    errors.add(
        "/changes",
        "the organization has the maximum number of relationships at this API; remove some first",
    );
    Ok(Some(Refusal::from_validation_errors(errors)))
}

fn precondition_not_met() -> Refusal {
    Refusal::because(AuthZenRefusal::RelationshipChanged, "a precondition does not hold")
}
