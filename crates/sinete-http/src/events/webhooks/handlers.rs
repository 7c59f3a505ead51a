//! Handlers of webhooks, of the instance and of organizations.

use crate::events::webhooks::dto;
pub(crate) use crate::events::webhooks::dto::{
    NEW_WEBHOOK, ROTATION, SETTLED_WEBHOOK, SINCE, WEBHOOK, WEBHOOK_ATTEMPT, WEBHOOK_PATCH, WebhookInput,
};

use crate::events::webhooks::dto::{ReplayInput, SavedWebhookView, SecretRotationInput};
use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView as _;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::time::Lifetime;
use sinete_engine::events::webhooks;
use sinete_engine::events::webhooks::{SavedWebhook, WebhookRow};
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_webhooks(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let page = errand.page_request(manager.organization())?;
    let read =
        webhooks::list(errand.engine(), manager.admin_scope(), page.after()?, page.fetch_limit()).await?;
    page.to_response(errand.engine(), read)
}

pub(crate) async fn create_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let wanted = errand.parse_body::<WebhookInput>()?.into_webhook_request();
    errand
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&errand, claim);
                webhooks::create(
                    errand.engine(),
                    manager.admin_scope(),
                    &wanted,
                    webhooks::WebhookBootstrap::default(),
                )
                .await
            },
            |made: SavedWebhook| {
                let (location, version) = (errand.child_location(made.webhook.id), made.webhook.version);
                Ok(CreatedResource::new(&SavedWebhookView::from_saved(made), location)?
                    .with_version(version)
                    .with_secret())
            },
        )
        .await
}

pub(crate) async fn show_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let id = errand.path_id("webhook")?;
    webhook_response(&webhooks::show(errand.engine(), manager.admin_scope(), id).await?)
}

pub(crate) async fn update_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (id, seen, managing) =
        (errand.path_id("webhook")?, errand.if_match_version()?, manager.admin_scope());
    let before = webhooks::find_changeable(errand.engine(), managing, id, seen).await?;
    let wanted = errand
        .apply_merge_patch::<WebhookInput>(&WebhookInput::from_webhook(&before))?
        .into_webhook_request();
    webhook_response(&webhooks::change(errand.engine(), managing, &before, &wanted).await?)
}

pub(crate) async fn delete_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    webhooks::remove(errand.engine(), manager.admin_scope(), errand.path_id("webhook")?).await?;
    Ok(no_content_response())
}

pub(crate) async fn rotate_webhook_secret(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (id, rotation) = (errand.path_id("webhook")?, errand.parse_body::<SecretRotationInput>()?);
    let overlap = rotation.overlap_seconds.map(Lifetime::from_seconds);
    let settled = webhooks::rotate_secret(errand.engine(), manager.admin_scope(), id, overlap).await?;
    let version = settled.webhook.version;
    Ok(with_etag(
        json_response(StatusCode::OK, serialize_json(&SavedWebhookView::from_saved(settled))?),
        version,
    ))
}

pub(crate) async fn pause_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    webhook_response(
        &webhooks::pause(errand.engine(), manager.admin_scope(), errand.path_id("webhook")?).await?,
    )
}

pub(crate) async fn resume_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    webhook_response(
        &webhooks::resume(errand.engine(), manager.admin_scope(), errand.path_id("webhook")?).await?,
    )
}

pub(crate) async fn test_webhook(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    webhooks::send_test_event(errand.engine(), manager.admin_scope(), errand.path_id("webhook")?).await?;
    Ok(no_content_response())
}

pub(crate) async fn replay_webhook_events(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (id, since) = (errand.path_id("webhook")?, errand.parse_body::<ReplayInput>()?.to_timestamp()?);
    webhook_response(&webhooks::replay_events(errand.engine(), manager.admin_scope(), id, since).await?)
}

pub(crate) async fn list_delivery_attempts(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let manager = errand.management_scope().await?;
    let (page, id) = (errand.page_request(manager.organization())?, errand.path_id("webhook")?);
    let (after, most) = (page.after()?, page.fetch_limit());
    let read = webhooks::list_attempts(errand.engine(), manager.admin_scope(), id, after, most).await?;
    page.to_response(errand.engine(), read)
}

fn webhook_response(webhook: &WebhookRow) -> Result<Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&webhook.to_view()?)?), webhook.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = dto::SCHEMAS;
