//! Lists of operation pages: filters, sorting, pages with stable URLs, and the whole list as CSV or JSON lines.

use super::list_view::{ListFormat, ListView, NextRows};
use crate::console::list_files::read_all_items;
use crate::console::page_context::PageContext;
use crate::management_api::in_process::OperationCall;
use serde_json::Value;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_screens::console::block_page::{BlockField, BlockLink, FieldInput, TableBlock, TableRow};
use sinete_server::reply::HandlerError;

/// The rows of each read for a sorted list.
const SORTED_READ_ROWS: u32 = 200;
/// How many reads a sorted list has at most: 1,000 rows.
const SORTED_READS_MAX: usize = 5;

/// A list.
pub(in crate::console) struct OperationList<'a> {
    pub(in crate::console) id: &'static str,
    pub(in crate::console) call: OperationCall,
    pub(in crate::console) title: &'a str,
    pub(in crate::console) introduction: &'a str,
    pub(in crate::console) empty: &'a str,
    pub(in crate::console) columns: Vec<&'a str>,
    /// The filters, named as the query parameters of the operation.
    pub(in crate::console) filters: Vec<BlockField>,
}

/// Loads a list as a table. An invalid filter finds nothing, and the filter shows the error.
pub(in crate::console) async fn load_table(
    context: &PageContext<'_>,
    list: OperationList<'_>,
    row: impl Fn(&Value) -> TableRow,
) -> Result<TableBlock, HandlerError> {
    let OperationList { id, call: operation_call, title, introduction, empty, columns, mut filters } = list;
    let filter_text = |name: &str| context.query.get(name).unwrap_or_default().trim().to_owned();
    let values: Vec<(String, String)> =
        filters.iter().map(|field| (field.name.clone(), filter_text(&field.name))).collect();
    let parameters = filters.iter().zip(&values).map(|(field, (_, value))| filter_value(field, value));
    let operation_call = values
        .iter()
        .zip(parameters)
        .fold(operation_call, |operation_call, ((name, _), value)| operation_call.query(name, &value));
    for (field, (_, value)) in filters.iter_mut().zip(&values) {
        field.value.clone_from(value);
    }
    let is_filtered = values.iter().any(|(_, value)| !value.is_empty());
    let view = ListView::from_query(context, &operation_call, columns.len(), values);
    let read = match read_rows(context, &view, &operation_call, row).await {
        Ok(read) => read,
        Err(HandlerError::Refused(refusal))
            if is_filtered
                && view.format.is_none()
                && matches!(refusal.code(), RefusalCode::InvalidRequest | RefusalCode::Unprocessable) =>
        {
            mark_invalid_filter(context, &mut filters, &refusal);
            ReadRows::default()
        }
        Err(error) => return Err(error),
    };
    let phrases = context.phrases();
    let file = |format: &str, text: &str| BlockLink {
        text: text.to_owned(),
        path: view.path(&[("sort", view.sort_value()), ("format", format.to_owned())]),
    };
    Ok(TableBlock {
        id: id.to_owned(),
        title: title.to_owned(),
        introduction: introduction.to_owned(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        downloads: match read.rows.is_empty() && read.json_lines.is_empty() {
            true => Vec::new(),
            false => vec![file("csv", phrases.blocks.csv), file("jsonl", phrases.blocks.json)],
        },
        sorts: view.sort_links(),
        sizes: view.size_links(),
        notice: if read.is_too_long { phrases.blocks.too_long_to_sort.to_owned() } else { String::new() },
        empty: empty.to_owned(),
        filters,
        is_filtered,
        first: view.first_path(),
        next: read.next.map(|next| view.next_path(next)),
        rows: read.rows,
        json_lines: read.json_lines,
        confirmation: None,
    })
}

/// Marks the filter that a refusal names, or else the first one in use.
fn mark_invalid_filter(context: &PageContext<'_>, filters: &mut [BlockField], refusal: &Refusal) {
    let messages = refusal.validation_errors().iter().map(|fault| fault.text.to_string());
    let text = messages.chain([refusal.public_text().into_owned()]).collect::<Vec<_>>().join(" ");
    let is_used = |field: &BlockField| !field.value.is_empty();
    let named_index = filters.iter().position(|field| is_used(field) && text.contains(&field.name));
    let filter_index = named_index.or_else(|| filters.iter().position(is_used));
    if let Some(field) = filter_index.and_then(|index| filters.get_mut(index)) {
        field.error = Some(context.phrases().blocks.invalid.to_owned());
    }
}

/// The value of a filter as the operation takes it. A day is the time at which it begins or, for `until`, ends.
fn filter_value(field: &BlockField, value: &str) -> String {
    match (&field.input, value) {
        (_, "") => String::new(),
        (FieldInput::Day, day) if day.contains('T') => day.to_owned(),
        (FieldInput::Day, day) if field.name == "until" => format!("{day}T23:59:59.999999Z"),
        (FieldInput::Day, day) => format!("{day}T00:00:00Z"),
        (_, value) => value.to_owned(),
    }
}

/// What was read of a list.
#[derive(Default)]
struct ReadRows {
    rows: Vec<TableRow>,
    /// The items as lines of JSON, if they were requested.
    json_lines: Vec<String>,
    next: Option<NextRows>,
    /// Whether the list is too long to be sorted.
    is_too_long: bool,
}

/// Reads one page; all of them for a file; and for a sorted list, as many as can be sorted.
async fn read_rows(
    context: &PageContext<'_>,
    view: &ListView<'_>,
    operation_call: &OperationCall,
    row: impl Fn(&Value) -> TableRow,
) -> Result<ReadRows, HandlerError> {
    let mut read = ReadRows::default();
    if let Some(format) = view.format {
        let items = read_all_items(context, operation_call).await?;
        match format {
            ListFormat::JsonLines => read.json_lines = items.iter().map(Value::to_string).collect(),
            ListFormat::Csv => read.rows = items.iter().map(row).collect(),
        }
        if let Some(sort) = view.sort {
            sort.apply(&mut read.rows);
        }
        return Ok(read);
    }
    let (size, pages) = match view.sort {
        Some(_) => (SORTED_READ_ROWS, SORTED_READS_MAX),
        None => (view.size, 1),
    };
    let mut after = context.query.get("after").filter(|_| view.sort.is_none()).map(str::to_owned);
    for _ in 0..pages {
        let operation_call = operation_call.clone().query("after", after.as_deref().unwrap_or_default());
        let operation_call = if operation_call.has_query("limit") {
            operation_call
        } else {
            operation_call.query("limit", &size.to_string())
        };
        let body = context.send(operation_call).await?.body;
        read.rows.extend(super::values::items_at(&body, "/items").iter().map(&row));
        after = body.pointer("/next").and_then(Value::as_str).map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    match view.sort {
        Some(sort) if after.is_none() => {
            sort.apply(&mut read.rows);
            read.next = view.split_page(&mut read.rows);
        }
        Some(_) => {
            read.is_too_long = true;
            read.rows.truncate(usize::try_from(view.size).unwrap_or(usize::MAX));
        }
        None => read.next = after.map(NextRows::After),
    }
    Ok(read)
}

/// A filter for words.
pub(in crate::console) fn search_field(context: &PageContext<'_>, name: &str, hint: &str) -> BlockField {
    BlockField {
        name: name.to_owned(),
        label: context.phrases().blocks.search.to_owned(),
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

/// A filter by day.
pub(in crate::console) fn day_filter(name: &str, label: &str) -> BlockField {
    BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        input: FieldInput::Day,
        ..BlockField::default()
    }
}

/// A filter by an exact value.
pub(in crate::console) fn text_filter(name: &str, label: &str, hint: &str) -> BlockField {
    BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        hint: hint.to_owned(),
        ..BlockField::default()
    }
}
