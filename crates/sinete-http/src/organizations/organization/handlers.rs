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

pub(crate) async fn create_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (organization_request, owner) =
        management_request.parse_body::<NewOrganizationInput>()?.into_organization_request()?;
    management_request
        .create_once(
            async |claim| {
                let caller = management_request.caller.with_claim(claim);
                organizations::create_with_owner(
                    management_request.engine(),
                    &caller,
                    &organization_request,
                    owner.as_ref(),
                )
                .await
            },
            |organization: OrganizationRow| {
                Ok(CreatedResource::new(
                    &organization.to_view()?,
                    management_request.child_location(organization.id),
                )?
                .with_version(organization.version))
            },
        )
        .await
}

pub(crate) async fn list_organizations(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let page = management_request.page_request(None)?;
    let (search, after) = (management_request.query_param("search"), page.after()?);
    let read = organizations::list(
        management_request.engine(),
        &management_request.caller,
        search,
        after,
        page.fetch_limit(),
    )
    .await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn show_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    organization_response(&organizations::show(management_request.engine(), &access).await?)
}

pub(crate) async fn update_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let expected_version = management_request.if_match_version()?;
    let before = OrganizationPatch::from_organization(&access.organization)?;
    let changed =
        management_request.apply_merge_patch::<OrganizationPatch>(&before)?.into_organization_changes()?;
    organization_response(
        &organizations::change(management_request.engine(), &access, expected_version, &changed).await?,
    )
}

pub(crate) async fn suspend_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let reason = management_request.parse_body::<ReasonInput>()?.into_reason()?;
    organization_response(&organizations::suspend(management_request.engine(), &access, &reason).await?)
}

pub(crate) async fn restore_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let reason = management_request.parse_body::<ReasonInput>()?.into_reason()?;
    organization_response(&organizations::restore(management_request.engine(), &access, &reason).await?)
}

pub(crate) async fn request_organization_deletion(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    organization_response(&organizations::request_deletion(management_request.engine(), &access).await?)
}

pub(crate) async fn withdraw_organization_deletion(
    state: HttpState,
    request: RoutedRequest,
) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    organization_response(&organizations::withdraw_deletion(management_request.engine(), &access).await?)
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
