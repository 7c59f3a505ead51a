//! Instance administration: what operators do for all organizations, or to one from outside.

use crate::access_control::caller;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access::with_audit_log_event;
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;

/// A caller who may be an operator. Permissions are checked at each use.
#[derive(Clone, Debug)]
pub struct InstanceAdmin {
    caller: AuthenticatedCaller,
    now: Timestamp,
}

impl InstanceAdmin {
    /// Creates it from a caller.
    pub fn new(engine: &Engine, caller: &AuthenticatedCaller) -> Self {
        Self { caller: caller.clone(), now: engine.now() }
    }

    /// Requires a permission for the instance.
    pub fn require_permission(&self, permission: &'static str) -> Result<(), Refusal> {
        self.caller.require_instance_permission(permission)
    }

    /// Why the caller does not have a permission.
    pub(crate) fn missing_permission(&self, permission: &'static str) -> AccessRefusal {
        caller::missing_permission(&self.caller.cause, self.caller.credential_scope(), permission)
    }

    /// Whether the credential may use a permission that only an assignment grants.
    pub fn can_use_assignment(&self, reserved: &Permission) -> bool {
        self.caller.can_use_assignment(reserved)
    }

    /// The caller's authority in the operators' organization.
    pub(crate) const fn authority(&self) -> &Authority {
        &self.caller.authority
    }

    /// The actor and origin for events.
    pub const fn cause(&self) -> &EventCause {
        &self.caller.cause
    }

    /// Whether a person is accountable: a user, or the command line. A machine's keys may be used by anyone
    /// who manages keys.
    pub fn is_accountable(&self) -> bool {
        let is_person = matches!(self.caller.authority.subject(), TokenSubject::User { .. });
        is_person || self.caller.cause.actor == SecurityEventActor::System
    }

    /// The caller's membership.
    pub const fn membership(&self) -> MembershipId {
        self.caller.membership
    }

    /// The operators' organization.
    pub const fn operator_organization(&self) -> OrganizationId {
        self.caller.organization
    }

    /// The time at which the request is evaluated.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Creates an event of this kind for an organization.
    pub fn event(&self, engine: &Engine, kind: EventKind, organization: OrganizationId) -> SecurityEvent {
        engine.event(kind, &self.caller.cause, self.now).with_organization(organization)
    }

    /// Adds the event to the security log and to the organization's audit log. If the request has an
    /// idempotency key, the same commit claims it for the event's subject.
    pub fn record(
        &self,
        batch: WriteBatch,
        event: &SecurityEvent,
        reason: &str,
    ) -> Result<WriteBatch, Failure> {
        let batch = match (&self.caller.claim, &event.subject) {
            (Some(claim), Some(target)) => {
                batch.with_statement_once(claim.claim_statement(&target.id, self.now))
            }
            (Some(_), None) | (None, _) => batch,
        };
        with_audit_log_event(batch, event, event.organization.unwrap_or(self.caller.organization), reason)
    }
}
