//! Handlers of APIs, of the instance and of organizations, and of offers.

pub(crate) use crate::organizations::api_catalog::dto::{
    API, API_PATCH, NEW_API, OFFERS, PROTECTED_RESOURCE, SCHEMAS,
};
pub(crate) use crate::organizations::api_catalog::object_types::SCHEMAS as OBJECT_SCHEMAS;

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView as _;
use crate::management_api::request::ManagementRequest;
use crate::organizations::api_catalog::dto::{ApiInput, ApiOfferListView, ProtectedResourceView};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_engine::oauth::protected_resource;
use sinete_engine::organizations::api_catalog;
use sinete_engine::organizations::api_catalog::ApiRow;
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};

pub(crate) async fn list_apis(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let page = management_request.page_request(manager.organization())?;
    let read = api_catalog::list(
        management_request.engine(),
        manager.admin_scope(),
        page.after()?,
        page.fetch_limit(),
    )
    .await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn create_api(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let api = management_request
        .parse_body::<ApiInput>()?
        .into_new_api(management_request.schemas(), manager.organization())?;
    management_request
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&management_request, claim);
                api_catalog::create(management_request.engine(), manager.admin_scope(), &api).await
            },
            |api_row: ApiRow| {
                Ok(CreatedResource::new(&api_row.to_view()?, management_request.child_location(api_row.id))?
                    .with_version(api_row.version))
            },
        )
        .await
}

pub(crate) async fn show_api(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    api_response(
        &api_catalog::show(
            management_request.engine(),
            manager.admin_scope(),
            management_request.path_id("api")?,
        )
        .await?,
    )
}

pub(crate) async fn show_protected_resource(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let api_metadata = protected_resource::load_api_metadata(
        management_request.engine(),
        manager.admin_scope(),
        management_request.path_id("api")?,
    )
    .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ProtectedResourceView::from_metadata(api_metadata))?))
}

pub(crate) async fn update_api(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, expected_version, admin_scope) =
        (management_request.path_id("api")?, management_request.if_match_version()?, manager.admin_scope());
    let before =
        api_catalog::find_changeable(management_request.engine(), admin_scope, id, expected_version).await?;
    let changed = management_request
        .apply_merge_patch::<ApiInput>(&ApiInput::from_api(&before)?)?
        .into_api_changes(management_request.schemas(), manager.organization())?;
    api_response(
        &api_catalog::change(management_request.engine(), admin_scope, id, expected_version, &changed)
            .await?,
    )
}

pub(crate) async fn delete_api(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    api_catalog::remove(
        management_request.engine(),
        manager.admin_scope(),
        management_request.path_id("api")?,
        management_request.if_match_version()?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn list_api_offers(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let offers = api_catalog::list_offers(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("api")?,
    )
    .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ApiOfferListView::from_organizations(offers))?))
}

pub(crate) async fn offer_api(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (id, to) = (management_request.path_id("api")?, management_request.path_param("organization"));
    api_catalog::offer_to_organization(
        management_request.engine(),
        &management_request.instance_admin(),
        id,
        to,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn withdraw_api_offer(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (id, to) = (management_request.path_id("api")?, management_request.path_param("organization"));
    api_catalog::withdraw_offer(management_request.engine(), &management_request.instance_admin(), id, to)
        .await?;
    Ok(no_content_response())
}

fn api_response(api: &ApiRow) -> Result<axum::response::Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&api.to_view()?)?), api.version))
}
