//! The order of a list without columns: the query parameter `sort`, the links that change it, and lists that are sorted as a
//! whole (docs/contribute/decisions/0335-console-lists-sorted-as-a-whole.md).

use super::PageContext;
use crate::console::operations::Phrase;
use crate::console::pagination::ConsolePaging;
use sinete_engine::events::webhooks::WebhookRow;
use sinete_engine::identity_providers::connections::ConnectionOverview;
use sinete_engine::oauth::clients::ClientRow;
use sinete_engine::organizations::domains::DomainRow;
use sinete_engine::organizations::roles::RoleRow;
use sinete_screens::console::list_links::OrderLink;
use sinete_screens::console::{ListPaging, build_query};
use sinete_server::reply::HandlerError;
use std::cmp::Ordering;

/// How many rows are sorted in memory at most.
const SORTED_ROWS_MAX: u32 = 1_000;

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListOrder {
    OldestFirst,
    NewestFirst,
    Name,
    NameReversed,
    ClientId,
}

/// The orders of lists that only an index sorts.
pub(super) const TIME_ORDERS: &[ListOrder] = &[ListOrder::OldestFirst, ListOrder::NewestFirst];
/// The orders of a log.
pub(super) const LOG_ORDERS: &[ListOrder] = &[ListOrder::NewestFirst, ListOrder::OldestFirst];
/// The orders of short lists, which are in the order of time.
pub(super) const TIME_OR_NAME_ORDERS: &[ListOrder] =
    &[ListOrder::OldestFirst, ListOrder::NewestFirst, ListOrder::Name, ListOrder::NameReversed];
/// The orders of short lists, which are in the order of names.
pub(super) const NAME_OR_TIME_ORDERS: &[ListOrder] =
    &[ListOrder::Name, ListOrder::NameReversed, ListOrder::OldestFirst, ListOrder::NewestFirst];
/// The orders of applications, whose ids may be chosen.
pub(super) const CLIENT_ORDERS: &[ListOrder] = &[
    ListOrder::ClientId,
    ListOrder::Name,
    ListOrder::NameReversed,
    ListOrder::OldestFirst,
    ListOrder::NewestFirst,
];

impl ListOrder {
    /// The value of `sort`: a property, with a minus sign for descending, as for the columns of tables.
    pub(super) const fn value(self) -> &'static str {
        match self {
            Self::OldestFirst => "created",
            Self::NewestFirst => "-created",
            Self::Name => "name",
            Self::NameReversed => "-name",
            Self::ClientId => "id",
        }
    }

    const fn text(self) -> Phrase {
        match self {
            Self::OldestFirst => |w| w.blocks.order_oldest,
            Self::NewestFirst => |w| w.blocks.order_newest,
            Self::Name => |w| w.blocks.order_name,
            Self::NameReversed => |w| w.blocks.order_name_reversed,
            Self::ClientId => |w| w.blocks.order_id,
        }
    }

    fn sort<T: SortedRow>(self, rows: &mut [T]) {
        match self {
            Self::OldestFirst => rows.sort_by(T::compare_age),
            Self::NewestFirst => rows.sort_by(|one, other| other.compare_age(one)),
            Self::Name => rows.sort_by_key(|row| row.sorted_name().to_lowercase()),
            Self::NameReversed => rows.sort_by_key(|row| std::cmp::Reverse(row.sorted_name().to_lowercase())),
            // The order in which they are read.
            Self::ClientId => {}
        }
    }
}

/// The orders of a list, of which the first is the usual one, and the requested one.
pub(super) struct OrderChoice {
    orders: &'static [ListOrder],
    pub(super) current: ListOrder,
    /// The query that all pages of the list share: the filters, and the order if it is not the usual one.
    pub(super) query: String,
    links: Vec<OrderLink>,
}

/// What remains of a list after the current page was cut out of it.
pub(super) struct CutPage {
    /// The cursor of the next page, if there is one.
    pub(super) next: Option<String>,
    /// Whether the list is too long to be sorted, and is in its usual order.
    pub(super) is_too_long: bool,
}

impl OrderChoice {
    /// Reads the order. A value that means nothing is ignored, as for tables.
    pub(super) fn from_query(
        context: &PageContext<'_>,
        orders: &'static [ListOrder],
        filters: &[(&str, &str)],
    ) -> Self {
        let default_order = orders.first().copied().unwrap_or(ListOrder::OldestFirst);
        let requested_sort = context.query.get("sort").unwrap_or_default();
        let current =
            orders.iter().copied().find(|order| order.value() == requested_sort).unwrap_or(default_order);
        let value = |order: ListOrder| if order == default_order { "" } else { order.value() };
        let size = context.query.get("size").unwrap_or_default();
        let query = |order: ListOrder, size: &str| {
            build_query(filters.iter().copied().chain([("sort", value(order)), ("size", size)]))
        };
        let link = |order: &ListOrder| {
            let query = query(*order, size);
            let mark = if query.is_empty() { "" } else { "?" };
            OrderLink {
                text: (order.text())(context.phrases()).to_owned(),
                path: format!("{}{mark}{query}", context.path),
                is_current: *order == current,
            }
        };
        Self { orders, current, query: query(current, ""), links: orders.iter().map(link).collect() }
    }

    /// Whether the list is read as a whole and sorted.
    pub(super) fn is_sorted_in_memory(&self) -> bool {
        self.orders.first() != Some(&self.current)
    }

    /// How many rows to read: all that can be sorted, or those of the page.
    pub(super) fn read_limit(&self, paging: &ConsolePaging<'_>) -> u32 {
        if self.is_sorted_in_memory() { SORTED_ROWS_MAX + 1 } else { paging.fetch_limit() }
    }

    /// Sorts what was read, if it is the whole list, and leaves the rows of the page.
    pub(super) fn cut_page<T: SortedRow>(
        &self,
        paging: &ConsolePaging<'_>,
        rows: &mut Vec<T>,
    ) -> Result<CutPage, HandlerError> {
        if !self.is_sorted_in_memory() {
            return Ok(CutPage { next: paging.split_page(rows, T::cursor), is_too_long: false });
        }
        if rows.len() > usize::try_from(SORTED_ROWS_MAX).unwrap_or(usize::MAX) {
            paging.split_page(rows, T::cursor);
            return Ok(CutPage { next: None, is_too_long: true });
        }
        self.current.sort(rows);
        Ok(CutPage { next: paging.split_sorted_page(rows)?, is_too_long: false })
    }

    /// The pagination for display. A list of one row has no order.
    pub(super) fn to_view<'v>(
        &'v self,
        paging: &ConsolePaging<'_>,
        next: Option<&'v str>,
        rows: usize,
    ) -> ListPaging<'v> {
        let view = paging.to_view(next, &self.query);
        let is_ordered = rows > 1 || view.is_not_first;
        ListPaging { orders: if is_ordered { &self.links } else { &[] }, ..view }
    }

    /// The same after the page was cut out of the list.
    pub(super) fn to_cut_view<'v>(
        &'v self,
        paging: &ConsolePaging<'_>,
        cut: &'v CutPage,
        rows: usize,
    ) -> ListPaging<'v> {
        let view = self.to_view(paging, cut.next.as_deref(), rows);
        ListPaging { is_too_long_to_sort: cut.is_too_long, ..view }
    }
}

/// A row of a list that is sorted in memory.
pub(super) trait SortedRow {
    /// The position in the usual order, which a cursor names.
    fn cursor(&self) -> String;
    /// The name that the list shows.
    fn sorted_name(&self) -> &str;
    /// Which one was created first.
    fn compare_age(&self, other: &Self) -> Ordering;
}

impl SortedRow for ClientRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn sorted_name(&self) -> &str {
        &self.name
    }

    fn compare_age(&self, other: &Self) -> Ordering {
        self.created_at.cmp(&other.created_at)
    }
}

impl SortedRow for RoleRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn sorted_name(&self) -> &str {
        self.role.name()
    }

    fn compare_age(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl SortedRow for DomainRow {
    fn cursor(&self) -> String {
        self.name.to_string()
    }

    fn sorted_name(&self) -> &str {
        self.name.as_str()
    }

    fn compare_age(&self, other: &Self) -> Ordering {
        self.created_at.cmp(&other.created_at)
    }
}

impl SortedRow for ConnectionOverview {
    fn cursor(&self) -> String {
        self.connection.id.to_string()
    }

    fn sorted_name(&self) -> &str {
        &self.connection.settings.name
    }

    fn compare_age(&self, other: &Self) -> Ordering {
        self.connection.id.cmp(&other.connection.id)
    }
}

impl SortedRow for WebhookRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn sorted_name(&self) -> &str {
        if self.description.is_empty() { &self.address } else { &self.description }
    }

    fn compare_age(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}
