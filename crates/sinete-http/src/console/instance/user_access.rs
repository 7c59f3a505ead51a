//! What acts for a user: sessions, applications and API keys, devices, and the latest events.

use crate::console::operations::form::PageForm;
use crate::console::operations::values::{cell_at, items_at, state_at, text_at, time_at};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, CellTone, PageBlock, RowButton, TableBlock, TableRow};
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::HandlerError;

/// How many events the page of a user shows.
const EVENTS_DISPLAYED: &str = "10";

pub(super) const END_SESSION: PageForm = PageForm {
    action: "end_session",
    operation: "endAccountSession",
    requires_fresh_authentication: false,
    ..PageForm::BUTTON
};

/// The tables of a user's access.
pub(super) async fn access_blocks(
    context: &PageContext<'_>,
    id: &str,
) -> Result<Vec<PageBlock>, HandlerError> {
    let mut blocks = vec![
        PageBlock::Table(sessions_table(context, id).await?),
        PageBlock::Table(lasting_access_table(context, id).await?),
        PageBlock::Table(devices_table(context, id).await?),
    ];
    if context.can_call("listEvents") {
        blocks.push(PageBlock::Table(events_table(context, id).await?));
    }
    Ok(blocks)
}

/// The items of a list of this account.
async fn account_items(
    context: &PageContext<'_>,
    operation: &'static str,
    id: &str,
) -> Result<Value, HandlerError> {
    Ok(context.send(context.operation(operation).path("account", id).query("limit", "200")).await?.body)
}

fn column_names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Where a sign-in came from: the network address, and its place if known.
fn origin_cell(it: &Value) -> BlockCell {
    cell_at(it, "/address").append(cell_at(it, "/place"))
}

async fn sessions_table(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let sessions = account_items(context, "listAccountSessions", id).await?;
    let can_end = context.can_call(END_SESSION.operation);
    let row = |it: &Value| TableRow {
        cells: vec![
            match text_at(it, "/device") {
                device if device.is_empty() => BlockCell::text(phrases.account.unknown_device),
                device => BlockCell::english_text(device),
            },
            origin_cell(it),
            time_at(it, "/created_at"),
            time_at(it, "/used_at"),
        ],
        button: can_end.then(|| RowButton {
            action: END_SESSION.action.to_owned(),
            item: text_at(it, "/id"),
            text: phrases.instance.session_end.to_owned(),
            row_name: session_name(phrases, it),
        }),
    };
    Ok(TableBlock {
        id: "sessions".to_owned(),
        title: phrases.instance.sessions.to_owned(),
        columns: column_names([
            phrases.instance.device,
            phrases.instance.network_address,
            phrases.instance.created_at,
            phrases.instance.last_used,
        ]),
        rows: items_at(&sessions, "/items").iter().map(row).collect(),
        empty: phrases.instance.sessions_none.to_owned(),
        ..TableBlock::default()
    })
}

/// What a session is called: its device and, because several can be unknown, when it began.
fn session_name(phrases: &LocalePhrases, session: &Value) -> String {
    let device = match text_at(session, "/device") {
        device if device.is_empty() => phrases.account.unknown_device.to_owned(),
        device => device,
    };
    format!("{device}, {}", text_at(session, "/created_at"))
}

async fn lasting_access_table(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let access = account_items(context, "listAccountAccess", id).await?;
    let kinds = [
        ("application", phrases.instance.access_application, CellTone::Plain),
        ("api_key", phrases.instance.access_api_key, CellTone::Plain),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            cell_at(it, "/name"),
            state_at(it, "/kind", &kinds),
            cell_at(it, "/organization"),
            time_at(it, "/since"),
        ],
        button: None,
    };
    Ok(TableBlock {
        id: "access".to_owned(),
        title: phrases.instance.access.to_owned(),
        introduction: phrases.instance.access_lead.to_owned(),
        columns: column_names([
            phrases.instance.name,
            phrases.console.kind,
            phrases.instance.organization,
            phrases.instance.access_since,
        ]),
        rows: items_at(&access, "/items").iter().map(row).collect(),
        empty: phrases.instance.access_none.to_owned(),
        ..TableBlock::default()
    })
}

async fn devices_table(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let devices = account_items(context, "listAccountDevices", id).await?;
    let row = |it: &Value| TableRow {
        cells: vec![
            BlockCell::english_text(text_at(it, "/device")),
            origin_cell(it),
            time_at(it, "/first_seen_at"),
            time_at(it, "/last_seen_at"),
        ],
        button: None,
    };
    Ok(TableBlock {
        id: "devices".to_owned(),
        title: phrases.instance.devices.to_owned(),
        columns: column_names([
            phrases.instance.device,
            phrases.instance.network_address,
            phrases.instance.device_first_seen,
            phrases.instance.device_last_seen,
        ]),
        rows: items_at(&devices, "/items").iter().map(row).collect(),
        empty: phrases.instance.devices_none.to_owned(),
        ..TableBlock::default()
    })
}

async fn events_table(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let operation_call =
        context.operation("listEvents").query("account", id).query("limit", EVENTS_DISPLAYED);
    let events = context.send(operation_call).await?.body;
    let row = |it: &Value| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::link(
                context.frame().event_kind_label(&text_at(it, "/kind")).to_owned(),
                format!("/instance/events/{}", text_at(it, "/id")),
            ),
            cell_at(it, "/address"),
        ],
        button: None,
    };
    Ok(TableBlock {
        id: "events".to_owned(),
        title: phrases.instance.events_latest.to_owned(),
        columns: column_names([
            phrases.audit_log.when,
            phrases.audit_log.kind,
            phrases.instance.network_address,
        ]),
        rows: items_at(&events, "/items").iter().map(row).collect(),
        empty: phrases.audit_log.none.to_owned(),
        ..TableBlock::default()
    })
}
