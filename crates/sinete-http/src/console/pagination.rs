//! Pagination of console lists: by id, with signed cursors, as in the management API.

use super::PageContext;
use crate::console::page::ConsolePage;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::platform::pagination;
use sinete_screens::console::ListPaging;
use sinete_screens::console::page_sizes::PageSizes;
use sinete_server::reply::HandlerError;
use std::str::FromStr;

/// The page sizes of a list, by what is in its rows.
const fn page_sizes(page: &ConsolePage) -> PageSizes {
    match page {
        ConsolePage::Invitations | ConsolePage::ApiKeys => PageSizes::RICH_ROWS,
        ConsolePage::Applications
        | ConsolePage::AuditLog
        | ConsolePage::Connections
        | ConsolePage::Webhooks
        | ConsolePage::Webhook(_) => PageSizes::LONG_ROWS,
        _ => PageSizes::SHORT_ROWS,
    }
}

/// The requested page.
pub(super) struct ConsolePaging<'w> {
    context: &'w PageContext<'w>,
    cursor_parts: Vec<Vec<u8>>,
    after: Option<String>,
    size: u32,
    sizes: PageSizes,
}

impl<'w> ConsolePaging<'w> {
    /// Reads the requested page of this page's list.
    pub(super) fn from_query(context: &'w PageContext<'w>) -> Result<Self, HandlerError> {
        Self::from_filtered_query(context, "")
    }

    /// The same for a filtered list, whose cursors are valid in no other.
    pub(super) fn from_filtered_query(
        context: &'w PageContext<'w>,
        narrowed: &str,
    ) -> Result<Self, HandlerError> {
        let organization = context.access.organization_access().organization.id;
        // An organization has two names, its id and its slug, but one list.
        let below = context.path.strip_prefix(&context.return_to.organization_path()).unwrap_or_default();
        let list = [&b"console"[..], below.as_bytes(), organization.as_bytes(), narrowed.as_bytes()];
        let list = list.map(<[u8]>::to_vec).to_vec();
        let sizes = page_sizes(&context.return_to.page);
        let size = sizes.choose(context.query.get("size"));
        let mut paging = Self { context, cursor_parts: list, after: None, size, sizes };
        let read = |text: &str| pagination::decode_cursor(context.engine(), &paging.cursor_binding(), text);
        paging.after = context.query.get("after").map(read).transpose()?;
        Ok(paging)
    }

    /// The id after which the page begins.
    pub(super) fn after<T: FromStr>(&self) -> Result<Option<T>, HandlerError> {
        let unfit = |_| Refusal::because(RequestRefusal::CursorInvalid, "a cursor of another kind");
        Ok(self.after.as_deref().map(|text| text.parse().map_err(unfit)).transpose()?)
    }

    /// How many to read: one more than shown, to detect a next page.
    pub(super) const fn fetch_limit(&self) -> u32 {
        self.size + 1
    }

    /// The pagination for display, with the query that all pages of the list share.
    pub(super) const fn to_view<'v>(&self, next: Option<&'v str>, shared_query: &'v str) -> ListPaging<'v> {
        ListPaging {
            next,
            is_not_first: self.after.is_some(),
            query: shared_query,
            size: Some(self.size),
            sizes: self.sizes,
            orders: &[],
            is_too_long_to_sort: false,
        }
    }

    /// Splits off the surplus item, and returns the cursor of the next page, if any.
    pub(super) fn split_page<T>(&self, read: &mut Vec<T>, id: impl Fn(&T) -> String) -> Option<String> {
        self.split_page_at(read, id, None)
    }

    /// The same for a list that was scanned up to this position.
    pub(super) fn split_page_at<T>(
        &self,
        read: &mut Vec<T>,
        id: impl Fn(&T) -> String,
        stopped: Option<String>,
    ) -> Option<String> {
        let limit = usize::try_from(self.size).unwrap_or(usize::MAX);
        let has_more = read.len() > limit;
        read.truncate(limit);
        let last = if has_more { read.last().map(id) } else { stopped }?;
        Some(pagination::encode_cursor(self.context.engine(), &self.cursor_binding(), &last))
    }

    /// Leaves the rows of the page of a whole list, whose cursors are positions in it, and returns the cursor of the next
    /// page, if any.
    pub(super) fn split_sorted_page<T>(&self, rows: &mut Vec<T>) -> Result<Option<String>, HandlerError> {
        let limit = usize::try_from(self.size).unwrap_or(usize::MAX);
        let from = self.after::<usize>()?.unwrap_or_default().min(rows.len());
        let to = from.saturating_add(limit).min(rows.len());
        let has_more = to < rows.len();
        *rows = rows.drain(from..to).collect();
        let cursor =
            || pagination::encode_cursor(self.context.engine(), &self.cursor_binding(), &to.to_string());
        Ok(has_more.then(cursor))
    }

    fn cursor_binding(&self) -> Vec<&[u8]> {
        self.cursor_parts.iter().map(Vec::as_slice).collect()
    }
}
