//! APIs: the instance's own and who they are offered to, and those an organization adds for itself.

mod objects;
mod wire;

pub(crate) use objects::SCHEMAS as OBJECT_SCHEMAS;
pub(crate) use wire::{API, API_PATCH, NEW_API, OFFERS, PROTECTED_RESOURCE, SCHEMAS};

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use super::page::ResourceView as _;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_engine::apis::{self, ApiRow};
use sinete_engine::metadata;
use wire::{ApiInput, ApiOfferListView, ProtectedResourceView};

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let page = errand.page(manager.organization())?;
    let read = apis::list(errand.engine(), manager.managing(), page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn create(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let wanted = errand.body::<ApiInput>()?.wanted(manager.organization())?;
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                apis::create(errand.engine(), manager.managing(), &wanted).await
            },
            |made: ApiRow| {
                Ok(CreatedResource::new(&made.view()?, errand.below(made.id))?.tagged(made.version))
            },
        )
        .await
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    shown(&apis::show(errand.engine(), manager.managing(), errand.id("api")?).await??)
}

pub(crate) async fn protected_resource(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let told = metadata::of_api(errand.engine(), manager.managing(), errand.id("api")?).await??;
    Ok(answer(StatusCode::OK, written(&ProtectedResourceView::of(told))?))
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, seen, managing) = (errand.id("api")?, errand.seen()?, manager.managing());
    let before = apis::changeable(errand.engine(), managing, id, seen).await??;
    let changed = errand.patched::<ApiInput>(&ApiInput::of(&before)?)?.changed(manager.organization())?;
    shown(&apis::change(errand.engine(), managing, id, seen, &changed).await??)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    apis::remove(errand.engine(), manager.managing(), errand.id("api")?, errand.seen()?).await??;
    Ok(nothing())
}

pub(crate) async fn offers(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let offers = apis::offers(errand.engine(), &errand.operating(), errand.id("api")?).await??;
    Ok(answer(StatusCode::OK, written(&ApiOfferListView::of(offers))?))
}

pub(crate) async fn offer(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let (id, to) = (errand.id("api")?, errand.named("organization"));
    apis::offer(errand.engine(), &errand.operating(), id, to).await??;
    Ok(nothing())
}

pub(crate) async fn withdraw(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let (id, to) = (errand.id("api")?, errand.named("organization"));
    apis::withdraw(errand.engine(), &errand.operating(), id, to).await??;
    Ok(nothing())
}

fn shown(api: &ApiRow) -> Result<axum::response::Response, HandlerError> {
    Ok(tagged(answer(StatusCode::OK, written(&api.view()?)?), api.version))
}
