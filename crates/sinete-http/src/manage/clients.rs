//! Applications, services and agents: an operator's and an organization's own.

mod secrets;
mod wire;

pub(crate) use secrets::{
    CLIENT_SECRETS, ISSUED_SECRET, NEW_SECRET, add_secret, list_secrets, revoke_secret,
};
pub(crate) use wire::{CLIENT, CLIENT_PATCH, ClientPatch, NEW_CLIENT, NewClientInput, SETTLED_CLIENT};

use super::errand::{ManagementRequest, ManagementScope};
use super::made::CreatedResource;
use super::page::ResourceView as _;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::route::QueryParameter;
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use serde_json::json;
use sinete_core::client::ClientId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::clients::{self, ClientOverview, SavedClient};
use wire::SavedClientView;

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let page = errand.page(manager.organization())?;
    let (after, most) = (page.after::<ClientId>()?, page.to_read());
    let read = match errand.asked("origin") {
        None | Some("operator") => {
            clients::list(errand.engine(), manager.managing(), after.as_ref(), most).await??
        }
        Some("self") => {
            let operating = errand.operating();
            clients::list_self_registered(errand.engine(), &operating, after.as_ref(), most).await??
        }
        Some(_) => {
            let public = "origin is operator or self";
            return Err(Refusal::new(RefusalCode::InvalidRequest, public, "an unknown origin").into());
        }
    };
    page.answer(errand.engine(), read)
}

pub(crate) async fn create(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let wanted = errand.body::<NewClientInput>()?.wanted()?;
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                clients::create(errand.engine(), manager.managing(), &wanted).await
            },
            |made: SavedClient| {
                let (location, version) = (errand.below(&made.shown.client.id), made.shown.client.version);
                let shows_secret = made.secret.is_some();
                let answer = CreatedResource::new(&SavedClientView::of(made)?, location)?.tagged(version);
                Ok(if shows_secret { answer.with_secret() } else { answer })
            },
        )
        .await
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id: ClientId = errand.named_as("client")?;
    // Those who run the instance also look at clients that are not theirs, to decide whether to vouch for them.
    let found = match &manager {
        ManagementScope::Instance(operating) => clients::show_any(errand.engine(), operating, &id).await??,
        ManagementScope::Organization(_) => clients::show(errand.engine(), manager.managing(), &id).await??,
    };
    shown(&found)
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, seen, managing) = (errand.named_as::<ClientId>("client")?, errand.seen()?, manager.managing());
    let before = clients::changeable(errand.engine(), managing, &id, seen).await??;
    let changed = errand.patched::<ClientPatch>(&ClientPatch::of(&before)?)?.changed(&before)?;
    let settled = clients::change(errand.engine(), managing, &id, seen, &changed).await??;
    let version = settled.shown.client.version;
    Ok(tagged(answer(StatusCode::OK, written(&SavedClientView::of(settled)?)?), version))
}

pub(crate) async fn disable(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id = errand.named_as("client")?;
    shown(&clients::disable(errand.engine(), manager.managing(), &id).await??)
}

pub(crate) async fn enable(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id = errand.named_as("client")?;
    shown(&clients::enable(errand.engine(), manager.managing(), &id).await??)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    clients::remove(errand.engine(), manager.managing(), &errand.named_as("client")?).await??;
    Ok(nothing())
}

pub(crate) async fn verify(state: HttpState, call: RoutedRequest) -> HandlerResult {
    vouch(state, call, true).await
}

pub(crate) async fn withdraw_verification(state: HttpState, call: RoutedRequest) -> HandlerResult {
    vouch(state, call, false).await
}

async fn vouch(state: HttpState, call: RoutedRequest, is_verified: bool) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let id = errand.named_as("client")?;
    let client = clients::verify(errand.engine(), &errand.operating(), &id, is_verified).await??;
    shown(&ClientOverview { client, member: None })
}

fn shown(shown: &ClientOverview) -> Result<axum::response::Response, HandlerError> {
    let body = written(&shown.view()?)?;
    Ok(tagged(answer(StatusCode::OK, body), shown.client.version))
}

/// What the list for those who run the instance is asked by.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "origin",
    description: "Whether the operators' own clients are listed, or those that registered themselves.",
    is_required: false,
    schema: || json!({"type": "string", "enum": ["operator", "self"], "default": "operator"}),
}];

pub(crate) const SCHEMAS: &[&[&NamedSchema]] = &[wire::SCHEMAS, secrets::SCHEMAS];
