//! All events, for operators: in pages, or as a stream.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::with_audit_log_event;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, EventId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_store::events::security_log;
use sinete_store::events::security_log::{NewestEvents, NewestEventsOf};
use sinete_store::events::webhooks::delivery;
use sinete_store::events::webhooks::delivery::{ChainPositionRange, ChainedEvent, SCANNED_POSITIONS_MAX};
use sinete_store::{BatchOutcome, WriteBatch, organizations};
use std::collections::BTreeSet;

pub use sinete_store::events::security_log::SecurityLogEntry;

/// The required permission.
const READ_PERMISSION: &str = READ_INSTANCE;
/// Maximum events in one page of the stream.
const PAGE_MAX: u32 = 100;
/// The detail in an organization's audit log for a read of its events.
const READ_DETAIL: &str = "looked_at";
const EVENTS: &str = "events";

/// A filter for events.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only events from this time on.
    pub since: Option<Timestamp>,
    /// Only events before this time; only with the newest first.
    pub until: Option<Timestamp>,
    /// Only events of this organization.
    pub organization: Option<OrganizationId>,
    /// Only events with this account as actor or subject; only with the newest first.
    pub account: Option<AccountId>,
    /// Only events of this kind; only with the newest first.
    pub kind: Option<EventKind>,
    /// Only events of requests from this network address; only with the newest first.
    pub address: Option<String>,
    /// The order.
    pub order: EventOrder,
}

/// The order of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventOrder {
    /// The oldest first.
    #[default]
    Oldest,
    /// The newest first.
    Newest,
}

/// Lists events of the security log.
pub async fn list(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    filter: &EventFilter,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, Error> {
    instance_admin.require_permission(READ_PERMISSION)?;
    // The id just before the first one of a time: ids begin with the time.
    let since = filter.since.map(|since| EventId::lower_bound_at(since).previous());
    let is_narrow = filter.account.is_some()
        || filter.kind.is_some()
        || filter.address.is_some()
        || filter.until.is_some();
    if filter.order == EventOrder::Newest || is_narrow {
        let of = match (filter.account, filter.organization) {
            (Some(account), organization) => NewestEventsOf::Account(account, organization),
            (None, Some(organization)) => NewestEventsOf::Organization(organization),
            (None, None) => NewestEventsOf::All,
        };
        let until = filter.until.map(EventId::lower_bound_at);
        let before = after.map_or(until, |after| Some(until.map_or(after, |until| until.min(after))));
        let kind = filter.kind.map(EventKind::name);
        let list = NewestEvents { scope: of, kind, address: filter.address.as_deref(), before, since };
        let page = security_log::list_newest_events(engine.store(), list, limit).await?;
        let event_summaries =
            page.iter().map(|it| (it.event.organization, &*it.event.kind, &*it.event.detail));
        record_reads(engine, instance_admin, affected_organizations(event_summaries)).await?;
        return Ok(page);
    }
    let after = after.max(since);
    Ok(match filter.organization {
        None => {
            let page = security_log::list_events(engine.store(), after, limit).await?;
            let event_summaries =
                page.iter().map(|it| (it.event.organization, &*it.event.kind, &*it.event.detail));
            record_reads(engine, instance_admin, affected_organizations(event_summaries)).await?;
            page
        }
        Some(organization) => {
            record_reads(engine, instance_admin, [organization]).await?;
            security_log::list_organization_events(engine.store(), organization, after, limit).await?
        }
    })
}

/// Shows one event.
pub async fn show(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: EventId,
) -> Result<SecurityLogEntry, Error> {
    instance_admin.require_permission(READ_PERMISSION)?;
    let none = || Refusal::because(RequestRefusal::NotFound, "no such event");
    let log_entry = security_log::find_event(engine.store(), id).await?;
    record_reads(engine, instance_admin, log_entry.as_ref().and_then(|entry| entry.event.organization))
        .await?;
    Ok(log_entry.ok_or_else(none)?)
}

/// The organizations whose events are shown, given organization, kind and detail of each event. Records of
/// such reads are not counted, because reading them would create new ones endlessly.
fn affected_organizations<'a>(
    event_summaries: impl Iterator<Item = (Option<OrganizationId>, &'a str, &'a str)>,
) -> BTreeSet<OrganizationId> {
    let is_record_of_a_look = |kind: &str, detail: &str| {
        kind == EventKind::OrganizationAdministered.name()
            && serde_json::from_str::<serde_json::Value>(detail).is_ok_and(|it| it[READ_DETAIL] == EVENTS)
    };
    event_summaries
        .filter(|(_, kind, detail)| !is_record_of_a_look(kind, detail))
        .filter_map(|(organization, ..)| organization)
        .collect()
}

/// Records in the audit log of each organization that operators read its events, in one commit and before
/// they are shown. All reads of events by operators pass here.
async fn record_reads(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    organizations: impl IntoIterator<Item = OrganizationId>,
) -> Result<(), Failure> {
    let mut batch = WriteBatch::new();
    for organization in organizations {
        let organization_row =
            organizations::find_organization(engine.store(), organization, instance_admin.now()).await?;
        if organization_row.is_none() || organization == instance_admin.operator_organization() {
            continue;
        }
        let kind = EventKind::OrganizationAdministered;
        let event = instance_admin.event(engine, kind, organization).with_detail(READ_DETAIL, EVENTS);
        batch = with_audit_log_event(batch, &event, organization, "")?;
    }
    if batch.is_empty() {
        return Ok(());
    }
    // This batch cannot conflict: it only adds rows with new ids.
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended),
    }
}

/// The position of a stream in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventCursor {
    position: i64,
    /// The organizations whose audit logs already record that their events are streamed.
    audited_organizations: BTreeSet<OrganizationId>,
}

impl EventCursor {
    /// Starts now, or after the last event that was received.
    pub async fn start(
        engine: &Engine,
        instance_admin: &InstanceAdmin,
        last: Option<EventId>,
    ) -> Result<Self, Error> {
        instance_admin.require_permission(READ_PERMISSION)?;
        let position = match last {
            None => Some(delivery::find_delivery_scan(engine.store()).await?.head),
            Some(last) => delivery::find_event_position(engine.store(), last).await?,
        };
        Ok(position.map(|position| Self { position, audited_organizations: BTreeSet::new() }).ok_or_else(
            || Refusal::because(RequestRefusal::LastEventIdUnknown, "the event has no position in the log"),
        )?)
    }

    /// The events since, in log order, without gaps and duplicates. Each organization's audit log records the
    /// read before its first event is shown.
    pub async fn next_events(
        &mut self,
        engine: &Engine,
        instance_admin: &InstanceAdmin,
    ) -> Result<Vec<ChainedEvent>, Failure> {
        let head = delivery::find_delivery_scan(engine.store()).await?.head;
        let up_to = head.min(self.position + SCANNED_POSITIONS_MAX);
        if up_to <= self.position {
            return Ok(Vec::new());
        }
        let places = ChainPositionRange { after: self.position, up_to };
        let events = delivery::list_chained_events(engine.store(), None, places, PAGE_MAX).await?;
        let event_summaries = events.iter().map(|it| (it.organization, &*it.kind, &*it.detail));
        let new: Vec<_> = affected_organizations(event_summaries)
            .difference(&self.audited_organizations)
            .copied()
            .collect();
        record_reads(engine, instance_admin, new.iter().copied()).await?;
        self.audited_organizations.extend(new);
        self.position = events.last().map_or(up_to, |last| last.position);
        Ok(events)
    }
}
