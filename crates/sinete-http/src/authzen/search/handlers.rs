//! Handlers of AuthZEN searches, with pagination.

use crate::authzen::evaluation::dto;
use crate::authzen::evaluation::dto::invalid_request;
use crate::authzen::evaluation::handlers::authenticate_and_parse;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::{Value, json};
use sinete_core::authzen::is_valid_name;
use sinete_core::limits::{SEARCH_PAGE_DEFAULT, SEARCH_PAGE_MAX};
use sinete_engine::Engine;
use sinete_engine::authzen::search;
use sinete_engine::authzen::search::{FoundSubject, SubjectSearchKind};
use sinete_engine::platform::pagination;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};

/// Searches subjects that may perform an action on an object.
pub(crate) async fn search_subjects(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (caller, body) = authenticate_and_parse(&state, &request).await?;
    let page = RequestedSearchPage::parse(state.engine(), &request, &body)?;
    let kind = match dto::require_text(
        body.get("subject"),
        "type",
        "The member subject.type is missing or not a string. Send a string.",
    )? {
        "member" => SubjectSearchKind::Members,
        "client" => SubjectSearchKind::Clients,
        _ => {
            return Err(invalid_request(
                "The member subject.type has an unknown value. Send member or client.",
            )
            .into());
        }
    };
    let action = dto::require_text(
        body.get("action"),
        "name",
        "The member action.name is missing or not a string. Send a string.",
    )?;
    let resource = body.get("resource");
    let of_type = dto::require_text(
        resource,
        "type",
        "The member resource.type is missing or not a string. Send a string.",
    )?;
    let id = dto::require_text(
        resource,
        "id",
        "The member resource.id is missing or not a string. Send a string.",
    )?;
    let (object, at) = (dto::parse_resource(of_type, id)?, dto::parse_context(body.get("context"))?);
    let subjects = search::search_subjects(state.engine(), caller, kind, action, &object, &at).await?;
    let results = subjects.into_iter().map(|subject| match subject {
        FoundSubject::Member(id) => (id.to_string(), json!({"type": "member", "id": id})),
        FoundSubject::Client(id) => (id.to_string(), json!({"type": "client", "id": id})),
    });
    page.to_response(state.engine(), results.collect())
}

/// Searches objects on which a subject may perform an action.
pub(crate) async fn search_resources(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (caller, body) = authenticate_and_parse(&state, &request).await?;
    let page = RequestedSearchPage::parse(state.engine(), &request, &body)?;
    let (subject, at) = (dto::parse_subject(body.get("subject"))?, dto::parse_context(body.get("context"))?);
    let action = dto::require_text(
        body.get("action"),
        "name",
        "The member action.name is missing or not a string. Send a string.",
    )?;
    let of_type = dto::require_text(
        body.get("resource"),
        "type",
        "The member resource.type is missing or not a string. Send a string.",
    )?;
    if !is_valid_name(of_type) {
        return Err(invalid_request(
            "The member resource.type is not valid. Send lower-case letters, digits and underscores.",
        )
        .into());
    }
    let object_ids = search::search_objects(state.engine(), caller, &subject, action, of_type, &at).await?;
    let results = object_ids.into_iter().map(|id| (id.clone(), json!({"type": of_type, "id": id})));
    page.to_response(state.engine(), results.collect())
}

/// Searches actions that a subject may perform on an object.
pub(crate) async fn search_actions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (caller, body) = authenticate_and_parse(&state, &request).await?;
    let page = RequestedSearchPage::parse(state.engine(), &request, &body)?;
    let (subject, at) = (dto::parse_subject(body.get("subject"))?, dto::parse_context(body.get("context"))?);
    let resource = body.get("resource");
    let of_type = dto::require_text(
        resource,
        "type",
        "The member resource.type is missing or not a string. Send a string.",
    )?;
    let id = dto::require_text(
        resource,
        "id",
        "The member resource.id is missing or not a string. Send a string.",
    )?;
    let object = dto::parse_resource(of_type, id)?;
    let action_names = search::search_actions(state.engine(), caller, &subject, &object, &at).await?;
    let results = action_names.into_iter().map(|name| (name.clone(), json!({"name": name})));
    page.to_response(state.engine(), results.collect())
}

/// The requested page.
struct RequestedSearchPage {
    cursor_parts: Vec<Vec<u8>>,
    after: Option<String>,
    limit: usize,
}

impl RequestedSearchPage {
    /// Parses the page. A cursor is valid only in the search that issued it.
    fn parse(engine: &Engine, request: &RoutedRequest, body: &Value) -> Result<Self, HandlerError> {
        dto::require_object(body)?;
        let page = body.get("page");
        if page.is_some_and(|page| !page.is_object()) {
            return Err(invalid_request(
                "The member page is not an object. Send an object, or leave it out.",
            )
            .into());
        }
        let maximum = match page.and_then(|page| page.get("limit")) {
            None => SEARCH_PAGE_DEFAULT,
            Some(limit) => {
                limit.as_u64().filter(|limit| (1..=SEARCH_PAGE_MAX).contains(limit)).ok_or_else(|| {
                    invalid_request("The member page.limit is not valid. Send a whole number from 1 to 200.")
                })?
            }
        };
        let mut search = vec![request.route().path.as_bytes().to_vec()];
        for name in ["subject", "action", "resource", "context"] {
            search.push(body.get(name).map(Value::to_string).unwrap_or_default().into_bytes());
        }
        let limit = usize::try_from(maximum).unwrap_or(usize::MAX);
        let mut read = Self { cursor_parts: search, after: None, limit };
        read.after = match page.and_then(|page| page.get("token")) {
            None => None,
            Some(Value::String(token)) => {
                Some(pagination::decode_cursor(engine, &read.cursor_binding(), token)?)
            }
            Some(_) => {
                return Err(invalid_request(
                    "The member page.token is not a string. Send the next_token of the previous page.",
                )
                .into());
            }
        };
        Ok(read)
    }

    /// Builds the response with the requested page.
    fn to_response(&self, engine: &Engine, mut entries: Vec<(String, Value)>) -> HandlerResult {
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let after = |(key, _): &(String, Value)| self.after.as_ref().is_none_or(|after| key > after);
        let mut entries: Vec<(String, Value)> = entries.into_iter().filter(after).collect();
        let has_more = entries.len() > self.limit;
        entries.truncate(self.limit);
        let last = entries.last().filter(|_| has_more).map(|(key, _)| key.clone());
        let next = last
            .map(|last| pagination::encode_cursor(engine, &self.cursor_binding(), &last))
            .unwrap_or_default();
        let results: Vec<Value> = entries.into_iter().map(|(_, value)| value).collect();
        Ok(json_response(
            StatusCode::OK,
            serialize_json(&json!({"page": {"next_token": next}, "results": results}))?,
        ))
    }

    fn cursor_binding(&self) -> Vec<&[u8]> {
        self.cursor_parts.iter().map(Vec::as_slice).collect()
    }
}
