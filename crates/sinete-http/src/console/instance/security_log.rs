//! The security log of the instance.

use crate::console::operations::list::{OperationList, choice_filter, day_filter, load_table, text_filter};
use crate::console::operations::values::{cell_at, code_at, is_present, is_true, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::events::security_event::EventKind;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockCell, BlockField, CellTone, FactsBlock, PageBlock, TableRow};
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/events",
        section: ConsoleSection::SecurityLog,
        reads: &["listEvents", "getSecurityLog"],
        forms: &[],
        show: |context, _| Box::pin(list_events(context)),
    },
    OperationPage {
        path: "/instance/events/{event}",
        section: ConsoleSection::SecurityLog,
        reads: &["getEvent"],
        forms: &[],
        show: |context, id| Box::pin(show_event(context, id)),
    },
];

async fn list_events(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    // Its filter by kind is long, so the page has fewer rows.
    let rows = if context.query.get("format").is_some() { "200" } else { "25" };
    let list = OperationList {
        id: "events",
        call: context.operation("listEvents").query("order", "newest").query("limit", rows),
        title: phrases.instance.events_all,
        introduction: "",
        empty: phrases.audit_log.none,
        columns: vec![
            phrases.audit_log.when,
            phrases.audit_log.kind,
            phrases.audit_log.who,
            phrases.audit_log.whom,
            phrases.instance.organization,
            phrases.instance.network_address,
        ],
        filters: vec![
            kind_filter(context),
            text_filter("account", phrases.instance.event_account, ""),
            text_filter("organization", phrases.instance.organization, phrases.instance.organization_id_hint),
            text_filter("address", phrases.instance.network_address, phrases.instance.events_address_hint),
            day_filter("since", phrases.audit_log.from),
            day_filter("until", phrases.audit_log.to),
        ],
    };
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::link(
                context.frame().event_kind_label(&text_at(it, "/kind")).to_owned(),
                format!("/instance/events/{}", text_at(it, "/id")),
            ),
            party_cell(context, it, "/actor"),
            party_cell(context, it, "/subject"),
            organization_cell(it),
            cell_at(it, "/address"),
        ],
        button: None,
    });
    let table = table.await?;
    let mut blocks = vec![PageBlock::Table(table)];
    // The state of the log is on its first page.
    if context.query.get("after").is_none() && context.query.get("format").is_none() {
        blocks.push(PageBlock::Facts(load_log_status(context).await?));
    }
    Ok(PageContent {
        title: phrases.instance.events.to_owned(),
        introduction: phrases.instance.events_lead.to_owned(),
        blocks,
    })
}

/// The signed head of the log, and its archive.
async fn load_log_status(context: &PageContext<'_>) -> Result<FactsBlock, HandlerError> {
    let phrases = &context.phrases().log_status;
    let status = context.send(context.operation("getSecurityLog")).await?.body;
    let state = match is_true(&status, "/valid") {
        true => BlockCell::tag(phrases.valid, CellTone::Good),
        false => BlockCell::tag(phrases.invalid, CellTone::Warn)
            .append(BlockCell::english_text(text_at(&status, "/finding"))),
    };
    let archive = match text_at(&status, "/archive/position") {
        position if position.is_empty() => BlockCell::text(phrases.archive_none),
        position => BlockCell::text(phrases.archived(text_at(&status, "/archive/segments"), position))
            .append(time_at(&status, "/archive/archived_at")),
    };
    let checkpoint = match text_at(&status, "/checkpoint/position") {
        position if position.is_empty() => BlockCell::text(phrases.checkpoint_none),
        position => BlockCell::text(phrases.cut(position)).append(time_at(&status, "/checkpoint/cut_at")),
    };
    let facts = vec![
        (phrases.state.to_owned(), state),
        (phrases.position.to_owned(), code_at(&status, "/head/position")),
        (phrases.hash.to_owned(), code_at(&status, "/head/hash")),
        (phrases.sealed_at.to_owned(), time_at(&status, "/head/sealed_at")),
        (phrases.kid.to_owned(), code_at(&status, "/head/kid")),
        (phrases.signature.to_owned(), code_at(&status, "/head/signature")),
        (phrases.unsealed.to_owned(), cell_at(&status, "/unsealed")),
        (phrases.archive.to_owned(), archive),
        (phrases.checkpoint.to_owned(), checkpoint),
        (phrases.last_verified.to_owned(), last_verification(context, &status)),
        (
            phrases.verification.to_owned(),
            BlockCell::text(phrases.verify).append(BlockCell::code("sinete log verify")),
        ),
    ];
    Ok(FactsBlock { id: "log-status".to_owned(), title: phrases.title.to_owned(), facts, links: Vec::new() })
}

/// When the whole log was last verified, and with which result.
fn last_verification(context: &PageContext<'_>, status: &Value) -> BlockCell {
    let phrases = &context.phrases().log_status;
    if !is_present(status, "/last_verification") {
        return BlockCell::text(phrases.never_verified);
    }
    let findings = text_at(status, "/last_verification/findings");
    let result = match findings == "0" {
        true => BlockCell::tag(phrases.nothing_found, CellTone::Good),
        false => BlockCell::tag(phrases.found(findings), CellTone::Warn),
    };
    let position = text_at(status, "/last_verification/position");
    let head = match position.is_empty() {
        true => BlockCell::default(),
        false => BlockCell::text(phrases.verified_up_to(position)),
    };
    result.append(time_at(status, "/last_verification/verified_at")).append(head)
}

/// The filter by kind of event, in the order of the labels.
fn kind_filter(context: &PageContext<'_>) -> BlockField {
    let (phrases, frame) = (context.phrases(), context.frame());
    let mut kinds: Vec<(&str, &str)> =
        EventKind::ALL.iter().map(|kind| (kind.name(), frame.event_kind_label(kind.name()))).collect();
    kinds.sort_by_key(|(_, label)| label.to_lowercase());
    kinds.insert(0, ("", phrases.audit_log.any_kind));
    choice_filter("kind", phrases.audit_log.kind, &kinds)
}

/// Who did something, or to whom: its kind, and a link if it is an account.
fn party_cell(context: &PageContext<'_>, event: &Value, pointer: &str) -> BlockCell {
    let (kind, id) = (text_at(event, &format!("{pointer}/kind")), text_at(event, &format!("{pointer}/id")));
    match (kind.as_str(), id.is_empty()) {
        ("account", false) if context.can_call("getManagedAccount") => {
            BlockCell::link(kind, format!("/instance/users/{id}"))
        }
        ("client", false) => BlockCell::link(id.clone(), format!("/instance/applications/{id}")),
        _ => BlockCell::text(kind),
    }
}

fn organization_cell(event: &Value) -> BlockCell {
    match text_at(event, "/organization") {
        id if id.is_empty() => BlockCell::default(),
        id => {
            BlockCell::link(id.chars().take(8).collect::<String>(), format!("/instance/organizations/{id}"))
        }
    }
}

async fn show_event(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let event = context.send(context.operation("getEvent").path("event", id)).await?.body;
    let title = context.frame().event_kind_label(&text_at(&event, "/kind")).to_owned();
    let detail = event.pointer("/detail").and_then(Value::as_object);
    let mut facts = vec![
        (phrases.blocks.id.to_owned(), code_at(&event, "/id")),
        (phrases.audit_log.name.to_owned(), code_at(&event, "/kind")),
        (phrases.audit_log.when.to_owned(), time_at(&event, "/at")),
        (
            phrases.audit_log.who.to_owned(),
            party_cell(context, &event, "/actor").append(code_at(&event, "/actor/id")),
        ),
        (
            phrases.audit_log.whom.to_owned(),
            party_cell(context, &event, "/subject").append(code_at(&event, "/subject/id")),
        ),
        (phrases.instance.organization.to_owned(), organization_cell(&event)),
        (phrases.applications.client_id.to_owned(), code_at(&event, "/client")),
        (phrases.instance.network_address.to_owned(), cell_at(&event, "/address")),
        (phrases.instance.user_agent.to_owned(), cell_at(&event, "/user_agent")),
        (phrases.instance.request_id.to_owned(), code_at(&event, "/request")),
    ];
    for (name, value) in detail.into_iter().flatten() {
        facts.push((name.clone(), cell_at(value, "")));
    }
    let facts = FactsBlock {
        id: "event".to_owned(),
        title: phrases.audit_log.facts.to_owned(),
        facts,
        links: Vec::new(),
    };
    Ok(PageContent { title, introduction: String::new(), blocks: vec![PageBlock::Facts(facts)] })
}
