//! Handlers of SCIM users and groups.

use crate::scim::ScimRequest;
use crate::scim::request::scim_response;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::scim::query::ScimQueryParams;
use sinete_core::scim::{ScimResourceType, discovery};
use sinete_engine::scim;
use sinete_engine::scim::search::ScimListPage;
use sinete_engine::scim::{ScimResourceRef, bulk, search};
use sinete_server::reply::json::no_content_response;
use sinete_server::reply::{HandlerError, HandlerResult};

pub(crate) async fn list_resources(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let params = scim_request.query()?;
            list_response(search::list(scim_request.engine(), &scim_request.access, kind, &params).await?)
        })
    })
    .await
}

pub(crate) async fn search_resources(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let params = ScimQueryParams::from_body(&scim_request.body()?)?;
            list_response(search::list(scim_request.engine(), &scim_request.access, kind, &params).await?)
        })
    })
    .await
}

pub(crate) async fn search_all_resources(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, request, |scim_request| {
        Box::pin(async move {
            let params = ScimQueryParams::from_body(&scim_request.body()?)?;
            list_response(
                search::list_users_and_groups(scim_request.engine(), &scim_request.access, &params).await?,
            )
        })
    })
    .await
}

pub(crate) async fn create_resource(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let resource =
                scim::create(scim_request.engine(), &scim_request.access, kind, &scim_request.body()?)
                    .await?;
            scim_request.resource_response(StatusCode::CREATED, resource)
        })
    })
    .await
}

pub(crate) async fn show_resource(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: scim_request.path_param(id_path_param(kind)) };
            let scim_resource = scim::show(scim_request.engine(), &scim_request.access, resource).await?;
            scim_request.resource_response(StatusCode::OK, scim_resource)
        })
    })
    .await
}

pub(crate) async fn replace_resource(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: scim_request.path_param(id_path_param(kind)) };
            let body = scim_request.body()?;
            let precondition = scim_request.if_match();
            let changed =
                scim::replace(scim_request.engine(), &scim_request.access, resource, &precondition, &body)
                    .await?;
            scim_request.resource_response(StatusCode::OK, changed)
        })
    })
    .await
}

pub(crate) async fn patch_resource(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: scim_request.path_param(id_path_param(kind)) };
            let body = scim_request.body()?;
            let precondition = scim_request.if_match();
            let changed =
                scim::patch(scim_request.engine(), &scim_request.access, resource, &precondition, &body)
                    .await?;
            scim_request.resource_response(StatusCode::OK, changed)
        })
    })
    .await
}

pub(crate) async fn delete_resource(
    state: HttpState,
    request: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, request, move |scim_request| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: scim_request.path_param(id_path_param(kind)) };
            scim::remove(scim_request.engine(), &scim_request.access, resource, &scim_request.if_match())
                .await?;
            Ok(no_content_response())
        })
    })
    .await
}

pub(crate) async fn process_bulk(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ScimRequest::answer_bulk(state, request, |scim_request, body| {
        Box::pin(async move {
            let response = bulk::run_bulk(scim_request.engine(), &scim_request.access, &body).await?;
            scim_response(StatusCode::OK, &response)
        })
    })
    .await
}

/// The path parameter of the id.
const fn id_path_param(kind: ScimResourceType) -> &'static str {
    match kind {
        ScimResourceType::User => "user",
        ScimResourceType::Group => "group",
    }
}

fn list_response(list_page: ScimListPage) -> Result<Response, HandlerError> {
    let resources = list_page.resources.into_iter().map(Into::into).collect();
    scim_response(
        StatusCode::OK,
        &discovery::build_list_response(list_page.total, list_page.start, resources),
    )
}
