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

pub(crate) async fn list_apis(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let page = errand.page_request(manager.organization())?;
    let read =
        api_catalog::list(errand.engine(), manager.admin_scope(), page.after()?, page.fetch_limit()).await?;
    page.to_response(errand.engine(), read)
}

pub(crate) async fn create_api(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let wanted = errand.parse_body::<ApiInput>()?.into_new_api(errand.schemas(), manager.organization())?;
    errand
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&errand, claim);
                api_catalog::create(errand.engine(), manager.admin_scope(), &wanted).await
            },
            |made: ApiRow| {
                Ok(CreatedResource::new(&made.to_view()?, errand.child_location(made.id))?
                    .with_version(made.version))
            },
        )
        .await
}

pub(crate) async fn show_api(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    api_response(&api_catalog::show(errand.engine(), manager.admin_scope(), errand.path_id("api")?).await?)
}

pub(crate) async fn show_protected_resource(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let told =
        protected_resource::load_api_metadata(errand.engine(), manager.admin_scope(), errand.path_id("api")?)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ProtectedResourceView::from_metadata(told))?))
}

pub(crate) async fn update_api(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (id, seen, managing) = (errand.path_id("api")?, errand.if_match_version()?, manager.admin_scope());
    let before = api_catalog::find_changeable(errand.engine(), managing, id, seen).await?;
    let changed = errand
        .apply_merge_patch::<ApiInput>(&ApiInput::from_api(&before)?)?
        .into_api_changes(errand.schemas(), manager.organization())?;
    api_response(&api_catalog::change(errand.engine(), managing, id, seen, &changed).await?)
}

pub(crate) async fn delete_api(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    api_catalog::remove(
        errand.engine(),
        manager.admin_scope(),
        errand.path_id("api")?,
        errand.if_match_version()?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn list_api_offers(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let offers =
        api_catalog::list_offers(errand.engine(), &errand.instance_admin(), errand.path_id("api")?).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ApiOfferListView::from_organizations(offers))?))
}

pub(crate) async fn offer_api(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let (id, to) = (errand.path_id("api")?, errand.path_param("organization"));
    api_catalog::offer_to_organization(errand.engine(), &errand.instance_admin(), id, to).await?;
    Ok(no_content_response())
}

pub(crate) async fn withdraw_api_offer(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let (id, to) = (errand.path_id("api")?, errand.path_param("organization"));
    api_catalog::withdraw_offer(errand.engine(), &errand.instance_admin(), id, to).await?;
    Ok(no_content_response())
}

fn api_response(api: &ApiRow) -> Result<axum::response::Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&api.to_view()?)?), api.version))
}
