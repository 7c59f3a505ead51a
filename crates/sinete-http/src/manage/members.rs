//! Members of an organization.

mod wire;

pub(crate) use wire::{MEMBER, MEMBER_PATCH, MEMBER_ROLES, QUERY, SCHEMAS};

use super::errand::Errand;
use super::page::Viewed as _;
use crate::call::Call;
use crate::reply::json::{answer, nothing, tagged, written};
use crate::reply::{Answer, Declined};
use crate::state::State;
use axum::http::StatusCode;
use sinete_core::people::search::{MemberSearch, NotSearchable};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::find_members::{self, Looked};
use sinete_engine::members::{self, Member};
use wire::{MemberPatch, MemberRoles};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
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
            let looked = Looked { search: &search, after, most, walks: 1 };
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
    text.parse().map_err(|why: NotSearchable| {
        let public = match why {
            NotSearchable::TooManyWords => "search is at most eight words",
            NotSearchable::Text => {
                "search is one to eight words, at most 256 characters, without control or direction marks"
            }
        };
        Refusal::new(RefusalCode::InvalidRequest, public, why.to_string())
    })
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::show(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn change(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let (id, seen) = (errand.id("member")?, errand.seen()?);
    let before = members::changeable(errand.engine(), &acting, id, seen).await??;
    let profile = errand.patched::<MemberPatch>(&MemberPatch::of(&before)?)?.profile()?;
    shown(&members::change_profile(errand.engine(), &acting, id, seen, &profile).await??)
}

pub(crate) async fn set_roles(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let (id, seen) = (errand.id("member")?, errand.seen()?);
    let roles = errand.body::<MemberRoles>()?.roles()?;
    shown(&members::set_roles(errand.engine(), &acting, id, seen, &roles).await??)
}

pub(crate) async fn disable(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::disable(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn enable(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    shown(&members::enable(errand.engine(), &acting, errand.id("member")?).await??)
}

pub(crate) async fn remove(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    members::remove(errand.engine(), &acting, errand.id("member")?).await??;
    Ok(nothing())
}

fn shown(member: &Member) -> Result<axum::response::Response, Declined> {
    let body = written(&member.view()?)?;
    Ok(tagged(answer(StatusCode::OK, body), member.membership.version))
}
