//! Access to one organization: as a member by roles, or as a non-member by assignment.

use crate::access_control::caller::{AuthenticatedCaller, missing_permission};
use crate::platform::idempotency::IdempotencyClaim;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::built_in_permissions::ADMINISTER_ORGANIZATIONS;
use sinete_core::access_control::built_in_permissions::VERIFY_CLIENTS;
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::{LifecycleCondition, SubjectState, TokenSubject};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::memberships::RoleChangeActor;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_store::events::audit_log;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::assignments::OperatorAssignmentRight;
use sinete_store::organizations::{api_catalog, assignments};
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, WriteBatch, organizations};
use std::collections::BTreeMap;

/// A caller with access to an organization.
#[derive(Clone, Debug)]
pub struct OrganizationAccess {
    /// The actor and origin for events.
    pub cause: EventCause,
    /// The organization, as it was read.
    pub organization: OrganizationRow,
    /// The caller's authority in it.
    pub authority: Authority,
    /// Whether the caller counts as an owner.
    pub is_owner: bool,
    /// The reason of a non-member's access; `None` for members.
    pub assignment_reason: Option<String>,
    /// Whether the caller is an operator with an assignment who may verify clients.
    pub(crate) may_verify_clients: bool,
    /// Whether the credential carries the caller's full authority.
    has_full_authority: bool,
    /// The scope of a member's credential, if it carries less than that.
    credential_scope: Option<PermissionSet>,
    claim: Option<IdempotencyClaim>,
    now: Timestamp,
}

/// Authorizes the caller in the organization with this id or slug.
///
/// A caller without access cannot distinguish an existing organization from one that does not exist.
pub async fn authorize_in_organization(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    name: &str,
) -> Result<OrganizationAccess, Error> {
    let now = engine.now();
    let Some(organization) = find_organization(engine, name, now).await? else {
        return Err(no_such_organization().into());
    };
    if organization.condition == LifecycleCondition::Ended {
        return Err(no_such_organization().into());
    }
    if organization.id == caller.organization {
        return Ok(OrganizationAccess {
            cause: caller.cause.clone(),
            organization,
            authority: caller.authority.clone(),
            is_owner: caller.is_owner,
            assignment_reason: None,
            may_verify_clients: false,
            has_full_authority: caller.has_full_authority,
            credential_scope: caller.credential_scope().cloned(),
            claim: caller.claim.clone(),
            now,
        });
    }
    authorize_by_assignment(engine, caller, organization, now).await
}

/// Finds the organization with this id or slug, in any condition.
pub(crate) async fn find_organization(
    engine: &Engine,
    name: &str,
    now: Timestamp,
) -> Result<Option<OrganizationRow>, Failure> {
    let organization = match (name.parse::<OrganizationId>(), name.parse::<OrganizationSlug>()) {
        (Ok(id), _) => organizations::find_organization(engine.store(), id, now).await?,
        (Err(_), Ok(slug)) => organizations::find_organization_by_slug(engine.store(), &slug, now).await?,
        (Err(_), Err(_)) => None,
    };
    Ok(organization)
}

/// Authorizes an operator by an assignment, with the authority of an owner. The command line needs no
/// assignment: it has access to the database itself.
async fn authorize_by_assignment(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    organization: OrganizationRow,
    now: Timestamp,
) -> Result<OrganizationAccess, Error> {
    let because = match caller.cause.actor {
        SecurityEventActor::System => None,
        SecurityEventActor::Anonymous
        | SecurityEventActor::Account(_)
        | SecurityEventActor::Membership(_)
        | SecurityEventActor::Client(_)
        | SecurityEventActor::ApiKey(_)
        | SecurityEventActor::SetupLink(_) => {
            match find_assignment_reason(engine, caller, organization.id, now).await? {
                Some(reason) => Some(reason),
                None => return Err(no_such_organization().into()),
            }
        }
    };
    let resources = api_catalog::list_offered_resources(engine.store(), organization.id).await?;
    let resource_names = resources.iter().map(|(resource, _)| resource.as_str());
    let owner = BuiltInRole::build_owner_role(organization.kind, resource_names);
    let subject_state = SubjectState {
        subject: caller.authority.subject().clone(),
        organization: organization.id,
        account: LifecycleCondition::Enabled,
        membership: LifecycleCondition::Enabled,
        organization_condition: LifecycleCondition::Enabled,
        client: LifecycleCondition::Enabled,
        grant: LifecycleCondition::Enabled,
        roles: vec![owner],
    };
    let Ok(subject) = subject_state.require_active() else { return Err(no_such_organization().into()) };
    Ok(OrganizationAccess {
        cause: caller.cause.clone(),
        organization,
        authority: Authority::derive(&subject),
        is_owner: true,
        assignment_reason: because,
        may_verify_clients: caller.require_instance_permission(VERIFY_CLIENTS).is_ok(),
        has_full_authority: false,
        credential_scope: None,
        claim: caller.claim.clone(),
        now,
    })
}

/// Finds the reason by which the caller may access the organization, if any.
async fn find_assignment_reason(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Option<String>, Failure> {
    let Ok(reserved) = ADMINISTER_ORGANIZATIONS.parse::<Permission>() else { return Ok(None) };
    let is_operator = caller.organization_kind == OrganizationKind::Operator
        && caller.organization_condition == LifecycleCondition::Enabled
        && caller.can_use_assignment(&reserved);
    if !is_operator {
        return Ok(None);
    }
    let active_assignments =
        assignments::list_holder_assignments(engine.store(), caller.membership, organization, now).await?;
    let administering =
        active_assignments.into_iter().find(|it| it.allows == OperatorAssignmentRight::Administering);
    Ok(administering.map(|assignment| assignment.reason))
}

impl OrganizationAccess {
    /// Requires a permission for a read.
    pub fn require_read_permission(&self, permission: &'static str) -> Result<(), Refusal> {
        let is_held = permission.parse().is_ok_and(|permission| self.authority.covers(&permission));
        if is_held {
            return Ok(());
        }
        let reason = missing_permission(&self.cause, self.credential_scope.as_ref(), permission);
        Err(Refusal::because(reason, format!("{permission} is not held")))
    }

    /// Requires a permission for a change, and that the organization is not suspended.
    pub fn require_change_permission(&self, permission: &'static str) -> Result<(), Refusal> {
        self.require_read_permission(permission)?;
        self.require_enabled()
    }

    /// Requires that the organization is not suspended.
    pub fn require_enabled(&self) -> Result<(), Refusal> {
        match self.organization.condition {
            LifecycleCondition::Enabled => Ok(()),
            LifecycleCondition::Suspended | LifecycleCondition::Ended => Err(organization_suspended()),
        }
    }

    /// Replaces the organization with a newly loaded row.
    #[must_use]
    pub(crate) fn with_organization(&self, organization: OrganizationRow) -> Self {
        Self { organization, ..self.clone() }
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn with_claim(&self, claim: Option<IdempotencyClaim>) -> Self {
        Self { claim, ..self.clone() }
    }

    /// Whether the caller may end this membership because it is their own. This gives up their full
    /// authority, so the credential must carry all of it.
    pub(crate) fn can_leave(&self, membership: MembershipId) -> bool {
        self.has_full_authority && self.is_own_membership(membership)
    }

    /// Whether the membership is the caller's own.
    pub(crate) fn is_own_membership(&self, membership: MembershipId) -> bool {
        let (TokenSubject::User { membership: caller_membership, .. }
        | TokenSubject::Machine { membership: caller_membership, .. }) = self.authority.subject();
        *caller_membership == membership
    }

    /// The caller's own membership.
    pub(crate) fn own_membership(&self) -> MembershipId {
        let (TokenSubject::User { membership, .. } | TokenSubject::Machine { membership, .. }) =
            self.authority.subject();
        *membership
    }

    /// The caller as the actor of a role change.
    pub fn role_changer(&self) -> RoleChangeActor<'_> {
        RoleChangeActor { authority: &self.authority, is_owner: self.is_owner }
    }

    /// The time at which the request is evaluated.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Creates an event of this kind in this organization.
    pub fn event(&self, engine: &Engine, kind: EventKind) -> SecurityEvent {
        engine.event(kind, &self.cause, self.now).with_organization(self.organization.id)
    }

    /// Adds the event to the security log and to the organization's audit log, in one commit. If the request
    /// has an idempotency key, the same commit claims it for the event's subject.
    pub fn record(&self, batch: WriteBatch, event: &SecurityEvent) -> Result<WriteBatch, Failure> {
        let batch = match (&self.claim, &event.subject) {
            (Some(claim), Some(target)) => {
                batch.with_statement_once(claim.claim_statement(&target.id, self.now))
            }
            (Some(_), None) | (None, _) => batch,
        };
        with_audit_log_event(
            batch,
            event,
            self.organization.id,
            self.assignment_reason.as_deref().unwrap_or_default(),
        )
    }

    /// Records a read by a non-member in the audit log. Reads by members are not recorded.
    pub async fn record_read_by_non_member(
        &self,
        engine: &Engine,
        resource: &'static str,
    ) -> Result<(), Failure> {
        if self.assignment_reason.is_none() {
            return Ok(());
        }
        let event =
            self.event(engine, EventKind::OrganizationAdministered).with_detail("looked_at", resource);
        let batch = self.record(WriteBatch::new(), &event)?;
        // This batch cannot conflict: it only adds rows with new ids.
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => Ok(()),
            BatchOutcome::Conflict(_) => Err(Failure::Contended),
        }
    }
}

/// Adds the event to the security log and to an organization's audit log.
pub(crate) fn with_audit_log_event(
    batch: WriteBatch,
    event: &SecurityEvent,
    organization: OrganizationId,
    because: &str,
) -> Result<WriteBatch, Failure> {
    Ok(batch.with_statement(build_audit_entry(event, organization, because)?).with_event(event))
}

/// The entry of an event in an organization's audit log.
pub(crate) fn build_audit_entry(
    event: &SecurityEvent,
    organization: OrganizationId,
    because: &str,
) -> Result<GuardedStatement, Failure> {
    let mut detail: BTreeMap<_, _> = event.detail.iter().cloned().collect();
    if let Some(client) = &event.client {
        detail.entry("through_client").or_insert_with(|| client.as_str().into());
    }
    let detail = JsonDocument::from_value(&detail)?;
    let actor_id = event.actor.id();
    let entry = audit_log::NewAuditEntry {
        id: event.id,
        organization,
        at: event.at,
        kind: event.kind.name(),
        actor_kind: event.actor.kind(),
        actor_id: actor_id.as_deref(),
        subject: event.subject.as_ref().map(|subject| (subject.kind, subject.id.as_str())),
        reason: because,
        detail: &detail,
    };
    Ok(audit_log::append_audit_entry(&entry))
}

/// The refusal for an organization that does not exist or that the caller cannot access.
pub(crate) fn no_such_organization() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such organization for this caller")
}

pub(crate) fn organization_suspended() -> Refusal {
    Refusal::because(AccessRefusal::OrganizationSuspended, "")
}
