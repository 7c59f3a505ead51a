//! An organization's audit log, read by its members and, recorded as such, by operators.

pub mod entry;
pub mod retention;

use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::READ_AUDIT;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{EventId, MembershipId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::events::audit_log;
use sinete_store::events::audit_log::AuditLogQuery;
use sinete_store::organizations::member_batch;

pub use sinete_store::events::audit_log::{AuditLogEntry, AuditLogOrder};

/// Page size of an export.
const PAGE: u32 = 1_000;

/// A filter for entries.
#[derive(Clone, Debug, Default)]
pub struct AuditLogFilter {
    /// Only entries from this time on.
    pub since: Option<Timestamp>,
    /// Only entries before this time.
    pub until: Option<Timestamp>,
    /// Only entries of this actor id.
    pub actor: Option<String>,
    /// Only entries of this kind.
    pub kind: Option<EventKind>,
    /// The order.
    pub order: AuditLogOrder,
}

/// Lists entries. A read by a non-member is recorded before it is answered.
pub async fn list(
    engine: &Engine,
    acting: &OrganizationAccess,
    filter: &AuditLogFilter,
    after: Option<EventId>,
    most: u32,
) -> Result<Vec<AuditLogEntry>, Error> {
    acting.require_read_permission(READ_AUDIT)?;
    acting.record_read_by_stranger(engine, "audit").await?;
    Ok(load_entries(engine, acting, filter, after, most).await?)
}

/// Shows one entry.
pub async fn show(engine: &Engine, acting: &OrganizationAccess, id: EventId) -> Result<AuditLogEntry, Error> {
    acting.require_read_permission(READ_AUDIT)?;
    acting.record_read_by_stranger(engine, "audit").await?;
    let found = audit_log::find_audit_entry(engine.store(), acting.organization.id, id).await?;
    Ok(found.ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such entry of this trail"))?)
}

/// The memberships that belong or belonged to the organization. Other actors in its audit log are operators,
/// who act as members of the operators' organization.
pub async fn filter_own_members(
    engine: &Engine,
    acting: &OrganizationAccess,
    ids: &[MembershipId],
) -> Result<Vec<MembershipId>, Error> {
    acting.require_read_permission(READ_AUDIT)?;
    Ok(member_batch::find_current_or_former_members(engine.store(), acting.organization.id, ids).await?)
}

/// An export in progress, page by page. Only the position is kept in memory.
#[derive(Debug)]
pub struct AuditLogExport {
    access: OrganizationAccess,
    filter: AuditLogFilter,
    after: Option<EventId>,
    is_finished: bool,
}

/// Starts an export of the matching entries up to now, so that a growing log does not extend it indefinitely.
pub async fn export(
    engine: &Engine,
    acting: &OrganizationAccess,
    filter: &AuditLogFilter,
) -> Result<AuditLogExport, Error> {
    acting.require_read_permission(READ_AUDIT)?;
    acting.record_read_by_stranger(engine, "audit").await?;
    let now_included = acting.now().plus(Lifetime::from_micros(1));
    let until = filter.until.map_or(now_included, |until| until.min(now_included));
    let filter = AuditLogFilter { until: Some(until), ..filter.clone() };
    Ok(AuditLogExport { access: acting.clone(), filter, after: None, is_finished: false })
}

impl AuditLogExport {
    /// The next entries; `None` at the end.
    pub async fn next_page(&mut self, engine: &Engine) -> Result<Option<Vec<AuditLogEntry>>, Failure> {
        if self.is_finished {
            return Ok(None);
        }
        let entries = load_entries(engine, &self.access, &self.filter, self.after, PAGE).await?;
        self.after = entries.last().map(|entry| entry.id).or(self.after);
        self.is_finished = entries.is_empty();
        Ok((!self.is_finished).then_some(entries))
    }
}

async fn load_entries(
    engine: &Engine,
    acting: &OrganizationAccess,
    filter: &AuditLogFilter,
    after: Option<EventId>,
    most: u32,
) -> Result<Vec<AuditLogEntry>, Failure> {
    let wanted = AuditLogQuery {
        organization: acting.organization.id,
        order: filter.order,
        after,
        since: filter.since,
        until: filter.until,
        actor: filter.actor.as_deref(),
        kind: filter.kind.map(EventKind::name),
        most,
    };
    Ok(audit_log::list_audit_entries(engine.store(), &wanted).await?)
}
