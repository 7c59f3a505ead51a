//! Providers at which the members of an organization sign in.

mod wire;

pub(crate) use wire::{
    CONNECTION, CONNECTION_PATCH, CONNECTION_TRIAL, ConnectionInput, NEW_CONNECTION, NewConnectionInput,
};

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_engine::Engine;
use sinete_engine::connections::{self, ConnectionOverview};
use wire::{ConnectionTestView, ConnectionView};

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let read = connections::list(errand.engine(), &acting, page.after()?, page.to_read()).await??;
    let views = read.iter().map(|shown| ConnectionView::of(errand.engine(), shown)).collect();
    page.answer(errand.engine(), views)
}

pub(crate) async fn create(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let (issuer, wanted) = errand.body::<NewConnectionInput>()?.wanted()?;
    errand
        .make(
            async |claim| {
                let acting = acting.claiming(claim);
                connections::create(errand.engine(), &acting, issuer.as_deref(), &wanted).await
            },
            |made: ConnectionOverview| {
                let (location, version) = (errand.below(made.connection.id), made.connection.version);
                Ok(CreatedResource::new(&ConnectionView::of(errand.engine(), &made), location)?
                    .tagged(version))
            },
        )
        .await
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let shown = connections::show(errand.engine(), &acting, errand.id("connection")?).await??;
    answered(errand.engine(), &shown)
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let (id, seen) = (errand.id("connection")?, errand.seen()?);
    let before = connections::changeable(errand.engine(), &acting, id, seen).await??;
    let wanted = errand.patched::<ConnectionInput>(&ConnectionInput::of(&before))?.wanted()?;
    let shown = connections::change(errand.engine(), &acting, &before, &wanted).await??;
    answered(errand.engine(), &shown)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    connections::remove(errand.engine(), &acting, errand.id("connection")?).await??;
    Ok(nothing())
}

pub(crate) async fn test(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let findings = connections::test(errand.engine(), &acting, errand.id("connection")?).await??;
    Ok(answer(StatusCode::OK, written(&ConnectionTestView::of(&findings))?))
}

fn answered(engine: &Engine, shown: &ConnectionOverview) -> Result<Response, HandlerError> {
    let view = ConnectionView::of(engine, shown);
    Ok(tagged(answer(StatusCode::OK, written(&view)?), shown.connection.version))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = wire::SCHEMAS;
