//! Addresses that are told of events, of the instance and of organizations.

mod wire;

pub(crate) use wire::{
    NEW_WEBHOOK, ROTATION, SETTLED_WEBHOOK, SINCE, WEBHOOK, WEBHOOK_ATTEMPT, WEBHOOK_PATCH, WebhookInput,
};

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use super::page::ResourceView as _;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::time::Lifetime;
use sinete_engine::webhooks::{self, SavedWebhook, WebhookRow};
use wire::{ReplayInput, SavedWebhookView, SecretRotationInput};

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let page = errand.page(manager.organization())?;
    let read = webhooks::list(errand.engine(), manager.managing(), page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn create(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let wanted = errand.body::<WebhookInput>()?.wanted();
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                webhooks::create(
                    errand.engine(),
                    manager.managing(),
                    &wanted,
                    webhooks::WebhookBootstrap::default(),
                )
                .await
            },
            |made: SavedWebhook| {
                let (location, version) = (errand.below(made.webhook.id), made.webhook.version);
                Ok(CreatedResource::new(&SavedWebhookView::of(made), location)?.tagged(version).with_secret())
            },
        )
        .await
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id = errand.id("webhook")?;
    shown(&webhooks::show(errand.engine(), manager.managing(), id).await??)
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, seen, managing) = (errand.id("webhook")?, errand.seen()?, manager.managing());
    let before = webhooks::changeable(errand.engine(), managing, id, seen).await??;
    let wanted = errand.patched::<WebhookInput>(&WebhookInput::of(&before))?.wanted();
    shown(&webhooks::change(errand.engine(), managing, &before, &wanted).await??)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    webhooks::remove(errand.engine(), manager.managing(), errand.id("webhook")?).await??;
    Ok(nothing())
}

pub(crate) async fn rotate(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, rotation) = (errand.id("webhook")?, errand.body::<SecretRotationInput>()?);
    let overlap = rotation.overlap_seconds.map(Lifetime::from_seconds);
    let settled = webhooks::rotate(errand.engine(), manager.managing(), id, overlap).await??;
    let version = settled.webhook.version;
    Ok(tagged(answer(StatusCode::OK, written(&SavedWebhookView::of(settled))?), version))
}

pub(crate) async fn pause(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    shown(&webhooks::pause(errand.engine(), manager.managing(), errand.id("webhook")?).await??)
}

pub(crate) async fn resume(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    shown(&webhooks::resume(errand.engine(), manager.managing(), errand.id("webhook")?).await??)
}

pub(crate) async fn test(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    webhooks::test(errand.engine(), manager.managing(), errand.id("webhook")?).await??;
    Ok(nothing())
}

pub(crate) async fn replay(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, since) = (errand.id("webhook")?, errand.body::<ReplayInput>()?.moment()?);
    shown(&webhooks::replay(errand.engine(), manager.managing(), id, since).await??)
}

pub(crate) async fn list_attempts(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (page, id) = (errand.page(manager.organization())?, errand.id("webhook")?);
    let (after, most) = (page.after()?, page.to_read());
    let read = webhooks::list_attempts(errand.engine(), manager.managing(), id, after, most).await??;
    page.answer(errand.engine(), read)
}

fn shown(webhook: &WebhookRow) -> Result<Response, HandlerError> {
    Ok(tagged(answer(StatusCode::OK, written(&webhook.view()?)?), webhook.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = wire::SCHEMAS;
