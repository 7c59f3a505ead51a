//! The handler of password changes.

use crate::accounts::account_request::begin_account_request;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::sign_in::credentials::password_change;
use sinete_engine::sign_in::credentials::password_change::PasswordChange;
use sinete_server::cookies::CookieName;
use sinete_server::extract::session::{SessionTokenKind, TokenTransport, find_token};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn change_password(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let by = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?
        .map_or(TokenTransport::Header, |it| it.transport);
    let actor =
        crate::sign_in::flows::handlers::flow_actor(&state, &request, FlowTokenTransport::from(by)).await?;
    let management_request = begin_account_request(state.clone(), request).await?;
    let PasswordChangeInput { current_password, password } = management_request.parse_body()?;
    let change = PasswordChange { current_password, password };
    let session = password_change::change_password(
        management_request.engine(),
        &management_request.caller,
        &change,
        &actor,
    )
    .await?;
    let token = session.token.reveal();
    let should_return_token = TokenTransport::Header == by;
    let view = RenewedSessionView { session_token: should_return_token.then(|| token.clone()) };
    let mut response = json_response(StatusCode::OK, serialize_json(&view)?);
    if !should_return_token {
        CookieName::Session.set(&mut response, state.scheme(), &token);
    }
    Ok(response)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PasswordChangeInput {
    /// The current password; omitted if the account has none.
    #[schemars(length(min = 1, max = 4096))]
    current_password: Option<String>,
    /// The new password.
    #[schemars(length(min = 1, max = 4096))]
    password: String,
}

#[derive(Serialize, JsonSchema)]
struct RenewedSessionView {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_token: Option<String>,
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&NEW_PASSWORD, &RENEWED_SESSION];

/// The schema of a password change.
pub(crate) const NEW_PASSWORD: NamedSchema =
    NamedSchema::request::<PasswordChangeInput>("SetPasswordRequest");

/// The schema of the session with its new token.
pub(crate) const RENEWED_SESSION: NamedSchema = NamedSchema::response::<RenewedSessionView>("RenewedSession")
    .with_description(
        "The session continues with a new token, which is set as a cookie or returned here once.",
    );
