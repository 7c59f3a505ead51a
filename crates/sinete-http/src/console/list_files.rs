//! The lists of an organization as files: what the list operation of the management API returns, all of it, with the filter
//! of the page.

use super::PageContext;
use crate::console::operations::file_response;
use crate::console::operations::values::{items_at, text_at};
use crate::console::page::ConsolePage;
use crate::management_api::in_process::OperationCall;
use serde_json::Value;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_screens::console::block_csv::render_csv;
use sinete_screens::console::block_page::{BlockCell, TableRow};
use sinete_server::reply::{HandlerError, HandlerResult};

/// The rows of each read.
const READ_ROWS: &str = "200";
/// How many reads a file has at most: 200,000 rows.
const READS_MAX: usize = 1_000;

/// A list that can be downloaded.
pub(super) struct ListFile {
    /// The operation that lists it.
    operation: &'static str,
    /// The name of the file, without its ending.
    name: &'static str,
    /// The members of an item that are columns, by name and JSON pointer. For a list of objects, their names.
    columns: &'static [(&'static str, &'static str)],
    /// The query parameter that the page filters by, named as that of the operation.
    filter: Option<&'static str>,
}

const MEMBERS: ListFile = ListFile {
    operation: "listMembers",
    name: "members",
    columns: &[
        ("id", "/id"),
        ("kind", "/kind"),
        ("name", "/profile/name"),
        ("given_name", "/profile/given_name"),
        ("family_name", "/profile/family_name"),
        ("email", "/profile/email"),
        ("roles", "/roles"),
        ("condition", "/condition"),
        ("external_id", "/external_id"),
        ("created_at", "/created_at"),
    ],
    filter: Some("search"),
};
const INVITATIONS: ListFile = ListFile {
    operation: "listInvitations",
    name: "invitations",
    columns: &[
        ("id", "/id"),
        ("email", "/email"),
        ("membership", "/membership"),
        ("expires_at", "/expires_at"),
        ("accepted_at", "/accepted_at"),
        ("revoked_at", "/revoked_at"),
    ],
    filter: None,
};
const ROLES: ListFile = ListFile {
    operation: "listRoles",
    name: "roles",
    columns: &[
        ("id", "/id"),
        ("name", "/name"),
        ("description", "/description"),
        ("permissions", "/permissions"),
        ("built_in", "/built_in"),
    ],
    filter: None,
};
const APPLICATIONS: ListFile = ListFile {
    operation: "listClients",
    name: "applications",
    columns: &[
        ("client_id", "/client_id"),
        ("kind", "/kind"),
        ("client_name", "/metadata/client_name"),
        ("condition", "/condition"),
        ("created_at", "/created_at"),
    ],
    filter: None,
};
const API_KEYS: ListFile = ListFile {
    operation: "listApiKeys",
    name: "api-keys",
    columns: &[
        ("id", "/id"),
        ("name", "/name"),
        ("membership", "/membership"),
        ("scope", "/scope"),
        ("created_at", "/created_at"),
        ("expires_at", "/expires_at"),
        ("used_at", "/used_at"),
        ("revoked_at", "/revoked_at"),
    ],
    filter: None,
};
const DOMAINS: ListFile = ListFile {
    operation: "listDomains",
    name: "domains",
    columns: &[
        ("domain", "/domain"),
        ("name", "/name"),
        ("state", "/state"),
        ("verified_at", "/verified_at"),
        ("created_at", "/created_at"),
    ],
    filter: None,
};

/// The file of a page, if it is a list with one.
pub(super) const fn find_list_file(page: &ConsolePage) -> Option<&'static ListFile> {
    match page {
        ConsolePage::Members => Some(&MEMBERS),
        ConsolePage::Invitations => Some(&INVITATIONS),
        ConsolePage::Roles => Some(&ROLES),
        ConsolePage::Applications => Some(&APPLICATIONS),
        ConsolePage::Keys => Some(&API_KEYS),
        ConsolePage::Domains => Some(&DOMAINS),
        _ => None,
    }
}

/// Writes a list as CSV.
pub(super) async fn export_list(work: &PageContext<'_>, file: &ListFile) -> HandlerResult {
    let filter = |name: &'static str| (name, work.query.get(name).unwrap_or_default());
    let call = work.operation(file.operation);
    let call = file.filter.map(filter).into_iter().fold(call, |call, (name, value)| call.query(name, value));
    let items = read_all_items(work, &call).await?;
    let row = |item: &Value| TableRow {
        cells: file.columns.iter().map(|(_, pointer)| BlockCell::text(cell_text(item, pointer))).collect(),
        button: None,
    };
    let rows: Vec<TableRow> = items.iter().map(row).collect();
    let columns: Vec<String> = file.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    Ok(file_response(render_csv(&columns, &rows), "text/csv; charset=utf-8", &format!("{}.csv", file.name)))
}

/// Reads all items of a list.
pub(super) async fn read_all_items(
    work: &PageContext<'_>,
    call: &OperationCall,
) -> Result<Vec<Value>, HandlerError> {
    let (mut items, mut after) = (Vec::new(), None);
    for _ in 0..READS_MAX {
        let call = call.clone().query("after", after.as_deref().unwrap_or_default());
        let call = if call.has_query("limit") { call } else { call.query("limit", READ_ROWS) };
        let body = work.send(call).await?.body;
        items.extend(items_at(&body, "/items").iter().cloned());
        after = body.pointer("/next").and_then(Value::as_str).map(str::to_owned);
        if after.is_none() {
            return Ok(items);
        }
    }
    let text = "The list is too long for one file. Narrow it with a filter, or read it in pages with the management API.";
    Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "too many rows for a file").into())
}

/// The text of a cell: for a list of objects, their names.
fn cell_text(item: &Value, pointer: &str) -> String {
    match item.pointer(pointer).and_then(Value::as_array) {
        Some(all) if all.iter().any(Value::is_object) => {
            all.iter().map(|it| text_at(it, "/name")).collect::<Vec<_>>().join(", ")
        }
        _ => text_at(item, pointer),
    }
}
