//! Handlers of identity provider connections.

use crate::identity_providers::connections::dto;
pub(crate) use crate::identity_providers::connections::dto::{
    CONNECTION, CONNECTION_PATCH, CONNECTION_TRIAL, ConnectionInput, NEW_CONNECTION, NewConnectionInput,
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

pub(crate) async fn list_connections(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let page = errand.page_request(Some(acting.organization.id))?;
    let read = connections::list(errand.engine(), &acting, page.after()?, page.fetch_limit()).await?;
    let views = read.iter().map(|shown| ConnectionView::from_connection(errand.engine(), shown)).collect();
    page.to_response(errand.engine(), views)
}

pub(crate) async fn create_connection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let (issuer, wanted) = errand.parse_body::<NewConnectionInput>()?.into_connection_request()?;
    errand
        .create_once(
            async |claim| {
                let acting = acting.with_claim(claim);
                let discovery = DiscoveryPolicy::IfReachable;
                connections::create(errand.engine(), &acting, discovery, issuer.as_deref(), &wanted).await
            },
            |made: ConnectionOverview| {
                let (location, version) =
                    (errand.child_location(made.connection.id), made.connection.version);
                Ok(CreatedResource::new(&ConnectionView::from_connection(errand.engine(), &made), location)?
                    .with_version(version))
            },
        )
        .await
}

pub(crate) async fn show_connection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let shown = connections::show(errand.engine(), &acting, errand.path_id("connection")?).await?;
    connection_response(errand.engine(), &shown)
}

pub(crate) async fn update_connection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let (id, seen) = (errand.path_id("connection")?, errand.if_match_version()?);
    let before = connections::find_changeable(errand.engine(), &acting, id, seen).await?;
    let wanted = errand
        .apply_merge_patch::<ConnectionInput>(&ConnectionInput::from_connection(&before))?
        .into_connection_request()?;
    let shown = connections::change(errand.engine(), &acting, &before, &wanted).await?;
    connection_response(errand.engine(), &shown)
}

pub(crate) async fn delete_connection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    connections::remove(errand.engine(), &acting, errand.path_id("connection")?).await?;
    Ok(no_content_response())
}

pub(crate) async fn test_connection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let findings =
        connections::test_connection(errand.engine(), &acting, errand.path_id("connection")?).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ConnectionTestView::from_findings(&findings))?))
}

fn connection_response(engine: &Engine, shown: &ConnectionOverview) -> Result<Response, HandlerError> {
    let view = ConnectionView::from_connection(engine, shown);
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&view)?), shown.connection.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = dto::SCHEMAS;
