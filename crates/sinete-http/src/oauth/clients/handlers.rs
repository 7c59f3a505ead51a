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

pub(crate) async fn list_clients(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let page = errand.page_request(manager.organization())?;
    let (after, most) = (page.after::<ClientId>()?, page.fetch_limit());
    let read = match errand.query_param("origin") {
        None | Some("operator") => {
            clients::list(errand.engine(), manager.admin_scope(), after.as_ref(), most).await?
        }
        Some("self") => {
            let operating = errand.instance_admin();
            clients::list_self_registered(errand.engine(), &operating, after.as_ref(), most).await?
        }
        Some(_) => {
            return Err(Refusal::because(RequestRefusal::OriginFilterInvalid, "an unknown origin").into());
        }
    };
    page.to_response(errand.engine(), read)
}

pub(crate) async fn create_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let wanted = errand.parse_body::<NewClientInput>()?.into_client_request()?;
    errand
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&errand, claim);
                clients::create(errand.engine(), manager.admin_scope(), &wanted).await
            },
            |made: SavedClient| {
                let (location, version) =
                    (errand.child_location(&made.overview.client.id), made.overview.client.version);
                let shows_secret = made.secret.is_some();
                let answer = CreatedResource::new(&SavedClientView::from_saved(made)?, location)?
                    .with_version(version);
                Ok(if shows_secret { answer.with_secret() } else { answer })
            },
        )
        .await
}

pub(crate) async fn show_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let id: ClientId = errand.parse_path_param("client")?;
    // Operators can also see other clients, to decide about their verification.
    let found = match &manager {
        ManagementScope::Instance(operating) => clients::show_any(errand.engine(), operating, &id).await?,
        ManagementScope::Organization(_) => {
            clients::show(errand.engine(), manager.admin_scope(), &id).await?
        }
    };
    client_response(&found)
}

pub(crate) async fn update_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (id, seen, managing) =
        (errand.parse_path_param::<ClientId>("client")?, errand.if_match_version()?, manager.admin_scope());
    let before = clients::find_changeable(errand.engine(), managing, &id, seen).await?;
    let changed = errand
        .apply_merge_patch::<ClientPatch>(&ClientPatch::from_client(&before)?)?
        .into_client_changes(&before)?;
    let settled = clients::change(errand.engine(), managing, &id, seen, &changed).await?;
    let version = settled.overview.client.version;
    Ok(with_etag(
        json_response(StatusCode::OK, serialize_json(&SavedClientView::from_saved(settled)?)?),
        version,
    ))
}

pub(crate) async fn disable_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let id = errand.parse_path_param("client")?;
    client_response(&clients::disable(errand.engine(), manager.admin_scope(), &id).await?)
}

pub(crate) async fn enable_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let id = errand.parse_path_param("client")?;
    client_response(&clients::enable(errand.engine(), manager.admin_scope(), &id).await?)
}

pub(crate) async fn delete_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    clients::remove(errand.engine(), manager.admin_scope(), &errand.parse_path_param("client")?).await?;
    Ok(no_content_response())
}

pub(crate) async fn verify_client(state: HttpState, call: RoutedRequest) -> HandlerResult {
    set_client_verification(state, call, true).await
}

pub(crate) async fn withdraw_client_verification(state: HttpState, call: RoutedRequest) -> HandlerResult {
    set_client_verification(state, call, false).await
}

async fn set_client_verification(state: HttpState, call: RoutedRequest, is_verified: bool) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let id = errand.parse_path_param("client")?;
    let client = clients::set_verified(errand.engine(), &errand.instance_admin(), &id, is_verified).await?;
    client_response(&ClientOverview { client, member: None })
}

fn client_response(shown: &ClientOverview) -> Result<axum::response::Response, HandlerError> {
    let body = serialize_json(&shown.to_view()?)?;
    Ok(with_etag(json_response(StatusCode::OK, body), shown.client.version))
}

/// The query of the list for operators.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "origin",
    description: "Whether the operators' own clients are listed, or those that registered themselves.",
    is_required: false,
    schema: || json!({"type": "string", "enum": ["operator", "self"], "default": "operator"}),
}];

pub(crate) const SCHEMAS: &[&[&NamedSchema]] = &[dto::SCHEMAS, secrets::SCHEMAS];
