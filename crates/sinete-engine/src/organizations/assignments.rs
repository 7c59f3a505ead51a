//! Assignments: an operator may act inside an organization, or as a person, for a stated reason and time.
//! They are made by somebody else, and the organization sees each of them.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::limits::ASSIGNMENT_LIFETIME_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_store::WriteBatch;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::assignments;
use sinete_store::organizations::assignments::NewAssignment;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;

pub use sinete_store::organizations::assignments::{ActiveAssignment, AssignmentRight, AssignmentRow};

/// What it takes to make and end assignments.
const MANAGE_PERMISSION: &str = "instance:operate";

/// What somebody is to be assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentTask {
    /// Acting inside the organization.
    Administer,
    /// Acting as this member of it.
    Impersonate(MembershipId),
}

/// An assignment to make.
#[derive(Clone, Debug)]
pub struct AssignmentRequest {
    /// What it allows.
    pub task: AssignmentTask,
    /// To whom: a member of the operators' organization.
    pub holder: MembershipId,
    /// Where, by id or slug.
    pub organization: String,
    /// Why, in words that the organization reads in its trail.
    pub reason: String,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// Assigns an operator. Nobody assigns themself.
pub async fn create(
    engine: &Engine,
    operating: &InstanceAdmin,
    wanted: &AssignmentRequest,
) -> Result<Result<AssignmentRow, Refusal>, Failure> {
    let allowed =
        operating.require_permission(MANAGE_PERMISSION).and_then(|()| check_request(operating, wanted));
    if let Err(refusal) = allowed.and_then(|()| check_not_self_assigned(operating, wanted)) {
        return Ok(Err(refusal));
    }
    let now = operating.now();
    let found = organization_access::find_organization(engine, &wanted.organization, now).await?;
    let organization = match found.filter(|it| it.condition != LifecycleCondition::Ended) {
        Some(organization) if organization.id == operating.operator_organization() => {
            return Ok(Err(operators_organization()));
        }
        Some(organization) => organization,
        None => return Ok(Err(organization_access::no_such_organization())),
    };
    let allows = match check_holder(engine, operating, wanted, &organization).await? {
        Ok(allows) => allows,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let id = AssignmentId::mint(now, engine.entropy());
    let actor = &operating.cause().actor;
    let made_by = actor.id().map_or_else(|| actor.kind().to_owned(), |id| format!("{} {id}", actor.kind()));
    let assignment = NewAssignment {
        id,
        allows,
        holder: wanted.holder,
        organization: organization.id,
        reason: &wanted.reason,
        made_by: &made_by,
        created_at: now,
        ends_at: wanted.ends_at,
    };
    let event = operating
        .event(engine, EventKind::AssignmentMade, organization.id)
        .with_subject("assignment", id)
        .with_detail("holder", wanted.holder.to_string())
        .with_detail("allows", task_name(allows))
        .with_detail("ends_at", wanted.ends_at.to_string());
    let act = operating.record(
        WriteBatch::new().with_statement(assignments::create_assignment(&assignment)),
        &event,
        &wanted.reason,
    )?;
    match engine.store().commit(act).await? {
        Ok(_) => Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment)),
        Err(_) => Err(Failure::Contended),
    }
}

/// A page of the assignments concerning an organization, for the organization itself.
pub async fn list(
    engine: &Engine,
    acting: &OrganizationAccess,
    after: Option<AssignmentId>,
    most: u32,
) -> Result<Result<Vec<AssignmentRow>, Refusal>, Failure> {
    if let Err(refusal) = acting.require_read_permission("audit:read") {
        return Ok(Err(refusal));
    }
    acting.record_read_by_stranger(engine, "assignments").await?;
    Ok(Ok(assignments::list_assignments(engine.store(), acting.organization.id, after, most).await?))
}

/// The same, for those who run the instance.
pub async fn list_for_operator(
    engine: &Engine,
    operating: &InstanceAdmin,
    organization: &str,
    after: Option<AssignmentId>,
    most: u32,
) -> Result<Result<Vec<AssignmentRow>, Refusal>, Failure> {
    if let Err(refusal) = operating.require_permission("instance:read") {
        return Ok(Err(refusal));
    }
    match organization_access::find_organization(engine, organization, operating.now()).await? {
        Some(found) => Ok(Ok(assignments::list_assignments(engine.store(), found.id, after, most).await?)),
        None => Ok(Err(organization_access::no_such_organization())),
    }
}

/// One assignment, whatever has become of it, for those who run the instance.
pub async fn show(
    engine: &Engine,
    operating: &InstanceAdmin,
    id: AssignmentId,
) -> Result<Result<AssignmentRow, Refusal>, Failure> {
    if let Err(refusal) = operating.require_permission("instance:read") {
        return Ok(Err(refusal));
    }
    Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment))
}

/// Ends an assignment before its time, one's own included. It counts for nothing at the very next use.
pub async fn end(
    engine: &Engine,
    operating: &InstanceAdmin,
    id: AssignmentId,
) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = operating.require_permission(MANAGE_PERMISSION) {
        return Ok(Err(refusal));
    }
    let Some(shown) = assignments::find_assignment(engine.store(), id).await? else {
        return Ok(Err(no_such_assignment()));
    };
    if shown.ended_at.is_some() {
        return Ok(Ok(()));
    }
    let event = operating
        .event(engine, EventKind::AssignmentEnded, shown.organization)
        .with_subject("assignment", id)
        .with_detail("holder", shown.holder.to_string());
    let act = WriteBatch::new().with_statement(assignments::end_assignment(id, operating.now()));
    match engine.store().commit(operating.record(act, &event, &shown.assignment.reason)?).await? {
        Ok(_) => Ok(Ok(())),
        Err(_) => Err(Failure::Contended),
    }
}

fn check_request(operating: &InstanceAdmin, wanted: &AssignmentRequest) -> Result<(), Refusal> {
    let (mut faults, now) = (ValidationErrors::default(), operating.now());
    faults.check_display_text("/reason", &wanted.reason);
    if wanted.ends_at <= now || wanted.ends_at > now.plus(ASSIGNMENT_LIFETIME_MAX) {
        faults.add("/ends_at", "an assignment ends within 30 days from now");
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(faults)) }
}

/// It takes two to let somebody in: whoever assigns, and whoever is assigned. A machine does not count as one of
/// them, because an operator who wanted to be let in could have made it.
fn check_not_self_assigned(operating: &InstanceAdmin, wanted: &AssignmentRequest) -> Result<(), Refusal> {
    let (public, reason) = if !operating.is_accountable() {
        ("a person assigns, with a key of their own", "an assignment by a machine")
    } else if wanted.holder == operating.membership() {
        ("nobody assigns themself: another operator does", "an assignment for oneself")
    } else {
        return Ok(());
    };
    Err(Refusal::new(RefusalCode::InsufficientScope, public, reason))
}

/// Whether the holder is an operator who can be told apart from whoever assigns them, and whether there is
/// somebody to act as.
async fn check_holder(
    engine: &Engine,
    operating: &InstanceAdmin,
    wanted: &AssignmentRequest,
    organization: &OrganizationRow,
) -> Result<Result<AssignmentRight, Refusal>, Failure> {
    let mut faults = ValidationErrors::default();
    let holder =
        memberships::find_membership(engine.store(), operating.operator_organization(), wanted.holder)
            .await?;
    // A machine's keys can be in the hands of whoever assigns it, who would then have assigned themself.
    let by_command_line = operating.cause().actor == SecurityEventActor::System;
    let is_fit = holder.is_some_and(|it| {
        it.condition == LifecycleCondition::Enabled
            && match it.holder {
                MembershipHolder::Person(_) => true,
                MembershipHolder::Machine(_) => by_command_line,
                MembershipHolder::Nobody => false,
            }
    });
    if !is_fit {
        faults.add("/holder", "an assignment is held by a person who is an enabled operator");
    }
    let allows = match wanted.task {
        AssignmentTask::Administer => Some(AssignmentRight::Administering),
        AssignmentTask::Impersonate(member) => {
            match memberships::find_membership(engine.store(), organization.id, member)
                .await?
                .map(|it| it.holder)
            {
                Some(MembershipHolder::Person(account)) => Some(AssignmentRight::Impersonating(account)),
                Some(MembershipHolder::Machine(_) | MembershipHolder::Nobody) | None => None,
            }
        }
    };
    if allows.is_none() {
        faults.add("/member", "only a person who is a member of the organization can be impersonated");
    }
    Ok(allows.filter(|_| faults.is_empty()).ok_or_else(|| Refusal::from_validation_errors(faults)))
}

const fn task_name(allows: AssignmentRight) -> &'static str {
    match allows {
        AssignmentRight::Administering => "administer",
        AssignmentRight::Impersonating(_) => "impersonate",
    }
}

fn operators_organization() -> Refusal {
    let public = "operators act in their own organization as its members, not by assignment";
    Refusal::new(RefusalCode::Conflict, public, "the operators' own organization")
}

fn no_such_assignment() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", "no such assignment")
}
