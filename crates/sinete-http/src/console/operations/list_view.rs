//! The view of a list: its page size, order, page and file format, all of them in the URL.

use crate::console::page_context::PageContext;
use crate::management_api::in_process::OperationCall;
use sinete_screens::console::block_page::{CellPart, ColumnSort, SizeLink, TableRow};
use sinete_screens::console::build_query;
use sinete_screens::console::page_sizes::PageSizes;
use std::cmp::Ordering;

/// The view that a query asks for.
pub(in crate::console) struct ListView<'a> {
    page_path: &'a str,
    filters: Vec<(String, String)>,
    columns: usize,
    is_sortable: bool,
    has_sizes: bool,
    is_not_first: bool,
    page: usize,
    sizes: PageSizes,
    pub(in crate::console) size: u32,
    pub(in crate::console) sort: Option<RowOrder>,
    pub(in crate::console) format: Option<ListFormat>,
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum ListFormat {
    Csv,
    JsonLines,
}

/// Where the rows of the next page begin.
pub(in crate::console) enum NextRows {
    /// After this cursor of the API.
    After(String),
    /// On this page of a sorted list.
    Page(usize),
}

/// The order of the rows: by a column, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) struct RowOrder {
    column: usize,
    is_descending: bool,
}

impl<'a> ListView<'a> {
    /// Reads the view of a table that is not a list operation, and has no files.
    pub(in crate::console) fn from_table_query(context: &'a PageContext<'_>, columns: usize) -> Self {
        let operation_call = OperationCall::new("");
        Self { format: None, ..Self::from_query(context, &operation_call, columns, Vec::new()) }
    }

    /// Reads the view. A list that is in the order of time cannot be sorted, and one with its own page size has no
    /// other. A value that means nothing is ignored.
    pub(in crate::console) fn from_query(
        context: &'a PageContext<'_>,
        operation_call: &OperationCall,
        columns: usize,
        filters: Vec<(String, String)>,
    ) -> Self {
        let is_sortable = !operation_call.has_query("order");
        let has_sizes = !operation_call.has_query("limit");
        let sizes = PageSizes::for_columns(columns);
        let page = context.query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1).clamp(1, 1_000);
        let sort = context.query.get("sort").filter(|_| is_sortable);
        Self {
            page_path: &context.path,
            filters,
            columns,
            is_sortable,
            has_sizes,
            is_not_first: context.query.get("after").is_some() || page > 1,
            page,
            size: sizes.choose(context.query.get("size")),
            sizes,
            sort: sort.and_then(|sort| RowOrder::parse(sort, columns)),
            format: match context.query.get("format") {
                Some("csv") => Some(ListFormat::Csv),
                Some("jsonl") => Some(ListFormat::JsonLines),
                _ => None,
            },
        }
    }

    /// The path of this list with its filters and these parameters.
    pub(in crate::console) fn path(&self, parameters: &[(&str, String)]) -> String {
        let filters = self.filters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let query =
            build_query(filters.chain(parameters.iter().map(|(name, value)| (*name, value.as_str()))));
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{query}", self.page_path)
    }

    pub(in crate::console) fn sort_value(&self) -> String {
        self.sort.map(RowOrder::value).unwrap_or_default()
    }

    fn size_value(&self) -> String {
        self.size_parameter(self.size)
    }

    /// The parameter for a size: the usual one needs none.
    fn size_parameter(&self, size: u32) -> String {
        if self.sizes.is_default(size) { String::new() } else { size.to_string() }
    }

    /// The path of the first page, unless this is it.
    pub(in crate::console) fn first_path(&self) -> Option<String> {
        let path = || self.path(&[("sort", self.sort_value()), ("size", self.size_value())]);
        self.is_not_first.then(path)
    }

    /// The path of the next page.
    pub(in crate::console) fn next_path(&self, next: NextRows) -> String {
        let next = match next {
            NextRows::After(cursor) => ("after", cursor),
            NextRows::Page(page) => ("page", page.to_string()),
        };
        self.path(&[("sort", self.sort_value()), ("size", self.size_value()), next])
    }

    /// The links that sort by each column.
    pub(in crate::console) fn sort_links(&self) -> Vec<ColumnSort> {
        if !self.is_sortable {
            return Vec::new();
        }
        let link = |column: usize| {
            let current = self.sort.filter(|sort| sort.column == column);
            let is_descending = current.is_some_and(|sort| !sort.is_descending);
            let next = RowOrder { column, is_descending };
            ColumnSort {
                path: self.path(&[("sort", next.value()), ("size", self.size_value())]),
                is_ascending: current.map(|sort| !sort.is_descending),
            }
        };
        (0..self.columns).map(link).collect()
    }

    /// The links to each page size.
    pub(in crate::console) fn size_links(&self) -> Vec<SizeLink> {
        if !self.has_sizes {
            return Vec::new();
        }
        let link = |size: u32| {
            let size_text = self.size_parameter(size);
            SizeLink {
                size: size.to_string(),
                path: self.path(&[("sort", self.sort_value()), ("size", size_text)]),
                is_current: size == self.size,
            }
        };
        self.sizes.choices().iter().copied().map(link).collect()
    }

    /// Leaves the rows of the current page of a sorted list, and returns the next one, if any.
    pub(in crate::console) fn split_page(&self, rows: &mut Vec<TableRow>) -> Option<NextRows> {
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let from = size.saturating_mul(self.page - 1).min(rows.len());
        let to = from.saturating_add(size).min(rows.len());
        let has_more = to < rows.len();
        *rows = rows.drain(from..to).collect();
        has_more.then_some(NextRows::Page(self.page + 1))
    }
}

impl RowOrder {
    /// Parses `2` or `-2`: the column, counted from one, and a minus sign for descending.
    fn parse(text: &str, columns: usize) -> Option<Self> {
        let (is_descending, number) = match text.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, text),
        };
        let column = number.parse::<usize>().ok()?.checked_sub(1)?;
        (column < columns).then_some(Self { column, is_descending })
    }

    fn value(self) -> String {
        format!("{}{}", if self.is_descending { "-" } else { "" }, self.column + 1)
    }

    /// Sorts rows. Times are in their order, numbers too, and texts without regard to case; what is empty comes last.
    pub(in crate::console) fn apply(self, rows: &mut [TableRow]) {
        rows.sort_by(|one, other| {
            let (one, other) = (SortKey::from_row(one, self.column), SortKey::from_row(other, self.column));
            let order = one.compare(&other);
            let is_reversed = self.is_descending && !one.is_empty() && !other.is_empty();
            if is_reversed { order.reverse() } else { order }
        });
    }
}

enum SortKey {
    Time(i64),
    Number(f64),
    Text(String),
    Empty,
}

impl SortKey {
    fn from_row(row: &TableRow, column: usize) -> Self {
        let Some(cell) = row.cells.get(column) else { return Self::Empty };
        if let Some(CellPart::Time(at)) = cell.0.first() {
            return Self::Time(at.0);
        }
        let text = cell.plain_text();
        match text.parse::<f64>() {
            _ if text.is_empty() => Self::Empty,
            Ok(number) if number.is_finite() => Self::Number(number),
            _ => Self::Text(text.to_lowercase()),
        }
    }

    const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let rank = |key: &Self| match key {
            Self::Number(_) => 0,
            Self::Time(_) => 1,
            Self::Text(_) => 2,
            Self::Empty => 3,
        };
        match (self, other) {
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (one, other) => rank(one).cmp(&rank(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_screens::console::block_page::BlockCell;
    use sinete_screens::display_time::DisplayTime;

    fn sorted(cells: Vec<BlockCell>, sort: &str) -> Vec<String> {
        let row = |cell| TableRow { cells: vec![cell], button: None };
        let mut rows: Vec<TableRow> = cells.into_iter().map(row).collect();
        RowOrder::parse(sort, 1).unwrap().apply(&mut rows);
        rows.iter().map(|row| row.cells[0].plain_text()).collect()
    }

    #[test]
    fn list_is_sorted_by_text_number_and_time_with_empty_cells_last() {
        let build_cells = || ["bruno", "", "Ana", "Čapek"].map(BlockCell::text).to_vec();
        assert_eq!(sorted(build_cells(), "1"), ["Ana", "bruno", "Čapek", ""]);
        assert_eq!(sorted(build_cells(), "-1"), ["Čapek", "bruno", "Ana", ""]);
        assert_eq!(sorted(["10", "9", "100"].map(BlockCell::text).to_vec(), "1"), ["9", "10", "100"]);
        let times = [90, 5].map(|at| BlockCell::time(Some(DisplayTime(at)))).to_vec();
        assert_eq!(sorted(times, "1")[0], DisplayTime(5).rfc3339());
    }

    #[test]
    fn list_sort_order_must_name_a_column_that_exists() {
        for unknown in ["0", "3", "-3", "x", "", "--1"] {
            assert_eq!(RowOrder::parse(unknown, 2), None, "{unknown}");
        }
        assert_eq!(RowOrder::parse("-2", 2).unwrap().value(), "-2");
    }
}
