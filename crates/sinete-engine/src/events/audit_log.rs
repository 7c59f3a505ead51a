//! An organization's audit log, read by its members and, recorded as such, by operators.

pub mod entry;
pub mod names;
pub mod retention;

use self::names::AuditLogNames;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::READ_AUDIT;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{ApiKeyId, EventId, MembershipId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::events::audit_log;
use sinete_store::events::audit_log::AuditLogQuery;
use sinete_store::organizations::member_batch;
use std::str::FromStr;

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
    /// Only entries about the subject with this id; for a sign-in, the client.
    pub subject: Option<String>,
    /// Only entries of requests from this network address.
    pub address: Option<String>,
    /// Whether sign-ins are included. With their kind in the filter, they always are.
    pub with_sign_ins: bool,
    /// The order.
    pub order: AuditLogOrder,
}

/// Lists entries. A read by a non-member is recorded before it is answered.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    filter: &AuditLogFilter,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<AuditLogEntry>, Error> {
    access.require_read_permission(READ_AUDIT)?;
    access.record_read_by_non_member(engine, "audit").await?;
    Ok(load_entries(engine, access, filter, after, limit).await?)
}

/// Shows one entry.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: EventId) -> Result<AuditLogEntry, Error> {
    access.require_read_permission(READ_AUDIT)?;
    access.record_read_by_non_member(engine, "audit").await?;
    let log_entry = audit_log::find_audit_entry(engine.store(), access.organization.id, id).await?;
    let mut log_entry = log_entry
        .ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such entry of this audit log"))?;
    hide_operator_origins(engine, access, std::slice::from_mut(&mut log_entry)).await?;
    Ok(log_entry)
}

/// The memberships that belong or belonged to the organization. Other actors in its audit log are operators,
/// who act as members of the operators' organization.
pub async fn filter_organization_members(
    engine: &Engine,
    access: &OrganizationAccess,
    ids: &[MembershipId],
) -> Result<Vec<MembershipId>, Error> {
    access.require_read_permission(READ_AUDIT)?;
    Ok(member_batch::find_current_or_former_members(engine.store(), access.organization.id, ids).await?)
}

/// Loads the names of what the entries refer to.
pub async fn load_names(
    engine: &Engine,
    access: &OrganizationAccess,
    entries: &[AuditLogEntry],
) -> Result<AuditLogNames, Error> {
    access.require_read_permission(READ_AUDIT)?;
    let mut names = AuditLogNames::default();
    names.load(engine, access, entries).await?;
    Ok(names)
}

/// An export in progress, page by page. Only the position and some names are kept in memory.
#[derive(Debug)]
pub struct AuditLogExport {
    access: OrganizationAccess,
    filter: AuditLogFilter,
    after: Option<EventId>,
    is_finished: bool,
    names: AuditLogNames,
}

/// Starts an export of the matching entries up to now, so that a growing log does not extend it indefinitely.
pub async fn export(
    engine: &Engine,
    access: &OrganizationAccess,
    filter: &AuditLogFilter,
) -> Result<AuditLogExport, Error> {
    access.require_read_permission(READ_AUDIT)?;
    access.record_read_by_non_member(engine, "audit").await?;
    let now_included = access.now().plus(Lifetime::from_micros(1));
    let until = filter.until.map_or(now_included, |until| until.min(now_included));
    let filter = AuditLogFilter { until: Some(until), ..filter.clone() };
    Ok(AuditLogExport {
        access: access.clone(),
        filter,
        after: None,
        is_finished: false,
        names: AuditLogNames::default(),
    })
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

    /// The names of what these entries refer to.
    pub async fn load_names(
        &mut self,
        engine: &Engine,
        entries: &[AuditLogEntry],
    ) -> Result<&AuditLogNames, Failure> {
        self.names.load(engine, &self.access, entries).await?;
        Ok(&self.names)
    }
}

/// How many pages are read for one of an address, if all but the last are of operators.
const ADDRESS_PAGES_MAX: usize = 20;

async fn load_entries(
    engine: &Engine,
    access: &OrganizationAccess,
    filter: &AuditLogFilter,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<AuditLogEntry>, Failure> {
    let mut query = AuditLogQuery {
        organization: access.organization.id,
        order: filter.order,
        after,
        since: filter.since,
        until: filter.until,
        actor: filter.actor.as_deref(),
        kind: filter.kind.map(EventKind::name),
        subject: filter.subject.as_deref(),
        address: filter.address.as_deref(),
        with_sign_ins: filter.with_sign_ins,
        limit,
    };
    let size = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut entries = Vec::new();
    for _ in 0..ADDRESS_PAGES_MAX {
        let mut page = audit_log::list_audit_entries(engine.store(), &query).await?;
        let (is_last, last) = (page.len() < size, page.last().map(|entry| entry.id));
        hide_operator_origins(engine, access, &mut page).await?;
        // A filter by address must not reveal what is hidden.
        entries.extend(page.into_iter().filter(|entry| query.address.is_none() || entry.address.is_some()));
        if is_last || entries.len() >= size || query.address.is_none() {
            break;
        }
        query.after = last;
    }
    entries.truncate(size);
    Ok(entries)
}

/// Removes the network addresses of operators: an organization learns where its own members and applications act from,
/// and no more (docs/contribute/decisions/0308-audit-log-filters-and-sign-ins.md).
async fn hide_operator_origins(
    engine: &Engine,
    access: &OrganizationAccess,
    entries: &mut [AuditLogEntry],
) -> Result<(), Failure> {
    let (store, organization) = (engine.store(), access.organization.id);
    let members: Vec<MembershipId> = entries.iter().filter_map(|it| parse_actor(it, "membership")).collect();
    let keys: Vec<ApiKeyId> = entries.iter().filter_map(|it| parse_actor(it, "api_key")).collect();
    let own_members = member_batch::find_current_or_former_members(store, organization, &members).await?;
    let own_keys = member_batch::find_organization_api_keys(store, organization, &keys).await?;
    for entry in entries {
        let is_stranger = parse_actor(entry, "membership").is_some_and(|id| !own_members.contains(&id))
            || parse_actor(entry, "api_key").is_some_and(|id| !own_keys.contains(&id));
        let is_administered = entry.kind == EventKind::OrganizationAdministered.name();
        if is_stranger || is_administered || !entry.reason.is_empty() {
            (entry.address, entry.user_agent) = (None, None);
        }
    }
    Ok(())
}

/// The id of the actor, if it is of this kind.
fn parse_actor<Id: FromStr>(entry: &AuditLogEntry, kind: &str) -> Option<Id> {
    entry.actor_id.as_deref().filter(|_| entry.actor_kind == kind)?.parse().ok()
}
