//! Assignments: an operator may administer an organization or impersonate a user, for a stated reason and
//! time. They are created by another operator, and the organization sees each of them.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_AUDIT, READ_INSTANCE};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::limits::ASSIGNMENT_LIFETIME_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::assignments;
use sinete_store::organizations::assignments::NewOperatorAssignment;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::{BatchOutcome, WriteBatch};

pub use sinete_store::organizations::assignments::{
    ActiveAssignment, AssignmentRow, OperatorAssignmentRight,
};

/// The permission to create and end assignments.
const MANAGE_PERMISSION: &str = OPERATE_INSTANCE;

/// What an assignment allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorAssignmentKind {
    /// Administering the organization.
    Administer,
    /// Impersonating this member.
    Impersonate(MembershipId),
}

/// An assignment to create.
#[derive(Clone, Debug)]
pub struct AssignmentRequest {
    /// What it allows.
    pub task: OperatorAssignmentKind,
    /// The holder: a member of the operators' organization.
    pub holder: MembershipId,
    /// The organization, by id or slug.
    pub organization: String,
    /// The reason, which the organization sees in its audit log.
    pub reason: String,
    /// When it expires.
    pub ends_at: Timestamp,
}

/// Creates an assignment. Operators cannot assign themselves.
pub async fn create(
    engine: &Engine,
    operating: &InstanceAdmin,
    wanted: &AssignmentRequest,
) -> Result<AssignmentRow, Error> {
    let allowed =
        operating.require_permission(MANAGE_PERMISSION).and_then(|()| check_request(operating, wanted));
    allowed.and_then(|()| check_not_self_assigned(operating, wanted))?;
    let now = operating.now();
    let found = organization_access::find_organization(engine, &wanted.organization, now).await?;
    let organization = match found.filter(|it| it.condition != LifecycleCondition::Ended) {
        Some(organization) if organization.id == operating.operator_organization() => {
            return Err(operators_organization().into());
        }
        Some(organization) => organization,
        None => return Err(organization_access::no_such_organization().into()),
    };
    let allows = check_holder(engine, operating, wanted, &organization).await?;
    let id = AssignmentId::mint(now, engine.entropy());
    let actor = &operating.cause().actor;
    let made_by = actor.id().map_or_else(|| actor.kind().to_owned(), |id| format!("{} {id}", actor.kind()));
    let assignment = NewOperatorAssignment {
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
        BatchOutcome::Committed(_) => {
            Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment)?)
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

/// Lists the assignments for an organization, for the organization itself.
pub async fn list(
    engine: &Engine,
    acting: &OrganizationAccess,
    after: Option<AssignmentId>,
    most: u32,
) -> Result<Vec<AssignmentRow>, Error> {
    acting.require_read_permission(READ_AUDIT)?;
    acting.record_read_by_stranger(engine, "assignments").await?;
    Ok(assignments::list_assignments(engine.store(), acting.organization.id, after, most).await?)
}

/// The same, for operators.
pub async fn list_for_operator(
    engine: &Engine,
    operating: &InstanceAdmin,
    organization: &str,
    after: Option<AssignmentId>,
    most: u32,
) -> Result<Vec<AssignmentRow>, Error> {
    operating.require_permission(READ_INSTANCE)?;
    match organization_access::find_organization(engine, organization, operating.now()).await? {
        Some(found) => Ok(assignments::list_assignments(engine.store(), found.id, after, most).await?),
        None => Err(organization_access::no_such_organization().into()),
    }
}

/// Shows an assignment in any state, for operators.
pub async fn show(
    engine: &Engine,
    operating: &InstanceAdmin,
    id: AssignmentId,
) -> Result<AssignmentRow, Error> {
    operating.require_permission(READ_INSTANCE)?;
    Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment)?)
}

/// Ends an assignment early; also one's own. It takes effect at the next use.
pub async fn end(engine: &Engine, operating: &InstanceAdmin, id: AssignmentId) -> Result<(), Error> {
    operating.require_permission(MANAGE_PERMISSION)?;
    let Some(shown) = assignments::find_assignment(engine.store(), id).await? else {
        return Err(no_such_assignment().into());
    };
    if shown.ended_at.is_some() {
        return Ok(());
    }
    let event = operating
        .event(engine, EventKind::AssignmentEnded, shown.organization)
        .with_subject("assignment", id)
        .with_detail("holder", shown.holder.to_string());
    let act = WriteBatch::new().with_statement(assignments::end_assignment(id, operating.now()));
    match engine.store().commit(operating.record(act, &event, &shown.assignment.reason)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

fn check_request(operating: &InstanceAdmin, wanted: &AssignmentRequest) -> Result<(), Refusal> {
    let (mut faults, now) = (ValidationErrors::default(), operating.now());
    faults.check_display_text("/reason", &wanted.reason);
    if wanted.ends_at <= now || wanted.ends_at > now.plus(ASSIGNMENT_LIFETIME_MAX) {
        faults.add("/ends_at", "must be within 30 days from now");
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(faults)) }
}

/// Requires two parties: the assigner and the holder. A machine does not count as an assigner, because an
/// operator could have created it to assign themselves.
fn check_not_self_assigned(operating: &InstanceAdmin, wanted: &AssignmentRequest) -> Result<(), Refusal> {
    let (refused, detail) = if !operating.is_accountable() {
        (OrganizationRefusal::AssignmentByService, "an assignment by a machine")
    } else if wanted.holder == operating.membership() {
        (OrganizationRefusal::AssignmentForOneself, "an assignment for oneself")
    } else {
        return Ok(());
    };
    Err(Refusal::because(refused, detail))
}

/// Checks that the holder is an operator distinct from the assigner, and that the member to impersonate
/// exists.
async fn check_holder(
    engine: &Engine,
    operating: &InstanceAdmin,
    wanted: &AssignmentRequest,
    organization: &OrganizationRow,
) -> Result<OperatorAssignmentRight, Error> {
    let mut faults = ValidationErrors::default();
    let holder =
        memberships::find_membership(engine.store(), operating.operator_organization(), wanted.holder)
            .await?;
    // The assigner may hold the keys of a machine, and would then assign themselves.
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
        faults.add("/holder", "must be a user who is an enabled operator");
    }
    let allows = match wanted.task {
        OperatorAssignmentKind::Administer => Some(OperatorAssignmentRight::Administering),
        OperatorAssignmentKind::Impersonate(member) => {
            match memberships::find_membership(engine.store(), organization.id, member)
                .await?
                .map(|it| it.holder)
            {
                Some(MembershipHolder::Person(account)) => {
                    Some(OperatorAssignmentRight::Impersonating(account))
                }
                Some(MembershipHolder::Machine(_) | MembershipHolder::Nobody) | None => None,
            }
        }
    };
    if allows.is_none() {
        faults.add("/member", "must be a user who is a member of the organization");
    }
    Ok(allows.filter(|_| faults.is_empty()).ok_or_else(|| Refusal::from_validation_errors(faults))?)
}

const fn task_name(allows: OperatorAssignmentRight) -> &'static str {
    match allows {
        OperatorAssignmentRight::Administering => "administer",
        OperatorAssignmentRight::Impersonating(_) => "impersonate",
    }
}

fn operators_organization() -> Refusal {
    Refusal::because(OrganizationRefusal::AssignmentToOwnOrganization, "the operators' own organization")
}

fn no_such_assignment() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such assignment")
}
