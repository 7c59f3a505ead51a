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
    instance_admin: &InstanceAdmin,
    request: &AssignmentRequest,
) -> Result<AssignmentRow, Error> {
    let allowed = instance_admin
        .require_permission(MANAGE_PERMISSION)
        .and_then(|()| check_request(instance_admin, request));
    allowed.and_then(|()| check_not_self_assigned(instance_admin, request))?;
    let now = instance_admin.now();
    let organization_row = organization_access::find_organization(engine, &request.organization, now).await?;
    let organization = match organization_row.filter(|it| it.condition != LifecycleCondition::Ended) {
        Some(organization) if organization.id == instance_admin.operator_organization() => {
            return Err(operators_organization().into());
        }
        Some(organization) => organization,
        None => return Err(organization_access::no_such_organization().into()),
    };
    let allows = check_holder(engine, instance_admin, request, &organization).await?;
    let id = AssignmentId::mint(now, engine.entropy());
    let actor = &instance_admin.cause().actor;
    let made_by = actor.id().map_or_else(|| actor.kind().to_owned(), |id| format!("{} {id}", actor.kind()));
    let assignment = NewOperatorAssignment {
        id,
        allows,
        holder: request.holder,
        organization: organization.id,
        reason: &request.reason,
        made_by: &made_by,
        created_at: now,
        ends_at: request.ends_at,
    };
    let event = instance_admin
        .event(engine, EventKind::AssignmentMade, organization.id)
        .with_subject("assignment", id)
        .with_detail("holder", request.holder.to_string())
        .with_detail("allows", task_name(allows))
        .with_detail("ends_at", request.ends_at.to_string());
    let batch = instance_admin.record(
        WriteBatch::new().with_statement(assignments::create_assignment(&assignment)),
        &event,
        &request.reason,
    )?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment)?)
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

/// Lists the assignments for an organization, for the organization itself.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<AssignmentId>,
    limit: u32,
) -> Result<Vec<AssignmentRow>, Error> {
    access.require_read_permission(READ_AUDIT)?;
    access.record_read_by_non_member(engine, "assignments").await?;
    Ok(assignments::list_assignments(engine.store(), access.organization.id, after, limit).await?)
}

/// The same, for operators.
pub async fn list_for_operator(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    organization: &str,
    after: Option<AssignmentId>,
    limit: u32,
) -> Result<Vec<AssignmentRow>, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    match organization_access::find_organization(engine, organization, instance_admin.now()).await? {
        Some(organization) => {
            Ok(assignments::list_assignments(engine.store(), organization.id, after, limit).await?)
        }
        None => Err(organization_access::no_such_organization().into()),
    }
}

/// Shows an assignment in any state, for operators.
pub async fn show(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AssignmentId,
) -> Result<AssignmentRow, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    Ok(assignments::find_assignment(engine.store(), id).await?.ok_or_else(no_such_assignment)?)
}

/// Ends an assignment early; also one's own. It takes effect at the next use.
pub async fn end(engine: &Engine, instance_admin: &InstanceAdmin, id: AssignmentId) -> Result<(), Error> {
    instance_admin.require_permission(MANAGE_PERMISSION)?;
    let Some(assignment) = assignments::find_assignment(engine.store(), id).await? else {
        return Err(no_such_assignment().into());
    };
    if assignment.ended_at.is_some() {
        return Ok(());
    }
    let event = instance_admin
        .event(engine, EventKind::AssignmentEnded, assignment.organization)
        .with_subject("assignment", id)
        .with_detail("holder", assignment.holder.to_string());
    let batch = WriteBatch::new().with_statement(assignments::end_assignment(id, instance_admin.now()));
    match engine.store().commit(instance_admin.record(batch, &event, &assignment.assignment.reason)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

fn check_request(instance_admin: &InstanceAdmin, request: &AssignmentRequest) -> Result<(), Refusal> {
    let (mut errors, now) = (ValidationErrors::default(), instance_admin.now());
    errors.check_display_text("/reason", &request.reason);
    if request.ends_at <= now || request.ends_at > now.plus(ASSIGNMENT_LIFETIME_MAX) {
        errors.add("/ends_at", "must be within 30 days from now");
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors)) }
}

/// Requires two parties: the assigner and the holder. A machine does not count as an assigner, because an
/// operator could have created it to assign themselves.
fn check_not_self_assigned(
    instance_admin: &InstanceAdmin,
    request: &AssignmentRequest,
) -> Result<(), Refusal> {
    let (refused, detail) = if !instance_admin.is_accountable() {
        (OrganizationRefusal::AssignmentByService, "an assignment by a machine")
    } else if request.holder == instance_admin.membership() {
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
    instance_admin: &InstanceAdmin,
    request: &AssignmentRequest,
    organization: &OrganizationRow,
) -> Result<OperatorAssignmentRight, Error> {
    let mut errors = ValidationErrors::default();
    let holder =
        memberships::find_membership(engine.store(), instance_admin.operator_organization(), request.holder)
            .await?;
    // The assigner may hold the keys of a machine, and would then assign themselves.
    let by_command_line = instance_admin.cause().actor == SecurityEventActor::System;
    let is_fit = holder.is_some_and(|it| {
        it.condition == LifecycleCondition::Enabled
            && match it.holder {
                MembershipHolder::User(_) => true,
                MembershipHolder::Machine(_) => by_command_line,
                MembershipHolder::Unclaimed => false,
            }
    });
    if !is_fit {
        errors.add("/holder", "must be a user who is an enabled operator");
    }
    let allows = match request.task {
        OperatorAssignmentKind::Administer => Some(OperatorAssignmentRight::Administering),
        OperatorAssignmentKind::Impersonate(member) => {
            match memberships::find_membership(engine.store(), organization.id, member)
                .await?
                .map(|it| it.holder)
            {
                Some(MembershipHolder::User(account)) => {
                    Some(OperatorAssignmentRight::Impersonating(account))
                }
                Some(MembershipHolder::Machine(_) | MembershipHolder::Unclaimed) | None => None,
            }
        }
    };
    if allows.is_none() {
        errors.add("/member", "must be a user who is a member of the organization");
    }
    Ok(allows.filter(|_| errors.is_empty()).ok_or_else(|| Refusal::from_validation_errors(errors))?)
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
