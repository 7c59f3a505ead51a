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
    show: |context, _| Box::pin(show_checks(context)),
}];

async fn show_checks(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let contacts_others = context.query.get("connections") == Some("true");
    let operation_call = context.operation("getDiagnostics");
    let operation_call =
        if contacts_others { operation_call.query("connections", "true") } else { operation_call };
    let report = context.send(operation_call).await?.body;
    let ready = match is_true(&report, "/production_ready") {
        true => BlockCell::tag(phrases.instance.checks_ready, CellTone::Good),
        false => BlockCell::tag(phrases.instance.checks_not_ready, CellTone::Warn),
    };
    let with_others = BlockLink {
        text: phrases.instance.checks_connections.to_owned(),
        path: format!("{}?connections=true", context.path),
    };
    let summary = FactsBlock {
        id: "summary".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.instance.checks_production.to_owned(), ready),
            (phrases.instance.mode.to_owned(), BlockCell::text(text_at(&report, "/mode"))),
        ],
        links: if contacts_others { Vec::new() } else { vec![with_others] },
    };
    let verdicts = [
        ("blocker", phrases.instance.check_blocker, CellTone::Warn),
        ("warning", phrases.instance.check_warning, CellTone::Warn),
        ("passed", phrases.instance.check_passed, CellTone::Good),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            state_at(it, "/verdict", &verdicts),
            BlockCell::keyword(text_at(it, "/check")),
            BlockCell::english_text(text_at(it, "/what")),
            BlockCell::english_text(text_at(it, "/remedy")),
        ],
        button: None,
    };
    let columns = [
        phrases.console.state,
        phrases.instance.check,
        phrases.instance.check_found,
        phrases.instance.check_fix,
    ];
    let table = TableBlock {
        id: "checks".to_owned(),
        title: phrases.instance.checks_all.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&report, "/findings").iter().map(row).collect(),
        ..TableBlock::default()
    };
    let mut blocks = vec![PageBlock::Facts(summary), PageBlock::Table(table)];
    if context.can_call("listEvents") {
        blocks.push(PageBlock::Table(load_backups(context).await?));
    }
    Ok(PageContent {
        title: phrases.instance.checks.to_owned(),
        introduction: phrases.instance.checks_lead.to_owned(),
        blocks,
    })
}

/// The latest backups by `sinete backup`, which records each in the security log.
async fn load_backups(context: &PageContext<'_>) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let kind = EventKind::BackupTaken.name();
    let operation_call =
        context.operation("listEvents").query("kind", kind).query("order", "newest").query("limit", "5");
    let backups = context.send(operation_call).await?.body;
    let row = |it: &Value| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::text(text_at(it, "/detail/size_bytes")),
            code_at(it, "/detail/sha256"),
        ],
        button: None,
    };
    let columns = [phrases.audit_log.when, phrases.backups.size, phrases.backups.digest];
    Ok(TableBlock {
        id: "backups".to_owned(),
        title: phrases.backups.title.to_owned(),
        introduction: phrases.backups.lead.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&backups, "/items").iter().map(row).collect(),
        empty: phrases.backups.none.to_owned(),
        ..TableBlock::default()
    })
}
