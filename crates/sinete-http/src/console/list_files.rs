//! The lists of an organization as files: what the list operation of the management API returns, all of it, with the filter
//! of the page.

use super::PageContext;
use crate::console::list_order::{
    CLIENT_ORDERS, ListOrder, NAME_OR_TIME_ORDERS, OrderChoice, TIME_OR_NAME_ORDERS, TIME_ORDERS,
};
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
use std::cmp::Reverse;

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
    /// The orders of the page.
    orders: &'static [ListOrder],
    /// Where the name is that the page sorts by.
    sorted_name: &'static str,
    /// Where the time of creation is, if the list is not in the order of it.
    created: Option<&'static str>,
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
    orders: TIME_ORDERS,
    sorted_name: "",
    created: None,
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
    orders: TIME_ORDERS,
    sorted_name: "",
    created: None,
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
    orders: TIME_OR_NAME_ORDERS,
    sorted_name: "/name",
    created: None,
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
    orders: CLIENT_ORDERS,
    sorted_name: "/metadata/client_name",
    created: Some("/created_at"),
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
    orders: TIME_ORDERS,
    sorted_name: "",
    created: None,
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
    orders: NAME_OR_TIME_ORDERS,
    sorted_name: "/domain",
    created: Some("/created_at"),
};

/// The file of a page, if it is a list with one.
pub(super) const fn find_list_file(page: &ConsolePage) -> Option<&'static ListFile> {
    match page {
        ConsolePage::Members => Some(&MEMBERS),
        ConsolePage::Invitations => Some(&INVITATIONS),
        ConsolePage::Roles => Some(&ROLES),
        ConsolePage::Applications => Some(&APPLICATIONS),
        ConsolePage::ApiKeys => Some(&API_KEYS),
        ConsolePage::Domains => Some(&DOMAINS),
        _ => None,
    }
}

/// Writes a list as CSV.
pub(super) async fn export_list(context: &PageContext<'_>, file: &ListFile) -> HandlerResult {
    let filter = |name: &'static str| (name, context.query.get(name).unwrap_or_default());
    let operation_call = context.operation(file.operation);
    let operation_call = file
        .filter
        .map(filter)
        .into_iter()
        .fold(operation_call, |operation_call, (name, value)| operation_call.query(name, value));
    let mut items = read_all_items(context, &operation_call).await?;
    // Results of a search keep their order, as on the page.
    if file.filter.is_none_or(|name| filter(name).1.trim().is_empty()) {
        file.sort_items(&mut items, OrderChoice::from_query(context, file.orders, &[]).current);
    }
    let row = |item: &Value| TableRow {
        cells: file.columns.iter().map(|(_, pointer)| BlockCell::text(cell_text(item, pointer))).collect(),
        button: None,
    };
    let rows: Vec<TableRow> = items.iter().map(row).collect();
    let columns: Vec<String> = file.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    Ok(file_response(render_csv(&columns, &rows), "text/csv; charset=utf-8", &format!("{}.csv", file.name)))
}

impl ListFile {
    /// Sorts items that are in the order of the list operation.
    fn sort_items(&self, items: &mut [Value], order: ListOrder) {
        let name = |item: &Value| text_at(item, self.sorted_name).to_lowercase();
        // Timestamps of the API sort as texts.
        if let (ListOrder::OldestFirst | ListOrder::NewestFirst, Some(created)) = (order, self.created) {
            items.sort_by_key(|item| text_at(item, created));
        }
        match order {
            ListOrder::OldestFirst | ListOrder::ClientId => {}
            ListOrder::NewestFirst => items.reverse(),
            ListOrder::Name => items.sort_by_key(name),
            ListOrder::NameReversed => items.sort_by_key(|item| Reverse(name(item))),
        }
    }
}

/// Reads all items of a list.
pub(super) async fn read_all_items(
    context: &PageContext<'_>,
    operation_call: &OperationCall,
) -> Result<Vec<Value>, HandlerError> {
    let (mut items, mut after) = (Vec::new(), None);
    for _ in 0..READS_MAX {
        let operation_call = operation_call.clone().query("after", after.as_deref().unwrap_or_default());
        let operation_call = if operation_call.has_query("limit") {
            operation_call
        } else {
            operation_call.query("limit", READ_ROWS)
        };
        let body = context.send(operation_call).await?.body;
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
