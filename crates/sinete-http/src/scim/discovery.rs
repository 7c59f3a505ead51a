//! What directories can find out about the service (RFC 7644 §4).

use super::ScimRequest;
use super::errand::told;
use crate::call::RoutedRequest;
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::describe;
use sinete_engine::provision::address;

pub(crate) async fn service(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    errand.must_not_filter()?;
    told(StatusCode::OK, &describe::service(&address(errand.engine())))
}

pub(crate) async fn resource_types(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    errand.must_not_filter()?;
    all(describe::resource_types(&address(errand.engine())))
}

pub(crate) async fn resource_type(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    one(describe::resource_types(&address(errand.engine())), errand.named("resource_type"))
}

pub(crate) async fn schemas(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    errand.must_not_filter()?;
    all(describe::schemas(&address(errand.engine())))
}

pub(crate) async fn schema(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    one(describe::schemas(&address(errand.engine())), errand.named("schema"))
}

fn all(documents: Vec<Value>) -> Result<Response, HandlerError> {
    let total = u64::try_from(documents.len()).unwrap_or(u64::MAX);
    told(StatusCode::OK, &describe::list(total, 1, documents))
}

fn one(documents: Vec<Value>, id: &str) -> Result<Response, HandlerError> {
    let is_meant = |document: &&Value| document["id"].as_str().is_some_and(|it| it.eq_ignore_ascii_case(id));
    match documents.iter().find(is_meant) {
        Some(document) => told(StatusCode::OK, document),
        None => {
            let refusal =
                Refusal::new(RefusalCode::NotFound, "there is no such thing here", "no such document");
            Err(refusal.into())
        }
    }
}
