//! A list that comes in pages, one after the other.

use super::{Asked, Management, Problem};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// A list, of which nothing is asked for before it is needed.
pub struct Pages<'a, T> {
    management: &'a Management,
    path: String,
    query: Value,
    /// What was read and not given yet.
    items: VecDeque<T>,
    /// Where the next page begins; nothing where there is none.
    after: Option<After>,
}

enum After {
    Beginning,
    Item(String),
}

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    next: Option<String>,
}

impl<'a, T: DeserializeOwned> Pages<'a, T> {
    pub(super) fn new(management: &'a Management, path: &str, query: Value) -> Self {
        let path = path.to_owned();
        Self { management, path, query, items: VecDeque::new(), after: Some(After::Beginning) }
    }

    /// Asks for so many at a time, 1 to 200. 50 unless said.
    #[must_use]
    pub fn limit(mut self, limit: u8) -> Self {
        self.say("limit", json!(limit));
        self
    }

    /// The next one, or nothing at the end.
    pub async fn next(&mut self) -> Result<Option<T>, Problem> {
        while self.items.is_empty() {
            let Some(after) = self.after.take() else { return Ok(None) };
            if let After::Item(after) = after {
                self.say("after", json!(after));
            }
            let asked = Asked::new("GET", &self.path).query(&self.query);
            let page: Page<T> = self.management.answer(asked).await?;
            self.items = page.items.into();
            self.after = page.next.map(After::Item);
        }
        Ok(self.items.pop_front())
    }

    /// All of them.
    pub async fn all(mut self) -> Result<Vec<T>, Problem> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await? {
            all.push(item);
        }
        Ok(all)
    }

    fn say(&mut self, name: &str, value: Value) {
        if !self.query.is_object() {
            self.query = json!({});
        }
        self.query[name] = value;
    }
}
