//! Handlers of webhooks, of the instance and of organizations.

use crate::events::webhooks::dto;
pub(crate) use crate::events::webhooks::dto::{
    NEW_WEBHOOK, ROTATION, SAVED_WEBHOOK, WEBHOOK, WEBHOOK_ATTEMPT, WEBHOOK_PATCH, WEBHOOK_REPLAY,
    WebhookInput,
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

pub(crate) async fn list_webhooks(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let page = management_request.page_request(manager.organization())?;
    let read =
        webhooks::list(management_request.engine(), manager.admin_scope(), page.after()?, page.fetch_limit())
            .await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn create_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let draft = management_request.parse_body::<WebhookInput>()?.into_webhook_request();
    management_request
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&management_request, claim);
                webhooks::create(
                    management_request.engine(),
                    manager.admin_scope(),
                    &draft,
                    webhooks::WebhookBootstrap::default(),
                )
                .await
            },
            |saved_webhook: SavedWebhook| {
                let (location, version) = (
                    management_request.child_location(saved_webhook.webhook.id),
                    saved_webhook.webhook.version,
                );
                Ok(CreatedResource::new(&SavedWebhookView::from_saved(saved_webhook), location)?
                    .with_version(version)
                    .with_secret())
            },
        )
        .await
}

pub(crate) async fn show_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id = management_request.path_id("webhook")?;
    webhook_response(&webhooks::show(management_request.engine(), manager.admin_scope(), id).await?)
}

pub(crate) async fn update_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, expected_version, admin_scope) = (
        management_request.path_id("webhook")?,
        management_request.if_match_version()?,
        manager.admin_scope(),
    );
    let before =
        webhooks::find_changeable(management_request.engine(), admin_scope, id, expected_version).await?;
    let draft = management_request
        .apply_merge_patch::<WebhookInput>(&WebhookInput::from_webhook(&before))?
        .into_webhook_request();
    webhook_response(&webhooks::change(management_request.engine(), admin_scope, &before, &draft).await?)
}

pub(crate) async fn delete_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    webhooks::remove(
        management_request.engine(),
        manager.admin_scope(),
        management_request.path_id("webhook")?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn rotate_webhook_secret(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, rotation) =
        (management_request.path_id("webhook")?, management_request.parse_body::<SecretRotationInput>()?);
    let overlap = rotation.overlap_seconds.map(Lifetime::from_seconds);
    let saved_webhook =
        webhooks::rotate_secret(management_request.engine(), manager.admin_scope(), id, overlap).await?;
    let version = saved_webhook.webhook.version;
    Ok(with_etag(
        json_response(StatusCode::OK, serialize_json(&SavedWebhookView::from_saved(saved_webhook))?),
        version,
    ))
}

pub(crate) async fn pause_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    webhook_response(
        &webhooks::pause(
            management_request.engine(),
            manager.admin_scope(),
            management_request.path_id("webhook")?,
        )
        .await?,
    )
}

pub(crate) async fn resume_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    webhook_response(
        &webhooks::resume(
            management_request.engine(),
            manager.admin_scope(),
            management_request.path_id("webhook")?,
        )
        .await?,
    )
}

pub(crate) async fn test_webhook(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    webhooks::send_test_event(
        management_request.engine(),
        manager.admin_scope(),
        management_request.path_id("webhook")?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn replay_webhook_events(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, since) = (
        management_request.path_id("webhook")?,
        management_request.parse_body::<ReplayInput>()?.to_timestamp()?,
    );
    webhook_response(
        &webhooks::replay_events(management_request.engine(), manager.admin_scope(), id, since).await?,
    )
}

pub(crate) async fn list_delivery_attempts(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (page, id) =
        (management_request.page_request(manager.organization())?, management_request.path_id("webhook")?);
    let (after, limit) = (page.after()?, page.fetch_limit());
    let read =
        webhooks::list_attempts(management_request.engine(), manager.admin_scope(), id, after, limit).await?;
    page.to_response(management_request.engine(), read)
}

fn webhook_response(webhook: &WebhookRow) -> Result<Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&webhook.to_view()?)?), webhook.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = dto::SCHEMAS;
