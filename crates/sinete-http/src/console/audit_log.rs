//! The audit log on the console: newest first, filtered by kind, days or actor; and the details of an entry.

mod actor_names;

use super::{PageContext, parse_page_id};
use crate::console::audit_log_export::{export_audit_log, requested_format};
use crate::console::list_order::{LOG_ORDERS, ListOrder, OrderChoice};
use crate::console::pagination::ConsolePaging;
use crate::events::audit_log::handlers::is_possible_id;
use actor_names::ActorNames;
use serde_json::{Map, Value};
use sinete_core::events::security_event::EventKind;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::Failure;
use sinete_engine::events::audit_log;
use sinete_engine::events::audit_log::{AuditLogEntry, AuditLogFilter, AuditLogOrder};
use sinete_screens::console::audit_log::{
    AuditLogDetailView, AuditLogFilterForm, AuditLogItem, AuditLogParty, AuditLogView,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::{HandlerError, HandlerResult};

/// The query parameters of the filter.
const FILTERS: [&str; 7] = ["kind", "from", "to", "actor", "subject", "address", "sign_ins"];

/// Lists entries.
pub(super) async fn list_audit_log(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let filter_value = |name: &str| context.query.get(name).unwrap_or_default();
    let order = OrderChoice::from_query(context, LOG_ORDERS, &FILTERS.map(|name| (name, filter_value(name))));
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    // An invalid filter finds nothing, and the page shows the error.
    let (mut read, notice) = match parse_filter(context.query) {
        Ok(filter) => {
            if let Some(format) = requested_format(context) {
                return export_audit_log(context, &filter, format).await;
            }
            let is_oldest_first = order.current == ListOrder::OldestFirst;
            let log_order = if is_oldest_first { AuditLogOrder::OldestFirst } else { filter.order };
            let filter = AuditLogFilter { order: log_order, ..filter };
            let read =
                audit_log::list(engine, access, &filter, paging.after()?, paging.fetch_limit()).await?;
            (read, None)
        }
        Err(notice) => (Vec::new(), Some(notice)),
    };
    let next = paging.split_page(&mut read, |entry| entry.id.to_string());
    let actor = context.query.get("actor").map(str::trim);
    let actor = actor.filter(|actor| !actor.is_empty() && is_possible_id(actor));
    let names = ActorNames::load(context, &read, actor).await?;
    let log_texts: Vec<AuditLogText> = read.iter().map(AuditLogText::from_entry).collect::<Result<_, _>>()?;
    let lines: Vec<AuditLogItem<'_>> =
        read.iter().zip(&log_texts).map(|(entry, log_text)| log_text.to_item(entry, &names)).collect();
    let kind = read.first().map_or_else(|| names.actor_kind_label(actor), |entry| entry.actor_kind.as_str());
    let page = AuditLogView {
        layout: ConsoleLayout { notice, ..context.layout(ConsoleSection::AuditLog) },
        entries: &lines,
        pages: order.to_view(&paging, next.as_deref(), lines.len()),
        filter: AuditLogFilterForm {
            kind: filter_value("kind"),
            // A date field accepts only dates.
            from: Some(filter_value("from")).filter(|day| day_start(day).is_some()).unwrap_or_default(),
            to: Some(filter_value("to")).filter(|day| day_start(day).is_some()).unwrap_or_default(),
            actor: actor.map(|id| names.find_party(kind, Some(id))),
            subject: filter_value("subject").trim(),
            address: filter_value("address").trim(),
            is_without_sign_ins: filter_value("sign_ins") == "exclude",
        },
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Shows an entry.
pub(super) async fn show_audit_log_entry(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let entry =
        audit_log::show(context.engine(), context.access.organization_access(), parse_page_id(id)?).await?;
    let entries = std::slice::from_ref(&entry);
    let names = ActorNames::load(context, entries, None).await?;
    let log_text = AuditLogText::from_entry(&entry)?;
    let facts: Vec<(&str, String)> =
        log_text.detail.iter().map(|(name, value)| (name.as_str(), detail_text(value))).collect();
    let facts: Vec<(&str, &str)> = facts.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let line = log_text.to_item(&entry, &names);
    let subject =
        entry.subject_kind.as_deref().map(|kind| names.find_party(kind, entry.subject_id.as_deref()));
    let whom = subject.map(|it| {
        if it.name.is_empty() && !it.is_self { AuditLogParty { name: line.subject_name, ..it } } else { it }
    });
    let page = AuditLogDetailView {
        layout: context.layout(ConsoleSection::AuditLog),
        entry: line,
        exact_time: &entry.at.to_string(),
        subject: whom,
        reason: &entry.reason,
        address: entry.address.as_deref().unwrap_or_default(),
        user_agent: entry.user_agent.as_deref().unwrap_or_default(),
        facts: &facts,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The time at which a day begins.
pub(super) fn day_start(day: &str) -> Option<Timestamp> {
    format!("{day}T00:00:00Z").parse::<TimeParameter>().ok().map(|TimeParameter(at)| at)
}

/// Parses the filter from the query.
fn parse_filter(query: &FormParams) -> Result<AuditLogFilter, ConsoleNotice> {
    let day = |name: &str| query.get(name).map(|day| day_start(day).ok_or(ConsoleNotice::BadDay)).transpose();
    let kind =
        query.get("kind").map(str::parse::<EventKind>).transpose().map_err(|_| ConsoleNotice::BadKind)?;
    let id = |name: &str| {
        let text = query.get(name).map(str::trim).filter(|text| !text.is_empty());
        let id = text.map(|id| Some(id).filter(|it| is_possible_id(it)).ok_or(ConsoleNotice::Gone));
        Ok(id.transpose()?.map(str::to_owned))
    };
    let address = query.get("address").map(str::trim).filter(|text| !text.is_empty());
    let address = address.map(str::parse::<std::net::IpAddr>).transpose();
    let address = address.map_err(|_| ConsoleNotice::BadNetworkAddress)?;
    let whole_day = |at: Timestamp| at.plus(Lifetime::from_days(1));
    Ok(AuditLogFilter {
        since: day("from")?,
        until: day("to")?.map(whole_day),
        actor: id("actor")?,
        subject: id("subject")?,
        address: address.map(|address| address.to_canonical().to_string()),
        with_sign_ins: query.get("sign_ins") != Some("exclude"),
        kind,
        order: AuditLogOrder::NewestFirst,
    })
}

/// Formats a detail: strings as they are, lists separated by commas, other values as JSON.
fn detail_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(detail_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// An entry, for display.
struct AuditLogText {
    id: String,
    detail: Map<String, Value>,
}

impl AuditLogText {
    fn from_entry(entry: &AuditLogEntry) -> Result<Self, HandlerError> {
        Ok(Self { id: entry.id.to_string(), detail: entry.detail.parse().map_err(Failure::from)? })
    }

    fn to_item<'a>(&'a self, entry: &'a AuditLogEntry, names: &'a ActorNames) -> AuditLogItem<'a> {
        let id = entry.subject_id.as_deref();
        let called = match entry.subject_kind.as_deref() {
            Some("membership") => names.find_party("membership", id).name,
            // An application that no longer exists is called by its id.
            Some("client") if entry.kind == EventKind::GrantGiven.name() => {
                names.other_names.find("client", id).or(id).unwrap_or_default()
            }
            kind => {
                let recorded = self.detail.get("name").and_then(Value::as_str);
                recorded.or_else(|| names.other_names.find(kind?, id)).unwrap_or_default()
            }
        };
        AuditLogItem {
            id: &self.id,
            kind: &entry.kind,
            subject_name: called,
            actor: names.find_party(&entry.actor_kind, entry.actor_id.as_deref()),
            at: DisplayTime(entry.at.seconds()),
            address: entry.address.as_deref().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_screens::console::audit_log::EVENT_KIND_GROUPS;
    use sinete_screens::language::UiLanguage;
    use sinete_screens::locales::EventKindPhrases;

    #[test]
    fn audit_log_page_describes_every_event_kind() {
        for kind in EventKind::ALL {
            assert!(UiLanguage::English.phrases().event_kind.label(kind.name()).is_some(), "{kind}");
        }
        assert_eq!(EventKindPhrases::NAMES.len(), EventKind::ALL.len());
    }

    /// Events about accounts, sessions, tokens and the instance are only in the security log, and in no audit
    /// log.
    const IN_NO_TRAIL: &[&str] = &[
        "instance.created",
        "server.started",
        "server.stopped",
        "signing_key.generated",
        "signing_key.imported",
        "signing_key.rotated",
        "signing_key.revoked",
        "instance_key.rotated",
        "backup.taken",
        "backup.restored",
        "log.exported",
        "log.personal_erased",
        "log.archived",
        "log.cut",
        "message.given_up",
        "client.proof_failed",
        "client.registrations_expired",
        "consent.given",
        "consent.denied",
        "code.redeemed",
        "code.replayed",
        "code.misdirected",
        "device.requested",
        "device.recognised",
        "device.user_code_failed",
        "device.allowed",
        "device.denied",
        "device_code.redeemed",
        "device_code.replayed",
        "device_code.misdirected",
        "approval.requested",
        "approval.given",
        "approval.redeemed",
        "approval.replayed",
        "approval.misdirected",
        "approval.notice_given_up",
        "refresh_token.rotated",
        "refresh_token.used",
        "refresh_token.reused",
        "refresh_token.misdirected",
        "token.issued",
        "token.exchanged",
        "access_token.revoked",
        "contact.verified",
        "password.set",
        "credential.disabled",
        "session.started",
        "sign_in.new_device",
        "sign_in.impossible_travel",
        "sign_in.disavowed",
        "session.renewed",
        "logout.not_delivered",
        "session.ended",
        "credential.added",
        "credential.renamed",
        "credential.removed",
        "contact.added",
        "contact.made_primary",
        "email.changed",
        "email.restored",
        "contact.removed",
        "account.changed",
        "account.exported",
        "application.removed",
        "identity.unlinked",
    ];

    #[test]
    fn audit_log_filter_offers_every_event_kind_it_can_contain() {
        let is_offered = |kind: &str| EVENT_KIND_GROUPS.iter().any(|heading| heading.kinds.contains(&kind));
        for kind in EventKind::ALL {
            let (is_offered, is_elsewhere) = (is_offered(kind.name()), IN_NO_TRAIL.contains(&kind.name()));
            assert!(
                is_offered != is_elsewhere,
                "{kind}: either it can be selected, or it is in no audit log"
            );
        }
        assert!(IN_NO_TRAIL.iter().all(|kind| kind.parse::<EventKind>().is_ok()));
        assert!(is_offered("relationships.changed"));
    }

    #[test]
    fn audit_log_filter_offers_each_event_kind_once() {
        let mut event_kinds: Vec<&str> =
            EVENT_KIND_GROUPS.iter().flat_map(|heading| heading.kinds).copied().collect();
        assert!(event_kinds.iter().all(|kind| kind.parse::<EventKind>().is_ok()));
        let count = event_kinds.len();
        event_kinds.sort_unstable();
        event_kinds.dedup();
        assert_eq!(event_kinds.len(), count);
    }

    #[test]
    fn audit_log_filter_uses_whole_days_and_reports_invalid_values() {
        let parse_query = |query: &str| parse_filter(&FormParams::parse(query.as_bytes()).unwrap());
        let one_day = parse_query("from=2026-11-16&to=2026-11-16").unwrap();
        let (since, until) = (one_day.since.unwrap(), one_day.until.unwrap());
        assert_eq!(since.to_string(), "2026-11-16T00:00:00.000000Z");
        assert_eq!(until.since(since), Lifetime::from_days(1));
        assert!(parse_query("kind=role.created").unwrap().kind == Some(EventKind::RoleCreated));
        for (query, notice) in [
            ("from=2026-02-30", ConsoleNotice::BadDay),
            ("to=yesterday", ConsoleNotice::BadDay),
            ("from=2026-11-16T00:00:00Z", ConsoleNotice::BadDay),
            ("kind=role.forgotten", ConsoleNotice::BadKind),
            ("actor=a%20b", ConsoleNotice::Gone),
            ("subject=a%20b", ConsoleNotice::Gone),
            ("address=192.0.2", ConsoleNotice::BadNetworkAddress),
        ] {
            assert_eq!(parse_query(query).unwrap_err(), notice, "{query}");
        }
    }

    #[test]
    fn audit_log_fact_is_rendered_without_json_syntax() {
        let fact = serde_json::json!({"list": ["a", "b"], "text": "t", "number": 3, "deep": {"x": 1}});
        let render_fact = |name: &str| detail_text(&fact[name]);
        assert_eq!(
            [render_fact("list"), render_fact("text"), render_fact("number"), render_fact("deep")],
            ["a, b", "t", "3", "{\"x\":1}"]
        );
    }
}
