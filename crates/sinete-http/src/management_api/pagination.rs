//! Pagination: lists by id, each page with the cursor of the next.

use crate::management_api::request::ManagementRequest;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::id::OrganizationId;
use sinete_core::limits::{PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::Engine;
use sinete_engine::platform::pagination;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use std::str::FromStr;

/// The requested page.
pub(crate) struct PageRequest {
    cursor_parts: Vec<Vec<u8>>,
    after: Option<String>,
    limit: u32,
}

/// A resource, as returned by the API.
pub(crate) trait ResourceView {
    /// Its position in lists: its id.
    fn cursor(&self) -> String;

    /// Its representation.
    fn to_view(&self) -> Result<impl Serialize, HandlerError>;
}

/// A page, as returned.
#[derive(Serialize)]
struct ListPage<T> {
    items: Vec<T>,
    next: Option<String>,
}

impl PageRequest {
    /// Parses the requested page. A cursor is valid only in the list that issued it: the same route,
    /// organization and filters.
    pub(super) fn from_request<Who>(
        management_request: &ManagementRequest<Who>,
        of: Option<OrganizationId>,
    ) -> Result<Self, HandlerError> {
        let route = management_request.route();
        let mut list = vec![route.method.name().as_bytes().to_vec(), route.path.as_bytes().to_vec()];
        list.push(of.map(|of| of.as_bytes().to_vec()).unwrap_or_default());
        for (name, value) in management_request.list_filters() {
            list.extend([name.as_bytes().to_vec(), value.as_bytes().to_vec()]);
        }
        let limit = match management_request.query_param("limit").map(str::parse::<u32>) {
            None => PAGE_ITEMS_DEFAULT,
            Some(Ok(limit)) if (1..=PAGE_ITEMS_MAX).contains(&limit) => limit,
            Some(_) => {
                return Err(Refusal::because(RequestRefusal::LimitInvalid, "a limit out of bounds").into());
            }
        };
        let mut page = Self { cursor_parts: list, after: None, limit };
        page.after = management_request
            .query_param("after")
            .map(|text| pagination::decode_cursor(management_request.engine(), &page.cursor_binding(), text))
            .transpose()?;
        Ok(page)
    }

    /// The id after which the page begins.
    pub(crate) fn after<T: FromStr>(&self) -> Result<Option<T>, HandlerError> {
        let read = |text: &String| {
            text.parse()
                .map_err(|_| Refusal::because(RequestRefusal::CursorInvalid, "a cursor of another kind"))
        };
        Ok(self.after.as_ref().map(read).transpose()?)
    }

    /// How many to read: one more than shown, to detect a next page.
    pub(crate) const fn fetch_limit(&self) -> u32 {
        self.limit + 1
    }

    /// Builds the response from what was read.
    pub(crate) fn to_response<T: ResourceView>(&self, engine: &Engine, read: Vec<T>) -> HandlerResult {
        self.to_response_until(engine, read, None)
    }

    /// The same for a list that was scanned up to this position: the page may be short or empty, and
    /// continues after it.
    pub(crate) fn to_response_until<T: ResourceView>(
        &self,
        engine: &Engine,
        mut read: Vec<T>,
        stopped: Option<String>,
    ) -> HandlerResult {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_more = read.len() > limit;
        read.truncate(limit);
        let last = if has_more { read.last().map(ResourceView::cursor) } else { stopped };
        let next = last.map(|last| pagination::encode_cursor(engine, &self.cursor_binding(), &last));
        let items = read.iter().map(ResourceView::to_view).collect::<Result<Vec<_>, _>>()?;
        Ok(json_response(StatusCode::OK, serialize_json(&ListPage { items, next })?))
    }

    fn cursor_binding(&self) -> Vec<&[u8]> {
        self.cursor_parts.iter().map(Vec::as_slice).collect()
    }
}
