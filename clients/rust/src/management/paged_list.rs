//! Lists that are fetched page by page.

use super::{ManagementApiError, ManagementClient, ManagementRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// A list that is fetched page by page, on demand.
pub struct PagedList<'a, T> {
    client: &'a ManagementClient,
    path: String,
    query: Value,
    /// Fetched items that were not returned yet.
    items: VecDeque<T>,
    /// The cursor of the next page; `None` after the last one.
    next_cursor: Option<PageCursor>,
}

enum PageCursor {
    Beginning,
    Item(String),
}

#[derive(Deserialize)]
struct ListPage<T> {
    items: Vec<T>,
    next: Option<String>,
}

impl<'a, T: DeserializeOwned> PagedList<'a, T> {
    pub(super) fn new(client: &'a ManagementClient, path: &str, query: Value) -> Self {
        let path = path.to_owned();
        Self { client, path, query, items: VecDeque::new(), next_cursor: Some(PageCursor::Beginning) }
    }

    /// The page size, 1 to 200. Default: 50.
    #[must_use]
    pub fn limit(mut self, limit: u8) -> Self {
        self.set_query("limit", json!(limit));
        self
    }

    /// Returns the next item; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<T>, ManagementApiError> {
        while self.items.is_empty() {
            let Some(after) = self.next_cursor.take() else { return Ok(None) };
            if let PageCursor::Item(after) = after {
                self.set_query("after", json!(after));
            }
            let request = ManagementRequest::new("GET", &self.path).query(&self.query);
            let page: ListPage<T> = self.client.fetch(request).await?;
            self.items = page.items.into();
            self.next_cursor = page.next.map(PageCursor::Item);
        }
        Ok(self.items.pop_front())
    }

    /// Fetches every page.
    pub async fn collect_all(mut self) -> Result<Vec<T>, ManagementApiError> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await? {
            all.push(item);
        }
        Ok(all)
    }

    fn set_query(&mut self, name: &str, value: Value) {
        if !self.query.is_object() {
            self.query = json!({});
        }
        self.query[name] = value;
    }
}
