//! APIs: the instance's own and who they are offered to, and those an organization adds for itself.

mod objects;
mod wire;

pub(crate) use objects::SCHEMAS as OBJECT_SCHEMAS;
pub(crate) use wire::{API, API_PATCH, NEW_API, OFFERS, PROTECTED_RESOURCE, SCHEMAS};

use super::errand::Errand;
use super::made::Made;
use super::page::Viewed as _;
use crate::call::Call;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{Answer, Declined};
use crate::state::State;
use axum::http::StatusCode;
use sinete_engine::apis::{self, StoredApi};
use sinete_engine::metadata;
use wire::{ApiText, OffersView, ProtectedResourceView};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let page = errand.page(manager.organization())?;
    let read = apis::list(errand.engine(), manager.managing(), page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn create(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let wanted = errand.body::<ApiText>()?.wanted(manager.organization())?;
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                apis::create(errand.engine(), manager.managing(), &wanted).await
            },
            |made: StoredApi| Ok(Made::new(&made.view()?, errand.below(made.id))?.tagged(made.version)),
        )
        .await
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    shown(&apis::show(errand.engine(), manager.managing(), errand.id("api")?).await??)
}

pub(crate) async fn protected_resource(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let told = metadata::of_api(errand.engine(), manager.managing(), errand.id("api")?).await??;
    Ok(answer(StatusCode::OK, written(&ProtectedResourceView::of(told))?))
}

pub(crate) async fn change(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, seen, managing) = (errand.id("api")?, errand.seen()?, manager.managing());
    let before = apis::changeable(errand.engine(), managing, id, seen).await??;
    let changed = errand.patched::<ApiText>(&ApiText::of(&before)?)?.changed(manager.organization())?;
    shown(&apis::change(errand.engine(), managing, id, seen, &changed).await??)
}

pub(crate) async fn remove(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    apis::remove(errand.engine(), manager.managing(), errand.id("api")?, errand.seen()?).await??;
    Ok(nothing())
}

pub(crate) async fn offers(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let offers = apis::offers(errand.engine(), &errand.operating(), errand.id("api")?).await??;
    Ok(answer(StatusCode::OK, written(&OffersView::of(offers))?))
}

pub(crate) async fn offer(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let (id, to) = (errand.id("api")?, errand.named("organization"));
    apis::offer(errand.engine(), &errand.operating(), id, to).await??;
    Ok(nothing())
}

pub(crate) async fn withdraw(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let (id, to) = (errand.id("api")?, errand.named("organization"));
    apis::withdraw(errand.engine(), &errand.operating(), id, to).await??;
    Ok(nothing())
}

fn shown(api: &StoredApi) -> Result<axum::response::Response, Declined> {
    Ok(tagged(answer(StatusCode::OK, written(&api.view()?)?), api.version))
}
