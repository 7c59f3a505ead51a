//! The checks of `sinete doctor`, on the node that answers, and the backups that the security log recorded.

use crate::console::operations::values::{code_at, is_true, items_at, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::events::security_event::EventKind;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, TableBlock, TableRow,
};
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/doctor",
    section: ConsoleSection::HealthChecks,
    reads: &["getDiagnostics", "listEvents"],
    forms: &[],
    show: |work, _| Box::pin(show_checks(work)),
}];

async fn show_checks(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let contacts_others = work.query.get("connections") == Some("true");
    let call = work.operation("getDiagnostics");
    let call = if contacts_others { call.query("connections", "true") } else { call };
    let report = work.send(call).await?.body;
    let ready = match is_true(&report, "/production_ready") {
        true => BlockCell::tag(words.instance.checks_ready, CellTone::Good),
        false => BlockCell::tag(words.instance.checks_not_ready, CellTone::Warn),
    };
    let with_others = BlockLink {
        text: words.instance.checks_connections.to_owned(),
        path: format!("{}?connections=true", work.path),
    };
    let summary = FactsBlock {
        id: "summary".to_owned(),
        title: words.console.overview.to_owned(),
        facts: vec![
            (words.instance.checks_production.to_owned(), ready),
            (words.instance.mode.to_owned(), BlockCell::text(text_at(&report, "/mode"))),
        ],
        links: if contacts_others { Vec::new() } else { vec![with_others] },
    };
    let verdicts = [
        ("blocker", words.instance.check_blocker, CellTone::Warn),
        ("warning", words.instance.check_warning, CellTone::Warn),
        ("passed", words.instance.check_passed, CellTone::Good),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            state_at(it, "/verdict", &verdicts),
            BlockCell::keyword(text_at(it, "/check")),
            BlockCell::english(text_at(it, "/what")),
            BlockCell::english(text_at(it, "/remedy")),
        ],
        button: None,
    };
    let columns =
        [words.console.state, words.instance.check, words.instance.check_found, words.instance.check_fix];
    let table = TableBlock {
        id: "checks".to_owned(),
        title: words.instance.checks_all.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&report, "/findings").iter().map(row).collect(),
        ..TableBlock::default()
    };
    let mut blocks = vec![PageBlock::Facts(summary), PageBlock::Table(table)];
    if work.may_call("listEvents") {
        blocks.push(PageBlock::Table(load_backups(work).await?));
    }
    Ok(PageContent {
        title: words.instance.checks.to_owned(),
        lead: words.instance.checks_lead.to_owned(),
        blocks,
    })
}

/// The latest backups by `sinete backup`, which records each in the security log.
async fn load_backups(work: &PageContext<'_>) -> Result<TableBlock, HandlerError> {
    let words = work.words();
    let kind = EventKind::BackupTaken.name();
    let call = work.operation("listEvents").query("kind", kind).query("order", "newest").query("limit", "5");
    let taken = work.send(call).await?.body;
    let row = |it: &Value| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::text(text_at(it, "/detail/size_bytes")),
            code_at(it, "/detail/sha256"),
        ],
        button: None,
    };
    let columns = [words.audit_log.when, words.backups.size, words.backups.digest];
    Ok(TableBlock {
        id: "backups".to_owned(),
        title: words.backups.title.to_owned(),
        lead: words.backups.lead.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&taken, "/items").iter().map(row).collect(),
        empty: words.backups.none.to_owned(),
        ..TableBlock::default()
    })
}
