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

pub(crate) async fn list_members(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let engine = management_request.engine();
    match management_request.query_param("search").map(parse_member_search).transpose()? {
        None => {
            let read = members::list(engine, &access, page.after()?, page.fetch_limit()).await?;
            page.to_response(engine, read)
        }
        Some(search) => {
            let (after, limit) = (page.after()?, page.fetch_limit());
            let looked = MemberSearchRequest { search: &search, after, limit, scans_max: 1 };
            let search_page = member_search::search_members(engine, &access, looked).await?;
            // A program could not tell that results are missing.
            if search_page.is_index_incomplete {
                return Err(member_search::index_not_ready().into());
            }
            page.to_response_until(
                engine,
                search_page.members,
                search_page.stopped_at.map(|search_position| search_position.to_string()),
            )
        }
    }
}

/// Parses a search query.
fn parse_member_search(text: &str) -> Result<MemberSearch, Refusal> {
    text.parse().map_err(|member_search: InvalidMemberSearch| {
        let reason = match member_search {
            InvalidMemberSearch::TooManyWords => RequestRefusal::MemberSearchTooLong,
            InvalidMemberSearch::Text => RequestRefusal::MemberSearchInvalid,
        };
        Refusal::because(reason, member_search.to_string())
    })
}

pub(crate) async fn show_member(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    member_response(
        &members::show(management_request.engine(), &access, management_request.path_id("member")?).await?,
    )
}

pub(crate) async fn update_member(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (id, expected_version) =
        (management_request.path_id("member")?, management_request.if_match_version()?);
    let before = members::find_changeable(management_request.engine(), &access, id, expected_version).await?;
    let profile = management_request
        .apply_merge_patch::<MemberPatch>(&MemberPatch::from_member(&before)?)?
        .into_profile()?;
    member_response(
        &members::change_profile(management_request.engine(), &access, id, expected_version, &profile)
            .await?,
    )
}

pub(crate) async fn set_member_roles(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (id, expected_version) =
        (management_request.path_id("member")?, management_request.if_match_version()?);
    let roles = management_request.parse_body::<MemberRolesInput>()?.into_roles()?;
    member_response(
        &members::set_roles(management_request.engine(), &access, id, expected_version, &roles).await?,
    )
}

pub(crate) async fn disable_member(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    member_response(
        &members::disable(management_request.engine(), &access, management_request.path_id("member")?)
            .await?,
    )
}

pub(crate) async fn enable_member(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    member_response(
        &members::enable(management_request.engine(), &access, management_request.path_id("member")?).await?,
    )
}

pub(crate) async fn remove_member(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    members::remove(management_request.engine(), &access, management_request.path_id("member")?).await?;
    Ok(no_content_response())
}

fn member_response(member: &MemberWithRoles) -> Result<axum::response::Response, HandlerError> {
    let body = serialize_json(&member.to_view()?)?;
    Ok(with_etag(json_response(StatusCode::OK, body), member.membership.version))
}
