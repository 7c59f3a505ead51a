//! Handlers of clients, of operators and of organizations.

use crate::oauth::clients::dto;
pub(crate) use crate::oauth::clients::dto::{
    CLIENT, CLIENT_PATCH, ClientPatch, NEW_CLIENT, NewClientInput, SETTLED_CLIENT,
};
use crate::oauth::clients::secrets;
pub(crate) use crate::oauth::clients::secrets::{
    CLIENT_SECRETS, ISSUED_SECRET, NEW_SECRET, add_client_secret, list_client_secrets, revoke_client_secret,
};
use sinete_core::refusal::request::RequestRefusal;

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView as _;
use crate::management_api::request::{ManagementRequest, ManagementScope};
use crate::oauth::clients::dto::SavedClientView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::json;
use sinete_core::client_id::ClientId;
use sinete_core::refusal::Refusal;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientOverview, SavedClient};
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_clients(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let page = management_request.page_request(manager.organization())?;
    let (after, limit) = (page.after::<ClientId>()?, page.fetch_limit());
    let read = match management_request.query_param("origin") {
        None | Some("operator") => {
            clients::list(management_request.engine(), manager.admin_scope(), after.as_ref(), limit).await?
        }
        Some("self") => {
            let instance_admin = management_request.instance_admin();
            clients::list_self_registered(management_request.engine(), &instance_admin, after.as_ref(), limit)
                .await?
        }
        Some(_) => {
            return Err(Refusal::because(RequestRefusal::OriginFilterInvalid, "an unknown origin").into());
        }
    };
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn create_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let client_request = management_request.parse_body::<NewClientInput>()?.into_client_request()?;
    management_request
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&management_request, claim);
                clients::create(management_request.engine(), manager.admin_scope(), &client_request).await
            },
            |client: SavedClient| {
                let (location, version) = (
                    management_request.child_location(&client.overview.client.id),
                    client.overview.client.version,
                );
                let shows_secret = client.secret.is_some();
                let answer = CreatedResource::new(&SavedClientView::from_saved(client)?, location)?
                    .with_version(version);
                Ok(if shows_secret { answer.with_secret() } else { answer })
            },
        )
        .await
}

pub(crate) async fn show_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id: ClientId = management_request.parse_path_param("client")?;
    // Operators can also see other clients, to decide about their verification.
    let overview = match &manager {
        ManagementScope::Instance(instance_admin) => {
            clients::show_any(management_request.engine(), instance_admin, &id).await?
        }
        ManagementScope::Organization(_) => {
            clients::show(management_request.engine(), manager.admin_scope(), &id).await?
        }
    };
    client_response(&overview)
}

pub(crate) async fn update_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, expected_version, admin_scope) = (
        management_request.parse_path_param::<ClientId>("client")?,
        management_request.if_match_version()?,
        manager.admin_scope(),
    );
    let before =
        clients::find_changeable(management_request.engine(), admin_scope, &id, expected_version).await?;
    let changed = management_request
        .apply_merge_patch::<ClientPatch>(&ClientPatch::from_client(&before)?)?
        .into_client_changes(&before)?;
    let client =
        clients::change(management_request.engine(), admin_scope, &id, expected_version, &changed).await?;
    let version = client.overview.client.version;
    Ok(with_etag(
        json_response(StatusCode::OK, serialize_json(&SavedClientView::from_saved(client)?)?),
        version,
    ))
}

pub(crate) async fn disable_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id = management_request.parse_path_param("client")?;
    client_response(&clients::disable(management_request.engine(), manager.admin_scope(), &id).await?)
}

pub(crate) async fn enable_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id = management_request.parse_path_param("client")?;
    client_response(&clients::enable(management_request.engine(), manager.admin_scope(), &id).await?)
}

pub(crate) async fn delete_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    clients::remove(
        management_request.engine(),
        manager.admin_scope(),
        &management_request.parse_path_param("client")?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn verify_client(state: HttpState, request: RoutedRequest) -> HandlerResult {
    set_client_verification(state, request, true).await
}

pub(crate) async fn withdraw_client_verification(state: HttpState, request: RoutedRequest) -> HandlerResult {
    set_client_verification(state, request, false).await
}

async fn set_client_verification(
    state: HttpState,
    request: RoutedRequest,
    is_verified: bool,
) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let id = management_request.parse_path_param("client")?;
    let client = clients::set_verified(
        management_request.engine(),
        &management_request.instance_admin(),
        &id,
        is_verified,
    )
    .await?;
    client_response(&ClientOverview { client, member: None })
}

fn client_response(overview: &ClientOverview) -> Result<axum::response::Response, HandlerError> {
    let body = serialize_json(&overview.to_view()?)?;
    Ok(with_etag(json_response(StatusCode::OK, body), overview.client.version))
}

/// The query of the list for operators.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "origin",
    description: "Whether the operators' own clients are listed, or those that registered themselves.",
    is_required: false,
    schema: || json!({"type": "string", "enum": ["operator", "self"], "default": "operator"}),
}];

pub(crate) const SCHEMAS: &[&[&NamedSchema]] = &[dto::SCHEMAS, secrets::SCHEMAS];
