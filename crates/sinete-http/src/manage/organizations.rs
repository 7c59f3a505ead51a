//! Organizations: made and listed by operators, changed by their own, suspended and restored from outside.

pub(crate) mod logo;
mod wire;

pub(crate) use wire::condition;
pub(crate) use wire::{NEW_ORGANIZATION, ORGANIZATION, ORGANIZATION_PATCH, REASON, SCHEMAS};

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use super::page::ResourceView as _;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_engine::organizations::{self, OrganizationRow};
use wire::{NewOrganizationInput, OrganizationPatch, ReasonInput};

pub(crate) async fn create(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let wanted = errand.body::<NewOrganizationInput>()?.wanted()?;
    errand
        .make(
            async |claim| {
                organizations::create(errand.engine(), &errand.caller.claiming(claim), &wanted).await
            },
            |made: OrganizationRow| {
                Ok(CreatedResource::new(&made.view()?, errand.below(made.id))?.tagged(made.version))
            },
        )
        .await
}

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let page = errand.page(None)?;
    let read = organizations::list(errand.engine(), &errand.caller, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::show(errand.engine(), &acting).await??)
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let seen = errand.seen()?;
    let before = OrganizationPatch::of(&acting.organization)?;
    let changed = errand.patched::<OrganizationPatch>(&before)?.changed()?;
    shown(&organizations::change(errand.engine(), &acting, seen, &changed).await??)
}

pub(crate) async fn suspend(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let reason = errand.body::<ReasonInput>()?.checked()?;
    shown(&organizations::suspend(errand.engine(), &acting, &reason).await??)
}

pub(crate) async fn restore(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let reason = errand.body::<ReasonInput>()?.checked()?;
    shown(&organizations::restore(errand.engine(), &acting, &reason).await??)
}

pub(crate) async fn ask_deletion(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::ask_deletion(errand.engine(), &acting).await??)
}

pub(crate) async fn withdraw_deletion(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::withdraw_deletion(errand.engine(), &acting).await??)
}

fn shown(organization: &OrganizationRow) -> Result<axum::response::Response, HandlerError> {
    let body = written(&organization.view()?)?;
    Ok(tagged(answer(StatusCode::OK, body), organization.version))
}
