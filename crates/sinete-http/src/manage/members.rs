//! Members of an organization.

mod wire;

pub(crate) use wire::{MEMBER, MEMBER_PATCH, MEMBER_ROLES, QUERY, SCHEMAS};

use super::errand::ManagementRequest;
use super::page::ResourceView as _;
use crate::call::RoutedRequest;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_core::people::search::{InvalidMemberSearch, MemberSearch};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::find_members::{self, MemberSearchRequest};
use sinete_engine::members::{self, MemberWithRoles};
use wire::{MemberPatch, MemberRolesInput};

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let engine = errand.engine();
    match errand.asked("search").map(searched).transpose()? {
        None => {
            let read = members::list(engine, &acting, page.after()?, page.to_read()).await??;
            page.answer(engine, read)
        }
        Some(search) => {
            let (after, most) = (page.after()?, page.to_read());
            let looked = MemberSearchRequest { search: &search, after, most, walks: 1 };
            let found = find_members::find(engine, &acting, looked).await??;
            // Whoever hands the answer on to a program could not tell that somebody is missing.
            if found.is_early {
                return Err(find_members::too_early().into());
            }
            page.answer_to(engine, found.members, found.stopped.map(|place| place.to_string()))
        }
    }
}

/// What is looked for.
fn searched(text: &str) -> Result<MemberSearch, Refusal> {
    text.parse().map_err(|why: InvalidMemberSearch| {
        let public = match why {
            InvalidMemberSearch::TooManyWords => "search is at most eight words",
            InvalidMemberSearch::Text => {
                "search is one to eight words, at most 256 characters, without control or direction marks"
            }
        };
        Refusal::new(RefusalCode::InvalidRequest, public, why.to_string())
    })
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::show(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let (id, seen) = (errand.id("member")?, errand.seen()?);
    let before = members::changeable(errand.engine(), &acting, id, seen).await??;
    let profile = errand.patched::<MemberPatch>(&MemberPatch::of(&before)?)?.profile()?;
    shown(&members::change_profile(errand.engine(), &acting, id, seen, &profile).await??)
}

pub(crate) async fn set_roles(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let (id, seen) = (errand.id("member")?, errand.seen()?);
    let roles = errand.body::<MemberRolesInput>()?.roles()?;
    shown(&members::set_roles(errand.engine(), &acting, id, seen, &roles).await??)
}

pub(crate) async fn disable(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::disable(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn enable(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::enable(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    members::remove(errand.engine(), &acting, errand.id("member")?).await??;
    Ok(nothing())
}

fn shown(member: &MemberWithRoles) -> Result<axum::response::Response, HandlerError> {
    let body = written(&member.view()?)?;
    Ok(tagged(answer(StatusCode::OK, body), member.membership.version))
}
