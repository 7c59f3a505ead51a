//! Handlers of identity provider connections.

use crate::identity_providers::connections::dto;
pub(crate) use crate::identity_providers::connections::dto::{
    CONNECTION, CONNECTION_PATCH, CONNECTION_TEST_RESULT, ConnectionInput, NEW_CONNECTION, NewConnectionInput,
};

use crate::identity_providers::connections::dto::{ConnectionTestView, ConnectionView};
use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_engine::Engine;
use sinete_engine::identity_providers::connections;
use sinete_engine::identity_providers::connections::{ConnectionOverview, DiscoveryPolicy};
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_connections(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read =
        connections::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    let views = read
        .iter()
        .map(|overview| ConnectionView::from_connection(management_request.engine(), overview))
        .collect();
    page.to_response(management_request.engine(), views)
}

pub(crate) async fn create_connection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (issuer, draft) = management_request.parse_body::<NewConnectionInput>()?.into_connection_request()?;
    management_request
        .create_once(
            async |claim| {
                let access = access.with_claim(claim);
                let discovery = DiscoveryPolicy::IfReachable;
                connections::create(
                    management_request.engine(),
                    &access,
                    discovery,
                    issuer.as_deref(),
                    &draft,
                )
                .await
            },
            |overview: ConnectionOverview| {
                let (location, version) =
                    (management_request.child_location(overview.connection.id), overview.connection.version);
                Ok(CreatedResource::new(
                    &ConnectionView::from_connection(management_request.engine(), &overview),
                    location,
                )?
                .with_version(version))
            },
        )
        .await
}

pub(crate) async fn show_connection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let overview =
        connections::show(management_request.engine(), &access, management_request.path_id("connection")?)
            .await?;
    connection_response(management_request.engine(), &overview)
}

pub(crate) async fn update_connection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (id, expected_version) =
        (management_request.path_id("connection")?, management_request.if_match_version()?);
    let before =
        connections::find_changeable(management_request.engine(), &access, id, expected_version).await?;
    let draft = management_request
        .apply_merge_patch::<ConnectionInput>(&ConnectionInput::from_connection(&before))?
        .into_connection_request()?;
    let overview = connections::change(management_request.engine(), &access, &before, &draft).await?;
    connection_response(management_request.engine(), &overview)
}

pub(crate) async fn delete_connection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    connections::remove(management_request.engine(), &access, management_request.path_id("connection")?)
        .await?;
    Ok(no_content_response())
}

pub(crate) async fn test_connection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let findings = connections::test_connection(
        management_request.engine(),
        &access,
        management_request.path_id("connection")?,
    )
    .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ConnectionTestView::from_findings(&findings))?))
}

fn connection_response(engine: &Engine, overview: &ConnectionOverview) -> Result<Response, HandlerError> {
    let view = ConnectionView::from_connection(engine, overview);
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&view)?), overview.connection.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = dto::SCHEMAS;
