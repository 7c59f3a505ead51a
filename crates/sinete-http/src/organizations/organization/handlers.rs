//! Handlers of organizations: created, listed, suspended and restored by operators, changed by their
//! administrators.

pub(crate) use crate::organizations::organization::dto::condition_name;
pub(crate) use crate::organizations::organization::dto::{
    NEW_ORGANIZATION, ORGANIZATION, ORGANIZATION_PATCH, REASON, SCHEMAS,
};

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView as _;
use crate::management_api::request::ManagementRequest;
use crate::organizations::organization::dto::{NewOrganizationInput, OrganizationPatch, ReasonInput};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::json;
use sinete_engine::organizations;
use sinete_engine::organizations::OrganizationRow;
use sinete_server::reply::json::{json_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;

pub(crate) async fn create_organization(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let (wanted, owner) = errand.parse_body::<NewOrganizationInput>()?.into_organization_request()?;
    errand
        .create_once(
            async |claim| {
                let caller = errand.caller.with_claim(claim);
                organizations::create_with_owner(errand.engine(), &caller, &wanted, owner.as_ref()).await
            },
            |made: OrganizationRow| {
                Ok(CreatedResource::new(&made.to_view()?, errand.child_location(made.id))?
                    .with_version(made.version))
            },
        )
        .await
}

pub(crate) async fn list_organizations(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let page = errand.page_request(None)?;
    let (search, after) = (errand.query_param("search"), page.after()?);
    let read =
        organizations::list(errand.engine(), &errand.caller, search, after, page.fetch_limit()).await?;
    page.to_response(errand.engine(), read)
}

pub(crate) async fn show_organization(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    organization_response(&organizations::show(errand.engine(), &acting).await?)
}

pub(crate) async fn update_organization(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let seen = errand.if_match_version()?;
    let before = OrganizationPatch::from_organization(&acting.organization)?;
    let changed = errand.apply_merge_patch::<OrganizationPatch>(&before)?.into_organization_changes()?;
    organization_response(&organizations::change(errand.engine(), &acting, seen, &changed).await?)
}

pub(crate) async fn suspend_organization(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let reason = errand.parse_body::<ReasonInput>()?.into_reason()?;
    organization_response(&organizations::suspend(errand.engine(), &acting, &reason).await?)
}

pub(crate) async fn restore_organization(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let reason = errand.parse_body::<ReasonInput>()?.into_reason()?;
    organization_response(&organizations::restore(errand.engine(), &acting, &reason).await?)
}

pub(crate) async fn request_organization_deletion(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    organization_response(&organizations::request_deletion(errand.engine(), &acting).await?)
}

pub(crate) async fn withdraw_organization_deletion(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    organization_response(&organizations::withdraw_deletion(errand.engine(), &acting).await?)
}

fn organization_response(organization: &OrganizationRow) -> Result<axum::response::Response, HandlerError> {
    let body = serialize_json(&organization.to_view()?)?;
    Ok(with_etag(json_response(StatusCode::OK, body), organization.version))
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "search",
    description: "Only organizations whose name or slug begins with this text, or whose id it is. Case does not matter.",
    is_required: false,
    schema: || json!({"type": "string", "minLength": 1, "maxLength": 100}),
}];
