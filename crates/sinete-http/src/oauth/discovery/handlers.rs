//! Handlers of discovery documents.

use crate::authzen::evaluation::routes;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use sinete_core::authzen::discovery;
use sinete_core::oauth::protected_resource::WELL_KNOWN;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::oauth::protected_resource;
use sinete_server::reply::document::StaticDocument;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult, RetryOutlook, ServerFailure};
use std::sync::Arc;

/// The metadata document, for OpenID Connect and OAuth alike.
pub(crate) fn discovery_document(state: &HttpState) -> Result<Arc<StaticDocument>, HandlerError> {
    state.discovery_document().ok_or_else(|| {
        let reason = "the discovery document could not be serialized".to_owned();
        HandlerError::Failed(ServerFailure { retry: RetryOutlook::Permanent, reason })
    })
}

/// The same with the issuer's path after the well-known name (RFC 8414 §3.1).
pub(crate) async fn discovery_with_path(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let suffix = path_suffix(&mut request).await?;
    if suffix.is_empty() || suffix != state.base_address().path() {
        return Err(not_found());
    }
    Ok(discovery_document(&state)?.to_response(request.headers()))
}

/// The AuthZEN metadata.
pub(crate) async fn show_pdp_metadata(state: HttpState, _: RoutedRequest) -> HandlerResult {
    let issuer = &state.engine().settings().issuer;
    metadata_response(&discovery::build_pdp_metadata(issuer, &routes::ENDPOINTS))
}

/// The same with the issuer's path after the well-known name.
pub(crate) async fn show_pdp_metadata_with_path(
    state: HttpState,
    mut request: RoutedRequest,
) -> HandlerResult {
    let suffix = path_suffix(&mut request).await?;
    if suffix.is_empty() || suffix != state.base_address().path() {
        return Err(not_found());
    }
    show_pdp_metadata(state, request).await
}

/// The metadata of our own APIs.
pub(crate) async fn show_protected_resource(state: HttpState, _: RoutedRequest) -> HandlerResult {
    metadata_response(&protected_resource::built_in_api_metadata(state.engine()))
}

/// The metadata of an API whose identifier is below our own URL.
pub(crate) async fn show_protected_resource_with_path(
    state: HttpState,
    mut request: RoutedRequest,
) -> HandlerResult {
    let suffix = path_suffix(&mut request).await?;
    if suffix == state.base_address().path() {
        return show_protected_resource(state, request).await;
    }
    let identifier = format!("{}{suffix}", state.base_address().origin());
    match protected_resource::find_api_metadata(state.engine(), &identifier).await? {
        Some(document) => metadata_response(&document),
        None => Err(not_found()),
    }
}

/// The path after the well-known name.
async fn path_suffix(request: &mut RoutedRequest) -> Result<String, HandlerError> {
    let parameters = request.path_parameters().await?;
    let path = parameters.iter().find(|(name, _)| name == "path").map_or("", |(_, value)| value.as_str());
    Ok(format!("/{path}"))
}

fn metadata_response(document: &serde_json::Map<String, serde_json::Value>) -> HandlerResult {
    let mut response = json_response(StatusCode::OK, serialize_json(document)?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    Ok(response)
}

fn not_found() -> HandlerError {
    let reason = format!("the path after {WELL_KNOWN} belongs neither to the issuer nor to an API");
    Refusal::because(RequestRefusal::PathNotFound, reason).into()
}
