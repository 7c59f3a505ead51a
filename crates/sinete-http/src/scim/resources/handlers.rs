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
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let asked = errand.query()?;
            list_response(search::list(errand.engine(), &errand.acting, kind, &asked).await?)
        })
    })
    .await
}

pub(crate) async fn search_resources(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let asked = ScimQueryParams::from_body(&errand.body()?)?;
            list_response(search::list(errand.engine(), &errand.acting, kind, &asked).await?)
        })
    })
    .await
}

pub(crate) async fn search_all_resources(state: HttpState, call: RoutedRequest) -> HandlerResult {
    ScimRequest::answer(state, call, |errand| {
        Box::pin(async move {
            let asked = ScimQueryParams::from_body(&errand.body()?)?;
            list_response(search::list_all(errand.engine(), &errand.acting, &asked).await?)
        })
    })
    .await
}

pub(crate) async fn create_resource(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let made = scim::create(errand.engine(), &errand.acting, kind, &errand.body()?).await?;
            errand.resource_response(StatusCode::CREATED, made)
        })
    })
    .await
}

pub(crate) async fn show_resource(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: errand.path_param(id_path_param(kind)) };
            let shown = scim::show(errand.engine(), &errand.acting, resource).await?;
            errand.resource_response(StatusCode::OK, shown)
        })
    })
    .await
}

pub(crate) async fn replace_resource(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: errand.path_param(id_path_param(kind)) };
            let sent = errand.body()?;
            let seen = errand.if_match();
            let changed = scim::replace(errand.engine(), &errand.acting, resource, &seen, &sent).await?;
            errand.resource_response(StatusCode::OK, changed)
        })
    })
    .await
}

pub(crate) async fn patch_resource(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: errand.path_param(id_path_param(kind)) };
            let sent = errand.body()?;
            let seen = errand.if_match();
            let changed = scim::patch(errand.engine(), &errand.acting, resource, &seen, &sent).await?;
            errand.resource_response(StatusCode::OK, changed)
        })
    })
    .await
}

pub(crate) async fn delete_resource(
    state: HttpState,
    call: RoutedRequest,
    kind: ScimResourceType,
) -> HandlerResult {
    ScimRequest::answer(state, call, move |errand| {
        Box::pin(async move {
            let resource = ScimResourceRef { kind, id: errand.path_param(id_path_param(kind)) };
            scim::remove(errand.engine(), &errand.acting, resource, &errand.if_match()).await?;
            Ok(no_content_response())
        })
    })
    .await
}

pub(crate) async fn process_bulk(state: HttpState, call: RoutedRequest) -> HandlerResult {
    ScimRequest::answer_bulk(state, call, |errand, sent| {
        Box::pin(async move {
            let done = bulk::run_bulk(errand.engine(), &errand.acting, &sent).await?;
            scim_response(StatusCode::OK, &done)
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

fn list_response(listed: ScimListPage) -> Result<Response, HandlerError> {
    let resources = listed.resources.into_iter().map(Into::into).collect();
    scim_response(StatusCode::OK, &discovery::build_list_response(listed.total, listed.start, resources))
}
