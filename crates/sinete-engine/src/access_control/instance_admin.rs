//! Running the instance: what operators do for all organizations, or to one from outside.

use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access::with_audit_log_event;
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;

/// Somebody who says they run the instance. What they may do is asked at each use.
#[derive(Clone, Debug)]
pub struct InstanceAdmin {
    caller: AuthenticatedCaller,
    now: Timestamp,
}

impl InstanceAdmin {
    /// The caller, about to run the instance.
    pub fn new(engine: &Engine, caller: &AuthenticatedCaller) -> Self {
        Self { caller: caller.clone(), now: engine.now() }
    }

    /// Whether they may do this to the instance as a whole.
    pub fn require_permission(&self, permission: &str) -> Result<(), Refusal> {
        self.caller.require_instance_permission(permission)
    }

    /// Whether the credential may be used for something that only an assignment confers.
    pub fn can_use_assignment(&self, reserved: &Permission) -> bool {
        self.caller.can_use_assignment(reserved)
    }

    /// What they hold in the operators' organization.
    pub(crate) const fn authority(&self) -> &Authority {
        &self.caller.authority
    }

    /// Who, and from where.
    pub const fn cause(&self) -> &EventCause {
        &self.caller.cause
    }

    /// Whether somebody can be held to it: a person, or whoever holds the command line. The keys of a machine can
    /// be in anybody's hands who manages keys.
    pub fn is_accountable(&self) -> bool {
        let is_person = matches!(self.caller.authority.subject(), TokenSubject::Person { .. });
        is_person || self.caller.cause.actor == SecurityEventActor::System
    }

    /// Through which membership.
    pub const fn membership(&self) -> MembershipId {
        self.caller.membership
    }

    /// The operators' own organization, for whoever may do anything here.
    pub const fn operator_organization(&self) -> OrganizationId {
        self.caller.organization
    }

    /// The moment everything about this act is judged at.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// An event of this kind, concerning the organization.
    pub fn event(&self, engine: &Engine, kind: EventKind, organization: OrganizationId) -> SecurityEvent {
        engine.event(kind, &self.caller.cause, self.now).with_organization(organization)
    }

    /// The act with the event in the security log and in the trail of the organization it concerns. Where the
    /// caller may repeat the request, the same commit claims its key for what the event is about.
    pub fn record(
        &self,
        act: WriteBatch,
        event: &SecurityEvent,
        reason: &str,
    ) -> Result<WriteBatch, Failure> {
        let act = match (&self.caller.claim, &event.subject) {
            (Some(claim), Some(made)) => act.with_statement_once(claim.claim_step(&made.id, self.now)),
            (Some(_), None) | (None, _) => act,
        };
        with_audit_log_event(act, event, event.organization.unwrap_or(self.caller.organization), reason)
    }
}
