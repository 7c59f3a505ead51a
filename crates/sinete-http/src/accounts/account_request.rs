//! Requests to the account API, which require a session.
//!
//! Browsers send cookies automatically, so a change that is authenticated by cookie also requires a CSRF
//! token.

use crate::accounts::applications::handlers as applications;
use crate::accounts::ciba_requests::handlers as approvals;
use crate::accounts::contacts::handlers as contacts;
use crate::accounts::credentials::handlers as credentials;
use crate::accounts::events::handlers as events;
use crate::accounts::export::handlers as export;
use crate::accounts::linked_identities::handlers as identities;
use crate::accounts::long_lived_access::handlers;
use crate::accounts::memberships::handlers as memberships;
use crate::accounts::password::handlers as password;
use crate::accounts::picture::handlers as picture;
use crate::accounts::profile::handlers as profile;
use crate::accounts::sessions::handlers as sessions;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::HeaderName;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_server::extract::session::{SessionTokenKind, TokenTransport, find_token, missing_token};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::{RateLimitKind, RouteMethod};
use sinete_server::schema::NamedSchema;
use std::sync::LazyLock;

/// The header of the CSRF token.
const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// The schemas of the account API.
pub(crate) static SCHEMAS: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    [
        handlers::SCHEMAS,
        applications::SCHEMAS,
        approvals::SCHEMAS,
        contacts::SCHEMAS,
        credentials::SCHEMAS,
        events::SCHEMAS,
        export::SCHEMAS,
        identities::SCHEMAS,
        memberships::SCHEMAS,
        password::SCHEMAS,
        picture::SCHEMAS,
        profile::SCHEMAS,
        sessions::SCHEMAS,
    ]
    .concat()
});

/// Authenticates the session, and checks the CSRF token.
pub(crate) async fn begin_account_request(
    state: HttpState,
    request: RoutedRequest,
) -> Result<ManagementRequest<AccountHolder>, HandlerError> {
    let query = request.query_params()?;
    let token = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?;
    let token = token.ok_or_else(|| missing_token(SessionTokenKind::Session))?;
    let account_holder =
        account_holder::authenticate_session(state.engine(), token.token, request.origin()).await?;
    if token.transport == TokenTransport::Cookie && request.route().method != RouteMethod::Get {
        let csrf_token = request.header(&CSRF_TOKEN).unwrap_or_default();
        if !account_holder.is_csrf_token_valid(state.engine(), csrf_token) {
            return Err(Refusal::because(
                RequestRefusal::CsrfTokenMissing,
                "the CSRF token is missing or wrong",
            )
            .into());
        }
    }
    if request.route().rate_limits.includes(RateLimitKind::WritesByAccount) {
        state.rate_limit(&request).check_account_write(account_holder.account())?;
    }
    ManagementRequest::with_caller(account_holder, state, request, query).await
}

/// Paginates a list that is short enough to be read completely.
pub(crate) fn paginate_list<T: ResourceView>(
    management_request: &ManagementRequest<AccountHolder>,
    mut all: Vec<T>,
) -> HandlerResult {
    let page = management_request.page_request(None)?;
    let after = page.after::<String>()?;
    all.sort_by_key(ResourceView::cursor);
    all.retain(|it| after.as_ref().is_none_or(|after| it.cursor() > *after));
    page.to_response(management_request.engine(), all)
}
