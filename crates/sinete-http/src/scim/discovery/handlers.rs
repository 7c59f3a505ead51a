//! Handlers of SCIM discovery (RFC 7644 §4).

use crate::scim::ScimRequest;
use crate::scim::request::scim_response;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use sinete_core::organizations::scim_settings::ScimExtensionSchemas;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::scim::discovery;
use sinete_engine::scim::{base_url, load_settings};
use sinete_server::reply::{HandlerError, HandlerResult};

pub(crate) async fn service_provider_config(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            scim_request.reject_filter()?;
            scim_response(
                StatusCode::OK,
                &discovery::describe_service_provider(&base_url(scim_request.engine())),
            )
        })
    })
    .await
}

pub(crate) async fn list_resource_types(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            scim_request.reject_filter()?;
            list_response(discovery::describe_resource_types(
                &base_url(scim_request.engine()),
                &load_registered_extensions(scim_request)?,
            ))
        })
    })
    .await
}

pub(crate) async fn show_resource_type(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            single_response(
                discovery::describe_resource_types(
                    &base_url(scim_request.engine()),
                    &load_registered_extensions(scim_request)?,
                ),
                scim_request.path_param("resource_type"),
            )
        })
    })
    .await
}

pub(crate) async fn list_schemas(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            scim_request.reject_filter()?;
            list_response(discovery::describe_schemas(
                &base_url(scim_request.engine()),
                &load_registered_extensions(scim_request)?,
            ))
        })
    })
    .await
}

pub(crate) async fn show_schema(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            single_response(
                discovery::describe_schemas(
                    &base_url(scim_request.engine()),
                    &load_registered_extensions(scim_request)?,
                ),
                scim_request.path_param("schema"),
            )
        })
    })
    .await
}

/// The extension schemas that the organization registered.
fn load_registered_extensions(scim_request: &ScimRequest) -> Result<ScimExtensionSchemas, HandlerError> {
    Ok(load_settings(&scim_request.access)?.extension_schemas)
}

fn list_response(documents: Vec<Value>) -> Result<Response, HandlerError> {
    let total = u64::try_from(documents.len()).unwrap_or(u64::MAX);
    scim_response(StatusCode::OK, &discovery::build_list_response(total, 1, documents))
}

fn single_response(documents: Vec<Value>, id: &str) -> Result<Response, HandlerError> {
    let is_meant = |document: &&Value| document["id"].as_str().is_some_and(|it| it.eq_ignore_ascii_case(id));
    match documents.iter().find(is_meant) {
        Some(document) => scim_response(StatusCode::OK, document),
        None => {
            let refusal = Refusal::because(RequestRefusal::NotFound, "no such document");
            Err(refusal.into())
        }
    }
}
