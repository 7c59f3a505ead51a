//! Who manages APIs and clients: operators those of the instance, an organization its own.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::OrganizationId;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_store::{GuardedStatement, WriteBatch, organizations};

/// Somebody managing things that belong either to the instance or to one organization.
#[derive(Clone, Copy, Debug)]
pub enum AdminScope<'a> {
    /// An operator, for what is the instance's.
    Instance(&'a InstanceAdmin),
    /// Somebody inside an organization, for what is its own.
    Organization(&'a OrganizationAccess),
}

/// What managing something takes: one permission inside an organization, another over the instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedPermission {
    pub(crate) in_organization: &'static str,
    pub(crate) over_instance: &'static str,
}

impl AdminScope<'_> {
    /// Whether they may do this, which only looks.
    pub(crate) fn require_read_permission(self, needs: ScopedPermission) -> Result<(), Refusal> {
        match self {
            Self::Instance(operating) => operating.require_permission(needs.over_instance),
            Self::Organization(acting) => acting.require_read_permission(needs.in_organization),
        }
    }

    /// Whether they may do this, which changes something.
    pub(crate) fn require_change_permission(self, needs: ScopedPermission) -> Result<(), Refusal> {
        match self {
            Self::Instance(operating) => operating.require_permission(needs.over_instance),
            Self::Organization(acting) => acting.require_change_permission(needs.in_organization),
        }
    }

    /// The organization that what they manage belongs to; none where it is the instance's.
    pub fn owning_organization(self) -> Option<OrganizationId> {
        match self {
            Self::Instance(_) => None,
            Self::Organization(acting) => Some(acting.organization.id),
        }
    }

    /// The organization in whose trail it stands: what concerns the instance is shown to its operators.
    pub fn audit_organization(self) -> OrganizationId {
        match self {
            Self::Instance(operating) => operating.operator_organization(),
            Self::Organization(acting) => acting.organization.id,
        }
    }

    /// The moment everything about this act is judged at.
    pub const fn now(self) -> Timestamp {
        match self {
            Self::Instance(operating) => operating.now(),
            Self::Organization(acting) => acting.now(),
        }
    }

    /// What they hold, where they manage it.
    pub(crate) const fn authority(&self) -> &Authority {
        match self {
            Self::Instance(operating) => operating.authority(),
            Self::Organization(acting) => &acting.authority,
        }
    }

    /// Whether it is the command line, which may choose what others are given.
    pub(crate) fn is_command_line(self) -> bool {
        self.cause().actor == SecurityEventActor::System
    }

    /// An event of this kind.
    pub(crate) fn event(self, engine: &Engine, kind: EventKind) -> SecurityEvent {
        match self {
            Self::Instance(operating) => operating.event(engine, kind, operating.operator_organization()),
            Self::Organization(acting) => acting.event(engine, kind),
        }
    }

    /// Tells an organization that a stranger looked at something of its own.
    pub(crate) async fn record_read_by_stranger(
        self,
        engine: &Engine,
        what: &'static str,
    ) -> Result<(), Failure> {
        match self {
            Self::Instance(_) => Ok(()),
            Self::Organization(acting) => acting.record_read_by_stranger(engine, what).await,
        }
    }

    /// Finds the organization enabled when the act is committed, as it was when it was decided on.
    pub(crate) fn organization_guard(self) -> Option<GuardedStatement> {
        match self {
            Self::Instance(_) => None,
            Self::Organization(acting) => {
                Some(organizations::lock_organization(acting.organization.id, acting.now()))
            }
        }
    }

    /// An act that begins with that.
    pub(crate) fn guarded_batch(self) -> WriteBatch {
        WriteBatch::new().with_statements(self.organization_guard())
    }

    /// The act with the event in the security log and in the trail it belongs to.
    pub(crate) fn record(self, act: WriteBatch, event: &SecurityEvent) -> Result<WriteBatch, Failure> {
        match self {
            Self::Instance(operating) => operating.record(act, event, ""),
            Self::Organization(acting) => acting.record(act, event),
        }
    }

    fn cause(&self) -> &EventCause {
        match self {
            Self::Instance(operating) => operating.cause(),
            Self::Organization(acting) => &acting.cause,
        }
    }
}
