//! RP-initiated logout, by GET and POST.

use crate::oauth::authorize::response as authorization;
use crate::pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::logout::LogoutOutcome;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{Digest, SessionToken};
use sinete_engine::oauth::logout::{LogoutRequest, log_out};
use sinete_engine::sign_in::sessions;
use sinete_engine::{Error, EventCause};
use sinete_server::cookies::CookieName;
use sinete_server::extract::params::FormParams;
use sinete_server::extract::session::{SessionTokenKind, TokenTransport, find_token};
use sinete_server::reply::{HandlerError, HandlerResult, json};
use sinete_server::route::RouteMethod;

/// The path.
pub(crate) const LOGOUT_PATH: &str = "/connect/logout";

/// The action of the confirmation button.
const CONFIRM_ACTION: &str = "confirm";

/// The parameters, in the order in which the page repeats them.
const LOGOUT_PARAMS: [&str; 4] = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"];

/// A request in the query.
pub(crate) async fn get_logout(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let pairs = request.query_params()?;
    end_session_response(&state, &request, &pairs).await
}

/// A request in a form.
pub(crate) async fn post_logout(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let pairs = request.form_params()?;
    end_session_response(&state, &request, &pairs).await
}

async fn end_session_response(
    state: &HttpState,
    request: &RoutedRequest,
    pairs: &FormParams,
) -> HandlerResult {
    let token = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?;
    let signed_in = match &token {
        Some(token) => sessions::find(state.engine(), token.token).await?,
        None => None,
    };
    let is_confirmed = match &token {
        // Only its holder can send a token in the header.
        Some(token) if token.transport == TokenTransport::Header => true,
        Some(token) => is_confirmed(state, request, pairs, token.token)?,
        None => false,
    };
    let actor = signed_in
        .as_ref()
        .map_or(SecurityEventActor::Anonymous, |it| SecurityEventActor::Account(it.session.account));
    let cause = EventCause { actor, origin: request.origin() };
    let logout_request = LogoutRequest {
        id_token_hint: pairs.get("id_token_hint"),
        client_id: pairs.get("client_id"),
        post_logout_redirect_uri: pairs.get("post_logout_redirect_uri"),
        state: pairs.get("state"),
    };
    match log_out(state.engine(), logout_request, signed_in.as_ref(), is_confirmed, &cause).await {
        Ok(LogoutOutcome::End(onward)) => Ok(signed_out_response(state, request, onward.as_deref())),
        Ok(LogoutOutcome::Confirm) => {
            confirmation_response(state, request, pairs, token.map_or("", |token| token.token))
        }
        Err(Error::Refused(refusal)) => Ok(authorization::invalid_request_response(state, request, &refusal)),
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Whether the user pressed the button on a page that we showed in this browser.
fn is_confirmed(
    state: &HttpState,
    request: &RoutedRequest,
    pairs: &FormParams,
    token: &str,
) -> Result<bool, HandlerError> {
    if request.route().method != RouteMethod::Post || pairs.get("action") != Some(CONFIRM_ACTION) {
        return Ok(false);
    }
    state.server().check_same_origin(request.headers())?;
    Ok(pairs.get("csrf") == Some(&*logout_csrf_token(token)))
}

/// The CSRF token of the confirmation page.
fn logout_csrf_token(token: &str) -> String {
    let digest = Digest::<SessionToken>::from_parts(&[b"sign out", token.as_bytes()]);
    URL_SAFE_NO_PAD.encode(digest.as_bytes())
}

/// The response after the session has ended.
fn signed_out_response(state: &HttpState, request: &RoutedRequest, onward: Option<&str>) -> Response {
    let mut response = match onward {
        Some(onward) => authorization::redirect_response(onward),
        None => pages::render_signed_out_page(state, request).unwrap_or_else(json::no_content_response),
    };
    CookieName::Session.clear(&mut response, state.scheme());
    response
}

/// The confirmation page. A program confirms by sending the session in the header.
fn confirmation_response(
    state: &HttpState,
    request: &RoutedRequest,
    pairs: &FormParams,
    token: &str,
) -> HandlerResult {
    let csrf = logout_csrf_token(token);
    let parameters = LOGOUT_PARAMS.iter().filter_map(|name| Some((*name, pairs.get(name)?)));
    let hidden: Vec<(&str, &str)> = parameters.collect();
    let question =
        pages::render_sign_out_confirmation(state, request, LOGOUT_PATH, &csrf, CONFIRM_ACTION, &hidden);
    question.ok_or_else(|| {
        Refusal::because(OAuthRefusal::LogoutNeedsConfirmation, "the logout is not confirmed").into()
    })
}
