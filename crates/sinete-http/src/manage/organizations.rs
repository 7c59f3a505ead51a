//! Organizations: made and listed by operators, changed by their own, suspended and restored from outside.

pub(crate) mod logo;
mod wire;

pub(crate) use wire::condition;
pub(crate) use wire::{NEW_ORGANIZATION, ORGANIZATION, ORGANIZATION_PATCH, REASON, SCHEMAS};

use super::errand::Errand;
use super::made::Made;
use super::page::Viewed as _;
use crate::call::Call;
use crate::reply::json::{answer, tagged, written};
use crate::reply::{Answer, Declined};
use crate::state::State;
use axum::http::StatusCode;
use sinete_engine::organizations::{self, Organization};
use wire::{NewOrganization, OrganizationPatch, Reason};

pub(crate) async fn create(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let wanted = errand.body::<NewOrganization>()?.wanted()?;
    errand
        .make(
            async |claim| {
                organizations::create(errand.engine(), &errand.caller.claiming(claim), &wanted).await
            },
            |made: Organization| Ok(Made::new(&made.view()?, errand.below(made.id))?.tagged(made.version)),
        )
        .await
}

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let page = errand.page(None)?;
    let read = organizations::list(errand.engine(), &errand.caller, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::show(errand.engine(), &acting).await??)
}

pub(crate) async fn change(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let seen = errand.seen()?;
    let before = OrganizationPatch::of(&acting.organization)?;
    let changed = errand.patched::<OrganizationPatch>(&before)?.changed()?;
    shown(&organizations::change(errand.engine(), &acting, seen, &changed).await??)
}

pub(crate) async fn suspend(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let reason = errand.body::<Reason>()?.checked()?;
    shown(&organizations::suspend(errand.engine(), &acting, &reason).await??)
}

pub(crate) async fn restore(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let reason = errand.body::<Reason>()?.checked()?;
    shown(&organizations::restore(errand.engine(), &acting, &reason).await??)
}

pub(crate) async fn ask_deletion(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::ask_deletion(errand.engine(), &acting).await??)
}

pub(crate) async fn withdraw_deletion(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&organizations::withdraw_deletion(errand.engine(), &acting).await??)
}

fn shown(organization: &Organization) -> Result<axum::response::Response, Declined> {
    let body = written(&organization.view()?)?;
    Ok(tagged(answer(StatusCode::OK, body), organization.version))
}
