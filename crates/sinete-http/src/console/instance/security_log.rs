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
        show: |work, _| Box::pin(list_events(work)),
    },
    OperationPage {
        path: "/instance/events/{event}",
        section: ConsoleSection::SecurityLog,
        reads: &["getEvent"],
        forms: &[],
        show: |work, id| Box::pin(show_event(work, id)),
    },
];

async fn list_events(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    // Its filter by kind is long, so the page has fewer rows.
    let rows = if work.query.get("format").is_some() { "200" } else { "25" };
    let list = OperationList {
        id: "events",
        call: work.operation("listEvents").query("order", "newest").query("limit", rows),
        title: words.instance.events_all,
        lead: "",
        empty: words.audit_log.none,
        columns: vec![
            words.audit_log.when,
            words.audit_log.kind,
            words.audit_log.who,
            words.audit_log.whom,
            words.instance.organization,
            words.instance.network_address,
        ],
        filters: vec![
            kind_filter(work),
            text_filter("account", words.instance.event_account, ""),
            text_filter("organization", words.instance.organization, words.instance.organization_id_hint),
            text_filter("address", words.instance.network_address, words.instance.events_address_hint),
            day_filter("since", words.audit_log.from),
            day_filter("until", words.audit_log.to),
        ],
    };
    let table = load_table(work, list, |it| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::link(
                work.frame().event_kind_label(&text_at(it, "/kind")).to_owned(),
                format!("/instance/events/{}", text_at(it, "/id")),
            ),
            party(work, it, "/actor"),
            party(work, it, "/subject"),
            organization_cell(it),
            cell_at(it, "/address"),
        ],
        button: None,
    });
    let table = table.await?;
    let mut blocks = vec![PageBlock::Table(table)];
    // The state of the log is on its first page.
    if work.query.get("after").is_none() && work.query.get("format").is_none() {
        blocks.push(PageBlock::Facts(load_log_status(work).await?));
    }
    Ok(PageContent {
        title: words.instance.events.to_owned(),
        lead: words.instance.events_lead.to_owned(),
        blocks,
    })
}

/// The signed head of the log, and its archive.
async fn load_log_status(work: &PageContext<'_>) -> Result<FactsBlock, HandlerError> {
    let words = &work.words().log_status;
    let status = work.send(work.operation("getSecurityLog")).await?.body;
    let state = match is_true(&status, "/valid") {
        true => BlockCell::tag(words.valid, CellTone::Good),
        false => BlockCell::tag(words.invalid, CellTone::Warn)
            .and(BlockCell::english(text_at(&status, "/finding"))),
    };
    let archive = match text_at(&status, "/archive/position") {
        position if position.is_empty() => BlockCell::text(words.archive_none),
        position => BlockCell::text(words.archived(position, text_at(&status, "/archive/segments")))
            .and(time_at(&status, "/archive/archived_at")),
    };
    let checkpoint = match text_at(&status, "/checkpoint/position") {
        position if position.is_empty() => BlockCell::text(words.checkpoint_none),
        position => BlockCell::text(words.cut(position)).and(time_at(&status, "/checkpoint/cut_at")),
    };
    let facts = vec![
        (words.state.to_owned(), state),
        (words.position.to_owned(), code_at(&status, "/head/position")),
        (words.hash.to_owned(), code_at(&status, "/head/hash")),
        (words.sealed_at.to_owned(), time_at(&status, "/head/sealed_at")),
        (words.kid.to_owned(), code_at(&status, "/head/kid")),
        (words.signature.to_owned(), code_at(&status, "/head/signature")),
        (words.unsealed.to_owned(), cell_at(&status, "/unsealed")),
        (words.archive.to_owned(), archive),
        (words.checkpoint.to_owned(), checkpoint),
        (words.last_verified.to_owned(), last_verification(work, &status)),
        (
            words.verification.to_owned(),
            BlockCell::text(words.verify).and(BlockCell::code("sinete log verify")),
        ),
    ];
    Ok(FactsBlock { id: "log-status".to_owned(), title: words.title.to_owned(), facts, links: Vec::new() })
}

/// When the whole log was last verified, and with which result.
fn last_verification(work: &PageContext<'_>, status: &Value) -> BlockCell {
    let words = &work.words().log_status;
    if !is_present(status, "/last_verification") {
        return BlockCell::text(words.never_verified);
    }
    let findings = text_at(status, "/last_verification/findings");
    let result = match findings == "0" {
        true => BlockCell::tag(words.nothing_found, CellTone::Good),
        false => BlockCell::tag(words.found(findings), CellTone::Warn),
    };
    let position = text_at(status, "/last_verification/position");
    let head = match position.is_empty() {
        true => BlockCell::default(),
        false => BlockCell::text(words.verified_up_to(position)),
    };
    result.and(time_at(status, "/last_verification/verified_at")).and(head)
}

/// The filter by kind of event, in the order of the labels.
fn kind_filter(work: &PageContext<'_>) -> BlockField {
    let (words, frame) = (work.words(), work.frame());
    let mut kinds: Vec<(&str, &str)> =
        EventKind::ALL.iter().map(|kind| (kind.name(), frame.event_kind_label(kind.name()))).collect();
    kinds.sort_by_key(|(_, label)| label.to_lowercase());
    kinds.insert(0, ("", words.audit_log.any_kind));
    choice_filter("kind", words.audit_log.kind, &kinds)
}

/// Who did something, or to whom: its kind, and a link if it is an account.
fn party(work: &PageContext<'_>, event: &Value, pointer: &str) -> BlockCell {
    let (kind, id) = (text_at(event, &format!("{pointer}/kind")), text_at(event, &format!("{pointer}/id")));
    match (kind.as_str(), id.is_empty()) {
        ("account", false) if work.may_call("getManagedAccount") => {
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

async fn show_event(work: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let event = work.send(work.operation("getEvent").path("event", id)).await?.body;
    let title = work.frame().event_kind_label(&text_at(&event, "/kind")).to_owned();
    let detail = event.pointer("/detail").and_then(Value::as_object);
    let mut facts = vec![
        (words.blocks.id.to_owned(), code_at(&event, "/id")),
        (words.audit_log.name.to_owned(), code_at(&event, "/kind")),
        (words.audit_log.when.to_owned(), time_at(&event, "/at")),
        (words.audit_log.who.to_owned(), party(work, &event, "/actor").and(code_at(&event, "/actor/id"))),
        (
            words.audit_log.whom.to_owned(),
            party(work, &event, "/subject").and(code_at(&event, "/subject/id")),
        ),
        (words.instance.organization.to_owned(), organization_cell(&event)),
        (words.applications.client_id.to_owned(), code_at(&event, "/client")),
        (words.instance.network_address.to_owned(), cell_at(&event, "/address")),
        (words.instance.user_agent.to_owned(), cell_at(&event, "/user_agent")),
        (words.instance.request_id.to_owned(), code_at(&event, "/request")),
    ];
    for (name, value) in detail.into_iter().flatten() {
        facts.push((name.clone(), cell_at(value, "")));
    }
    let facts = FactsBlock {
        id: "event".to_owned(),
        title: words.audit_log.facts.to_owned(),
        facts,
        links: Vec::new(),
    };
    Ok(PageContent { title, lead: String::new(), blocks: vec![PageBlock::Facts(facts)] })
}
