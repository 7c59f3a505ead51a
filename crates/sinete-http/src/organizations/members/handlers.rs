//! Handlers of members.

pub(crate) use crate::organizations::members::dto::{MEMBER, MEMBER_PATCH, MEMBER_ROLES, QUERY, SCHEMAS};

use crate::management_api::pagination::ResourceView as _;
use crate::management_api::request::ManagementRequest;
use crate::organizations::members::dto::{MemberPatch, MemberRolesInput};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_core::organizations::member_search::{InvalidMemberSearch, MemberSearch};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::organizations::member_search;
use sinete_engine::organizations::member_search::MemberSearchRequest;
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::MemberWithRoles;
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};

pub(crate) async fn list_members(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let page = errand.page_request(Some(acting.organization.id))?;
    let engine = errand.engine();
    match errand.query_param("search").map(parse_member_search).transpose()? {
        None => {
            let read = members::list(engine, &acting, page.after()?, page.fetch_limit()).await?;
            page.to_response(engine, read)
        }
        Some(search) => {
            let (after, most) = (page.after()?, page.fetch_limit());
            let looked = MemberSearchRequest { search: &search, after, limit: most, scans_max: 1 };
            let found = member_search::search_members(engine, &acting, looked).await?;
            // A program could not tell that results are missing.
            if found.is_index_incomplete {
                return Err(member_search::index_not_ready().into());
            }
            page.to_response_until(engine, found.members, found.stopped_at.map(|place| place.to_string()))
        }
    }
}

/// Parses a search query.
fn parse_member_search(text: &str) -> Result<MemberSearch, Refusal> {
    text.parse().map_err(|why: InvalidMemberSearch| {
        let reason = match why {
            InvalidMemberSearch::TooManyWords => RequestRefusal::MemberSearchTooLong,
            InvalidMemberSearch::Text => RequestRefusal::MemberSearchInvalid,
        };
        Refusal::because(reason, why.to_string())
    })
}

pub(crate) async fn show_member(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    member_response(&members::show(errand.engine(), &acting, errand.path_id("member")?).await?)
}

pub(crate) async fn update_member(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let (id, seen) = (errand.path_id("member")?, errand.if_match_version()?);
    let before = members::find_changeable(errand.engine(), &acting, id, seen).await?;
    let profile =
        errand.apply_merge_patch::<MemberPatch>(&MemberPatch::from_member(&before)?)?.into_profile()?;
    member_response(&members::change_profile(errand.engine(), &acting, id, seen, &profile).await?)
}

pub(crate) async fn set_member_roles(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    let (id, seen) = (errand.path_id("member")?, errand.if_match_version()?);
    let roles = errand.parse_body::<MemberRolesInput>()?.into_roles()?;
    member_response(&members::set_roles(errand.engine(), &acting, id, seen, &roles).await?)
}

pub(crate) async fn disable_member(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    member_response(&members::disable(errand.engine(), &acting, errand.path_id("member")?).await?)
}

pub(crate) async fn enable_member(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    member_response(&members::enable(errand.engine(), &acting, errand.path_id("member")?).await?)
}

pub(crate) async fn remove_member(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::authenticate(state, call).await?;
    let acting = errand.enter_organization().await?;
    members::remove(errand.engine(), &acting, errand.path_id("member")?).await?;
    Ok(no_content_response())
}

fn member_response(member: &MemberWithRoles) -> Result<axum::response::Response, HandlerError> {
    let body = serialize_json(&member.to_view()?)?;
    Ok(with_etag(json_response(StatusCode::OK, body), member.membership.version))
}
