//! Users and groups.

use super::ScimRequest;
use super::errand::told;
use crate::call::RoutedRequest;
use crate::reply::json::nothing;
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::scim::query::ScimQueryParams;
use sinete_core::scim::{ScimResourceType, describe};
use sinete_engine::provision::search::ScimListPage;
use sinete_engine::provision::{self, bulk, search};

pub(crate) async fn list(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let asked = errand.asked()?;
    listed(search::list(errand.engine(), &errand.acting, kind, &asked).await??)
}

pub(crate) async fn find(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let asked = ScimQueryParams::in_body(&errand.sent()?)?;
    listed(search::list(errand.engine(), &errand.acting, kind, &asked).await??)
}

pub(crate) async fn find_all(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let asked = ScimQueryParams::in_body(&errand.sent()?)?;
    listed(search::list_all(errand.engine(), &errand.acting, &asked).await??)
}

pub(crate) async fn create(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let made = provision::create(errand.engine(), &errand.acting, kind, &errand.sent()?).await??;
    errand.shown(StatusCode::CREATED, made)
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let shown = provision::show(errand.engine(), &errand.acting, (kind, errand.named(place(kind)))).await??;
    errand.shown(StatusCode::OK, shown)
}

pub(crate) async fn replace(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let (what, sent) = ((kind, errand.named(place(kind))), errand.sent()?);
    let changed = provision::replace(errand.engine(), &errand.acting, what, &errand.seen(), &sent).await??;
    errand.shown(StatusCode::OK, changed)
}

pub(crate) async fn patch(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let (what, sent) = ((kind, errand.named(place(kind))), errand.sent()?);
    let changed = provision::patch(errand.engine(), &errand.acting, what, &errand.seen(), &sent).await??;
    errand.shown(StatusCode::OK, changed)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest, kind: ScimResourceType) -> HandlerResult {
    let errand = ScimRequest::begin(state, call).await?;
    let what = (kind, errand.named(place(kind)));
    provision::remove(errand.engine(), &errand.acting, what, &errand.seen()).await??;
    Ok(nothing())
}

pub(crate) async fn bulk(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (errand, sent) = ScimRequest::begin_many(state, call).await?;
    let done = bulk::perform(errand.engine(), &errand.acting, &sent).await??;
    told(StatusCode::OK, &done)
}

/// The name that the id of such a thing has in a path.
const fn place(kind: ScimResourceType) -> &'static str {
    match kind {
        ScimResourceType::User => "user",
        ScimResourceType::Group => "group",
    }
}

fn listed(listed: ScimListPage) -> Result<Response, HandlerError> {
    let resources = listed.resources.into_iter().map(Into::into).collect();
    told(StatusCode::OK, &describe::list(listed.total, listed.start, resources))
}
