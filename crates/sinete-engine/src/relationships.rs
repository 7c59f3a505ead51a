//! Relationships at an API in an organization: kept by whoever the API belongs to, seen by the organization too.
//!
//! A request changes all of what it names or nothing, and may say what must be there or not for that. Whoever changes
//! relationships of the same organization at the same API takes turns.

mod leftover;
mod reading;

pub use leftover::{CleanupPosition, remove_leftover};
pub use reading::{RelationshipInput, SubjectInput};

use crate::acting;
use crate::apis::{no_such_api, of_others};
use crate::managing::{AdminScope, ScopedPermission};
use crate::organizations::outrun;
use crate::{ATTEMPTS_MAX, Engine, Failure, apis as own_apis};
use reading::RelationshipReader;
use sinete_core::fault::ValidationErrors;
use sinete_core::id::{ApiId, OrganizationId, RelationshipId};
use sinete_core::people::LifecycleCondition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::relation::RelationObject;
use sinete_core::relation::relationship::Relationship;
use sinete_core::security::event::{EventKind, SecurityEvent};
use sinete_store::apis::{self, ApiRow};
use sinete_store::relationships::{self, RelationshipFilter, RelationshipScope};
use sinete_store::{GuardConflict, GuardedStatement, WriteBatch, organizations, relation_models};

pub use sinete_store::relationships::RelationshipRow;

const LOOK: ScopedPermission = ScopedPermission { inside: "apis:read", over_instance: "instance:read" };
const RELATE: ScopedPermission = ScopedPermission { inside: "apis:relate", over_instance: "instance:relate" };

/// Relationships of which API and, for those who run the instance, of which organization.
#[derive(Clone, Copy, Debug)]
pub struct RelationshipStore<'a> {
    /// The API.
    pub api: ApiId,
    /// The organization, by id or slug; none for somebody inside it.
    pub organization: Option<&'a str>,
}

/// Which relationships to list.
#[derive(Clone, Debug)]
pub enum RelationshipListFilter {
    /// All of them.
    All,
    /// Those of one object.
    Of(RelationObject),
    /// Those that somebody stands in, by type and id.
    With(String, String),
}

/// What to change, and what that stands on.
#[derive(Clone, Debug, Default)]
pub struct RelationshipChanges {
    /// What is to be there.
    pub add: Vec<(String, RelationshipInput)>,
    /// What is not to be there.
    pub remove: Vec<(String, RelationshipInput)>,
    /// What must be there already.
    pub if_there: Vec<(String, RelationshipInput)>,
    /// What must not.
    pub if_absent: Vec<(String, RelationshipInput)>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationshipTally {
    /// How many were not there before.
    pub added: usize,
    /// How many are not there any more.
    pub removed: usize,
}

/// A page of relationships, oldest first.
pub async fn list(
    engine: &Engine,
    managing: AdminScope<'_>,
    kept: RelationshipStore<'_>,
    listed: &RelationshipListFilter,
    (after, most): (Option<RelationshipId>, u32),
) -> Result<Result<Vec<RelationshipRow>, Refusal>, Failure> {
    if let Err(refusal) = managing.may_look(LOOK) {
        return Ok(Err(refusal));
    }
    managing.note_look(engine, "relationships").await?;
    let (_, place) = match find(engine, managing, kept).await? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let wanted = match listed {
        RelationshipListFilter::All => RelationshipFilter::All,
        RelationshipListFilter::Of(object) => RelationshipFilter::Of(object),
        RelationshipListFilter::With(of_type, id) => RelationshipFilter::With(of_type, id),
    };
    Ok(Ok(relationships::page(engine.store(), place, wanted, after, most).await?))
}

/// Adds and removes relationships, all that are named or none. What is there already is not added again, and what is not
/// there need not be removed.
pub async fn change(
    engine: &Engine,
    managing: AdminScope<'_>,
    kept: RelationshipStore<'_>,
    changes: &RelationshipChanges,
) -> Result<Result<RelationshipTally, Refusal>, Failure> {
    if let Err(refusal) = managing.may_change(RELATE) {
        return Ok(Err(refusal));
    }
    for _ in 0..ATTEMPTS_MAX {
        let (api, place) = match find(engine, managing, kept).await? {
            Ok((api, _)) if api.organization != managing.belonging() => return Ok(Err(of_others())),
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let plan = match RelationshipPlan::of(engine, &api, place, changes).await? {
            Ok(plan) => plan,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let changed = RelationshipTally { added: plan.add.len(), removed: plan.removed.len() };
        let is_changed = changed.added + changed.removed > 0;
        // What was read one after the other may never have been so at once: what a request stands on is found again.
        if !is_changed && changes.if_there.is_empty() && changes.if_absent.is_empty() {
            return Ok(Ok(changed));
        }
        let mut act = WriteBatch::new()
            .with(organizations::hold(place.organization, managing.now()))
            .with_all(plan.steps(engine, &api, place, managing));
        if is_changed {
            act = record(engine, managing, act, place, plan.event(&api))?;
        }
        match engine.store().commit(act).await? {
            Ok(_) => return Ok(Ok(changed)),
            Err(conflict) => {
                if let Some(refusal) = final_word(engine, &conflict, place, plan.more()).await? {
                    return Ok(Err(refusal));
                }
            }
        }
    }
    Ok(Err(outrun()))
}

/// The API and where its relationships are, if they can be met from here.
async fn find(
    engine: &Engine,
    managing: AdminScope<'_>,
    kept: RelationshipStore<'_>,
) -> Result<Result<(ApiRow, RelationshipScope), Refusal>, Failure> {
    let found = match managing {
        AdminScope::Organization(acting) => {
            own_apis::find(engine, managing, kept.api).await?.map(|api| (api, acting.organization.id))
        }
        AdminScope::Instance(_) => offered(engine, managing, kept).await?,
    };
    Ok(found.map(|(api, organization)| {
        let place = RelationshipScope { api: api.id, organization };
        (api, place)
    }))
}

/// An API of the instance, and an organization that it is offered to.
async fn offered(
    engine: &Engine,
    managing: AdminScope<'_>,
    kept: RelationshipStore<'_>,
) -> Result<Result<(ApiRow, OrganizationId), Refusal>, Failure> {
    let named = kept.organization.unwrap_or_default();
    let organization = acting::find(engine, named, managing.now()).await?;
    let Some(organization) = organization.filter(|it| it.condition != LifecycleCondition::Ended) else {
        return Ok(Err(acting::no_such_organization()));
    };
    let api = apis::find(engine.store(), kept.api).await?.filter(|api| api.organization.is_none());
    let Some(api) = api else { return Ok(Err(no_such_api())) };
    let is_offered =
        api.is_offered_to_all || apis::offers(engine.store(), api.id).await?.contains(&organization.id);
    Ok(if is_offered { Ok((api, organization.id)) } else { Err(no_such_api()) })
}

/// What is to be done, as things stand.
struct RelationshipPlan {
    add: Vec<Relationship>,
    remove: Vec<RelationshipId>,
    removed: Vec<Relationship>,
    must_be: Vec<RelationshipId>,
    must_not_be: Vec<Relationship>,
}

impl RelationshipPlan {
    async fn of(
        engine: &Engine,
        api: &ApiRow,
        place: RelationshipScope,
        changes: &RelationshipChanges,
    ) -> Result<Result<Self, Refusal>, Failure> {
        let mut reader = RelationshipReader::new(engine, &api.definition.object_types, place.organization);
        let add = reader.additions(&changes.add).await?;
        let remove = reader.mentions(&changes.remove).await?;
        let there = reader.mentions(&changes.if_there).await?;
        let absent = reader.mentions(&changes.if_absent).await?;
        let mut faults: ValidationErrors = reader.faults;
        // Where something could not be read there is a fault already.
        if faults.is_empty() {
            let places = changes.add.iter().chain(&changes.remove).map(|(at, _)| at);
            repeated(&mut faults, places.zip(add.iter().chain(&remove)));
        }
        if !faults.is_empty() {
            return Ok(Err(Refusal::unfit(faults)));
        }
        let store = engine.store();
        let mut plan = Self {
            add: Vec::new(),
            remove: Vec::new(),
            removed: Vec::new(),
            must_be: Vec::new(),
            must_not_be: Vec::new(),
        };
        for relationship in there {
            match relationships::find(store, place, &relationship).await? {
                Some(id) => plan.must_be.push(id),
                None => return Ok(Err(not_as_said())),
            }
        }
        for relationship in absent {
            if relationships::find(store, place, &relationship).await?.is_some() {
                return Ok(Err(not_as_said()));
            }
            plan.must_not_be.push(relationship);
        }
        for relationship in add {
            match relationships::find(store, place, &relationship).await? {
                Some(id) => plan.must_be.push(id),
                None => plan.add.push(relationship),
            }
        }
        for relationship in remove {
            let ids = relationships::named(store, place, &relationship).await?;
            if !ids.is_empty() {
                plan.removed.push(relationship);
            }
            plan.remove.extend(ids);
        }
        Ok(Ok(plan))
    }

    /// How many more there will be; fewer, if it is below nothing.
    fn more(&self) -> i64 {
        let count = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
        count(self.add.len()) - count(self.remove.len())
    }

    fn steps(
        &self,
        engine: &Engine,
        api: &ApiRow,
        place: RelationshipScope,
        managing: AdminScope<'_>,
    ) -> Vec<GuardedStatement> {
        let now = managing.now();
        let mut steps = Vec::new();
        if !self.add.is_empty() {
            steps.push(relation_models::hold(place.api));
        }
        steps.push(relationships::take_turn(place, self.more()));
        steps.extend(self.must_be.iter().map(|id| relationships::must_be(place, *id)));
        steps.extend(self.must_not_be.iter().map(|it| relationships::must_not_be(place, it)));
        steps.extend(self.remove.iter().map(|id| relationships::remove(place, *id)));
        steps.extend(self.add.iter().map(|relationship| {
            let id = RelationshipId::mint(now, engine.entropy());
            relationships::add(place, (id, api.version), relationship, now)
        }));
        steps
    }

    /// What an event says of it.
    fn event(&self, api: &ApiRow) -> impl FnOnce(SecurityEvent) -> SecurityEvent {
        let written = |all: &[Relationship]| all.iter().map(Relationship::written).collect::<Vec<_>>();
        let (added, removed) = (written(&self.add), written(&self.removed));
        let (id, identifier) = (api.id, api.definition.identifier.to_string());
        move |event| {
            let event = event.about("api", id).with("identifier", identifier);
            event.with("added", added).with("removed", removed)
        }
    }
}

/// Whether something is named twice among what is added and removed, each with its place.
fn repeated<'a>(
    faults: &mut ValidationErrors,
    changes: impl Iterator<Item = (&'a String, &'a Relationship)>,
) {
    let mut seen = Vec::new();
    for (at, relationship) in changes {
        let said = relationship.written();
        if seen.contains(&said) {
            faults.add(at, "this relationship is named twice");
        }
        seen.push(said);
    }
}

/// The act with the event in the security log and in the trail of the organization.
fn record(
    engine: &Engine,
    managing: AdminScope<'_>,
    act: WriteBatch,
    place: RelationshipScope,
    about: impl FnOnce(SecurityEvent) -> SecurityEvent,
) -> Result<WriteBatch, Failure> {
    let kind = EventKind::RelationshipsChanged;
    match managing {
        AdminScope::Instance(operating) => {
            operating.record(act, &about(operating.event(engine, kind, place.organization)), "")
        }
        AdminScope::Organization(acting) => acting.record(act, &about(acting.event(engine, kind))),
    }
}

/// What can be said of an act that came to nothing without beginning again.
async fn final_word(
    engine: &Engine,
    conflict: &GuardConflict,
    place: RelationshipScope,
    more: i64,
) -> Result<Option<Refusal>, Failure> {
    if organizations::was_not_held(conflict) {
        return Ok(Some(acting::suspended()));
    }
    // Somebody else may have had the turn.
    if !relationships::was_no_turn(conflict) || relationships::has_room(engine.store(), place, more).await? {
        return Ok(None);
    }
    let mut faults = ValidationErrors::default();
    faults.add("/changes", "the organization has as many relationships at this API as there can be");
    Ok(Some(Refusal::unfit(faults)))
}

fn not_as_said() -> Refusal {
    let public =
        "a relationship that the request stands on is not as the request says: read again and decide anew";
    Refusal::new(RefusalCode::PreconditionFailed, public, "a precondition does not hold")
}
