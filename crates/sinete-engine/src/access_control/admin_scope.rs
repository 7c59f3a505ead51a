//! The administrative scope of APIs, clients and webhooks: operators manage those of the instance, an
//! organization its own.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::OrganizationId;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_store::{GuardedStatement, WriteBatch, organizations};

/// A caller who manages resources of either the instance or one organization.
#[derive(Clone, Copy, Debug)]
pub enum AdminScope<'a> {
    /// An operator, for resources of the instance.
    Instance(&'a InstanceAdmin),
    /// A caller in an organization, for its resources.
    Organization(&'a OrganizationAccess),
}

/// The required permissions: one within an organization, another for the instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedPermission {
    pub(crate) in_organization: &'static str,
    pub(crate) over_instance: &'static str,
}

impl AdminScope<'_> {
    /// Requires the permission for a read.
    pub(crate) fn require_read_permission(self, needs: ScopedPermission) -> Result<(), Refusal> {
        match self {
            Self::Instance(instance_admin) => instance_admin.require_permission(needs.over_instance),
            Self::Organization(access) => access.require_read_permission(needs.in_organization),
        }
    }

    /// Requires the permission for a change.
    pub(crate) fn require_change_permission(self, needs: ScopedPermission) -> Result<(), Refusal> {
        match self {
            Self::Instance(instance_admin) => instance_admin.require_permission(needs.over_instance),
            Self::Organization(access) => access.require_change_permission(needs.in_organization),
        }
    }

    /// The organization that owns the managed resources; `None` for the instance.
    pub fn owning_organization(self) -> Option<OrganizationId> {
        match self {
            Self::Instance(_) => None,
            Self::Organization(access) => Some(access.organization.id),
        }
    }

    /// The organization whose audit log records the change: for the instance, the operators' organization.
    pub fn audit_organization(self) -> OrganizationId {
        match self {
            Self::Instance(instance_admin) => instance_admin.operator_organization(),
            Self::Organization(access) => access.organization.id,
        }
    }

    /// The time at which the request is evaluated.
    pub const fn now(self) -> Timestamp {
        match self {
            Self::Instance(instance_admin) => instance_admin.now(),
            Self::Organization(access) => access.now(),
        }
    }

    /// The caller's authority in this scope.
    pub(crate) const fn authority(&self) -> &Authority {
        match self {
            Self::Instance(instance_admin) => instance_admin.authority(),
            Self::Organization(access) => &access.authority,
        }
    }

    /// Whether the caller is the command line, which may choose ids and secrets.
    pub(crate) fn is_command_line(self) -> bool {
        self.cause().actor == SecurityEventActor::System
    }

    /// Creates an event of this kind.
    pub(crate) fn event(self, engine: &Engine, kind: EventKind) -> SecurityEvent {
        match self {
            Self::Instance(instance_admin) => {
                instance_admin.event(engine, kind, instance_admin.operator_organization())
            }
            Self::Organization(access) => access.event(engine, kind),
        }
    }

    /// Records a read by a caller who is not a member in the organization's audit log.
    pub(crate) async fn record_read_by_non_member(
        self,
        engine: &Engine,
        resource: &'static str,
    ) -> Result<(), Failure> {
        match self {
            Self::Instance(_) => Ok(()),
            Self::Organization(access) => access.record_read_by_non_member(engine, resource).await,
        }
    }

    /// A guard that the organization is still enabled at commit.
    pub(crate) fn organization_guard(self) -> Option<GuardedStatement> {
        match self {
            Self::Instance(_) => None,
            Self::Organization(access) => {
                Some(organizations::lock_organization_row(access.organization.id, access.now()))
            }
        }
    }

    /// A write batch that begins with that guard.
    pub(crate) fn guarded_batch(self) -> WriteBatch {
        WriteBatch::new().with_statements(self.organization_guard())
    }

    /// Adds the event to the security log and to the audit log it belongs to.
    pub(crate) fn record(self, batch: WriteBatch, event: &SecurityEvent) -> Result<WriteBatch, Failure> {
        match self {
            Self::Instance(instance_admin) => instance_admin.record(batch, event, ""),
            Self::Organization(access) => access.record(batch, event),
        }
    }

    fn cause(&self) -> &EventCause {
        match self {
            Self::Instance(instance_admin) => instance_admin.cause(),
            Self::Organization(access) => &access.cause,
        }
    }
}
