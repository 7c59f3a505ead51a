//! Searches over HTTP: everything that was found, in pages.

use super::{asked, reading};
use crate::call::RoutedRequest;
use crate::reply::json::{answer, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use reading::malformed;
use serde_json::{Value, json};
use sinete_core::limits::{SEARCH_PAGE, SEARCH_PAGE_MAX};
use sinete_core::relation::is_name;
use sinete_engine::search::{self, FoundSubject, SubjectSearchKind};
use sinete_engine::{Engine, cursors};

/// Who may do something with an object.
pub(crate) async fn subject(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (asker, asked) = asked(&state, &call).await?;
    let page = SearchPage::read(state.engine(), &call, &asked)?;
    let kind = match reading::text(asked.get("subject"), "type", "the search needs subject.type, a text")? {
        "member" => SubjectSearchKind::Members,
        "client" => SubjectSearchKind::Clients,
        _ => return Err(malformed("subject.type is member or client where subjects are looked for").into()),
    };
    let action = reading::text(asked.get("action"), "name", "the search needs action.name, a text")?;
    let resource = asked.get("resource");
    let of_type = reading::text(resource, "type", "the search needs resource.type, a text")?;
    let id = reading::text(resource, "id", "the search needs resource.id, a text")?;
    let (object, at) = (reading::object(of_type, id)?, reading::at(asked.get("context"))?);
    let found = search::subjects(state.engine(), asker, kind, (action, &object), &at).await??;
    let found = found.into_iter().map(|somebody| match somebody {
        FoundSubject::Member(id) => (id.to_string(), json!({"type": "member", "id": id})),
        FoundSubject::Client(id) => (id.to_string(), json!({"type": "client", "id": id})),
    });
    page.answer(state.engine(), found.collect())
}

/// With which objects somebody may do something.
pub(crate) async fn resource(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (asker, asked) = asked(&state, &call).await?;
    let page = SearchPage::read(state.engine(), &call, &asked)?;
    let (subject, at) = (reading::subject(asked.get("subject"))?, reading::at(asked.get("context"))?);
    let action = reading::text(asked.get("action"), "name", "the search needs action.name, a text")?;
    let of_type = reading::text(asked.get("resource"), "type", "the search needs resource.type, a text")?;
    if !is_name(of_type) {
        return Err(malformed("resource.type is a plain word").into());
    }
    let found = search::objects(state.engine(), asker, &subject, (action, of_type), &at).await??;
    let found = found.into_iter().map(|id| (id.clone(), json!({"type": of_type, "id": id})));
    page.answer(state.engine(), found.collect())
}

/// What somebody may do with an object.
pub(crate) async fn action(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (asker, asked) = asked(&state, &call).await?;
    let page = SearchPage::read(state.engine(), &call, &asked)?;
    let (subject, at) = (reading::subject(asked.get("subject"))?, reading::at(asked.get("context"))?);
    let resource = asked.get("resource");
    let of_type = reading::text(resource, "type", "the search needs resource.type, a text")?;
    let id = reading::text(resource, "id", "the search needs resource.id, a text")?;
    let object = reading::object(of_type, id)?;
    let found = search::actions(state.engine(), asker, &subject, &object, &at).await??;
    let found = found.into_iter().map(|name| (name.clone(), json!({"name": name})));
    page.answer(state.engine(), found.collect())
}

/// Which part of what was found is wanted.
struct SearchPage {
    search: Vec<Vec<u8>>,
    after: Option<String>,
    most: usize,
}

impl SearchPage {
    /// The page that is asked for. The place it goes on from counts only in the search that gave it out.
    fn read(engine: &Engine, call: &RoutedRequest, asked: &Value) -> Result<Self, HandlerError> {
        reading::must_be_object(asked)?;
        let page = asked.get("page");
        if page.is_some_and(|page| !page.is_object()) {
            return Err(malformed("page is an object").into());
        }
        let most = match page.and_then(|page| page.get("limit")) {
            None => SEARCH_PAGE,
            Some(limit) => limit
                .as_u64()
                .filter(|limit| (1..=SEARCH_PAGE_MAX).contains(limit))
                .ok_or_else(|| malformed("page.limit is a whole number from 1 to 200"))?,
        };
        let mut search = vec![call.route().path.as_bytes().to_vec()];
        for name in ["subject", "action", "resource", "context"] {
            search.push(asked.get(name).map(Value::to_string).unwrap_or_default().into_bytes());
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut read = Self { search, after: None, most };
        read.after = match page.and_then(|page| page.get("token")) {
            None => None,
            Some(Value::String(token)) => Some(cursors::read(engine, &read.parts(), token)?),
            Some(_) => return Err(malformed("page.token is a text").into()),
        };
        Ok(read)
    }

    /// The part that is wanted of what was found, each with its place.
    fn answer(&self, engine: &Engine, mut found: Vec<(String, Value)>) -> HandlerResult {
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let after = |(place, _): &(String, Value)| self.after.as_ref().is_none_or(|after| place > after);
        let mut found: Vec<(String, Value)> = found.into_iter().filter(after).collect();
        let has_more = found.len() > self.most;
        found.truncate(self.most);
        let last = found.last().filter(|_| has_more).map(|(place, _)| place.clone());
        let next = last.map(|last| cursors::issue(engine, &self.parts(), &last)).unwrap_or_default();
        let results: Vec<Value> = found.into_iter().map(|(_, shown)| shown).collect();
        Ok(answer(StatusCode::OK, written(&json!({"page": {"next_token": next}, "results": results}))?))
    }

    fn parts(&self) -> Vec<&[u8]> {
        self.search.iter().map(Vec::as_slice).collect()
    }
}
