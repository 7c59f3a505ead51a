//! Lists of operation pages: filters, pages with stable URLs, and the whole list as CSV.

use crate::console::page_context::PageContext;
use crate::management_api::in_process::OperationCall;
use serde_json::Value;
use sinete_core::refusal::RefusalCode;
use sinete_screens::console::block_page::{BlockField, BlockLink, FieldInput, TableBlock, TableRow};
use sinete_screens::console::build_query;
use sinete_server::reply::HandlerError;

/// The rows of a page.
const PAGE_ROWS: &str = "50";
/// The rows of each read for a file.
const FILE_PAGE_ROWS: &str = "200";
/// How many reads a file has at most: 20,000 rows.
const FILE_PAGES_MAX: usize = 100;

/// A list.
pub(in crate::console) struct OperationList<'a> {
    pub(in crate::console) id: &'static str,
    pub(in crate::console) call: OperationCall,
    pub(in crate::console) title: &'a str,
    pub(in crate::console) lead: &'a str,
    pub(in crate::console) empty: &'a str,
    pub(in crate::console) columns: Vec<&'a str>,
    /// The filters, named as the query parameters of the operation.
    pub(in crate::console) filters: Vec<BlockField>,
}

/// Loads a list as a table. An invalid filter finds nothing, and the filter shows the error.
pub(in crate::console) async fn load_table(
    work: &PageContext<'_>,
    list: OperationList<'_>,
    row: impl Fn(&Value) -> TableRow,
) -> Result<TableBlock, HandlerError> {
    let OperationList { id, call, title, lead, empty, columns, mut filters } = list;
    let typed = |name: &str| work.query.get(name).unwrap_or_default().trim().to_owned();
    let values: Vec<(String, String)> =
        filters.iter().map(|field| (field.name.clone(), typed(&field.name))).collect();
    let call = values.iter().fold(call, |call, (name, value)| call.query(name, value));
    for (field, (_, value)) in filters.iter_mut().zip(&values) {
        field.value.clone_from(value);
    }
    let query = build_query(values.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let is_filtered = !query.is_empty();
    let (rows, next) = match read_rows(work, &call, row).await {
        Ok(read) => read,
        Err(HandlerError::Refused(refusal))
            if is_filtered
                && matches!(refusal.code(), RefusalCode::InvalidRequest | RefusalCode::Unprocessable) =>
        {
            let wrong = filters.iter_mut().find(|field| !field.value.is_empty());
            if let Some(field) = wrong {
                field.error = Some(work.words().blocks.invalid.to_owned());
            }
            (Vec::new(), None)
        }
        Err(error) => return Err(error),
    };
    let with = |more: &[(&str, &str)]| {
        let more = build_query(more.iter().copied());
        let glue = if query.is_empty() || more.is_empty() { "" } else { "&" };
        let mark = if query.is_empty() && more.is_empty() { "" } else { "?" };
        format!("{}{mark}{query}{glue}{more}", work.path)
    };
    let csv = BlockLink { text: work.words().blocks.csv.to_owned(), path: with(&[("format", "csv")]) };
    Ok(TableBlock {
        id: id.to_owned(),
        title: title.to_owned(),
        lead: lead.to_owned(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        downloads: if rows.is_empty() { Vec::new() } else { vec![csv] },
        rows,
        empty: empty.to_owned(),
        filters,
        is_filtered,
        first: work.query.get("after").map(|_| with(&[])),
        next: next.map(|next| with(&[("after", &next)])),
    })
}

/// Reads one page, or for a file all of them.
async fn read_rows(
    work: &PageContext<'_>,
    call: &OperationCall,
    row: impl Fn(&Value) -> TableRow,
) -> Result<(Vec<TableRow>, Option<String>), HandlerError> {
    let is_file = work.query.get("format") == Some("csv");
    let (size, pages) = if is_file { (FILE_PAGE_ROWS, FILE_PAGES_MAX) } else { (PAGE_ROWS, 1) };
    let mut after = work.query.get("after").filter(|_| !is_file).map(str::to_owned);
    let mut rows = Vec::new();
    for _ in 0..pages {
        let call = call.clone().query("after", after.as_deref().unwrap_or_default());
        let call = if call.has_query("limit") { call } else { call.query("limit", size) };
        let body = work.send(call).await?.body;
        rows.extend(super::values::items_at(&body, "/items").iter().map(&row));
        after = body.pointer("/next").and_then(Value::as_str).map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    Ok((rows, after))
}

/// A filter for words.
pub(in crate::console) fn search_field(work: &PageContext<'_>, name: &str, hint: &str) -> BlockField {
    BlockField {
        name: name.to_owned(),
        label: work.words().blocks.search.to_owned(),
        hint: hint.to_owned(),
        input: FieldInput::Search,
        ..BlockField::default()
    }
}

/// A filter with these values.
pub(in crate::console) fn choice_filter(name: &str, label: &str, options: &[(&str, &str)]) -> BlockField {
    let options = options.iter().map(|(value, text)| ((*value).to_owned(), (*text).to_owned()));
    BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        input: FieldInput::Choice(options.collect()),
        ..BlockField::default()
    }
}
