//! Handlers of the flow API: start, show and submit, by browsers with cookies or programs with tokens.

use crate::sign_in::flows::dto;
pub(crate) use crate::sign_in::flows::schemas::{FLOW, FLOW_INPUT, FOLLOWED_LINK, LINK, SCHEMAS, START};
use sinete_core::refusal::sign_in::SignInRefusal;

use crate::flow_csrf::{csrf_token, is_csrf_token};
use crate::sign_in::flows::dto::FlowView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::{HeaderName, StatusCode};
use axum::response::Response;
use serde_json::Value;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{DeviceCookie, Digest, Secret};
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{
    FlowActor, FlowInput, FlowRef, FlowSnapshot, ProviderCallback, ProviderSignInRequest,
};
use sinete_engine::sign_in::sessions;
#[cfg(feature = "screens")]
use sinete_engine::sign_in::sessions::ActiveSession;
use sinete_engine::{Error, Failure};
use sinete_server::cookies::CookieName;
use sinete_server::extract::json;
use sinete_server::extract::same_origin::can_come_from_browser;
use sinete_server::extract::session::{PresentedToken, SessionTokenKind, TokenTransport, find_token};
use sinete_server::reply::json::{json_response, serialize_json, with_location};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::{NamedSchema, SchemaRegistry};

/// The header of the CSRF token.
pub(crate) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// Starts a flow.
pub(crate) async fn start_flow(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let body = parse_checked_body(&state, &request, &START)?;
    let (flow_request, carrier) = (dto::parse_flow_request(&body)?, requested_transport(&request, &body));
    if carrier == FlowTokenTransport::Cookie {
        // Prevents login CSRF: otherwise another site could sign the user in to its own account.
        state.server().check_same_origin(request.headers())?;
    }
    let actor = flow_actor(&state, &request, carrier).await?;
    state.rate_limit(&request).check_flow_start(&actor, flow_request.kind())?;
    let snapshot = flows::start_flow(state.engine(), &flow_request, carrier, &actor).await?;
    let location = format!("{}/flows/{}", state.base_address().path(), snapshot.flow.id());
    let response = flow_response(&state, StatusCode::CREATED, snapshot, None).await?;
    Ok(with_location(response, &location))
}

/// How the caller wants to receive its tokens: as it requests, otherwise in cookies if it may be a browser.
pub(crate) fn requested_transport(request: &RoutedRequest, body: &Value) -> FlowTokenTransport {
    match body.get("session").and_then(Value::as_str) {
        Some("token") => FlowTokenTransport::Token,
        None if !can_come_from_browser(request.headers()) => FlowTokenTransport::Token,
        Some(_) | None => FlowTokenTransport::Cookie,
    }
}

/// Shows a flow.
pub(crate) async fn show_flow(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let id = path_parameter(&mut request, "flow").await?;
    let token = require_flow_token(&state, &request)?;
    let ticket = FlowRef { id: &id, token: token.token, token_transport: token.transport.into() };
    let snapshot = flows::show(state.engine(), &ticket).await?;
    flow_response(&state, StatusCode::OK, snapshot, Some(&token)).await
}

/// Submits an action.
pub(crate) async fn submit_action(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let (id, action) =
        (path_parameter(&mut request, "flow").await?, path_parameter(&mut request, "action").await?);
    let paced = state.rate_limit(&request);
    paced.check_flow_action(&action)?;
    apply_action(&state, &request, &id, &action).await.map_err(|error| match error {
        HandlerError::Refused(refusal) => paced.count_failed_proof(refusal).into(),
        failed @ HandlerError::Failed(_) => failed,
    })
}

async fn apply_action(state: &HttpState, request: &RoutedRequest, id: &str, action: &str) -> HandlerResult {
    let token = require_flow_token(state, request)?;
    let carrier = token.transport.into();
    if carrier == FlowTokenTransport::Cookie {
        check_csrf_token(request, token.token)?;
    }
    let ticket = FlowRef { id, token: token.token, token_transport: carrier };
    let actor = flow_actor(state, request, carrier).await?;
    let opened = match flows::open_flow(state.engine(), &ticket).await {
        Ok(opened) => opened,
        // A flow that has ended accepts no input.
        Err(Error::Refused(refusal)) if is_flow_finished(&refusal) => {
            parse_action_without_fields(action)?;
            return Err(refusal.into());
        }
        Err(error) => return Err(error.into()),
    };
    let body = json::parse_json_value(request.body())?;
    let input = parse_action(state.schemas(), opened.flow(), action, &body)?;
    let snapshot = flows::submit_to_open_flow(state.engine(), &ticket, opened, &input, &actor).await?;
    flow_response(state, StatusCode::OK, snapshot, Some(&token)).await
}

/// Parses an action with its fields.
pub(crate) fn parse_action(
    schemas: &'static SchemaRegistry,
    flow: &AuthenticationFlow,
    action: &str,
    body: &Value,
) -> Result<FlowInput, Refusal> {
    let Some(action) = FlowAction::from_name(action) else { return Err(unknown_action()) };
    let errors = schemas.check(dto::action_schema(action, flow), body);
    if !errors.is_empty() {
        return Err(Refusal::from_validation_errors(errors));
    }
    Ok(read_flow_input(action, body))
}

/// Parses an action without its fields, for a flow that has ended.
fn parse_action_without_fields(action: &str) -> Result<FlowInput, Refusal> {
    FlowAction::from_name(action)
        .map(|action| read_flow_input(action, &Value::Null))
        .ok_or_else(unknown_action)
}

fn read_flow_input(action: FlowAction, body: &Value) -> FlowInput {
    let optional = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let text = |name: &str| optional(name).unwrap_or_default();
    match action {
        FlowAction::Password => FlowInput::Password { email: optional("email"), password: text("password") },
        FlowAction::Email => FlowInput::Email { email: optional("email") },
        FlowAction::SmsCode => FlowInput::SmsCode { phone: optional("phone") },
        FlowAction::Code => FlowInput::Code { code: text("code") },
        FlowAction::Resend => FlowInput::Resend,
        FlowAction::SignUp => FlowInput::SignUp,
        FlowAction::Details => FlowInput::Details {
            email: optional("email"),
            password: optional("password"),
            passkey: body.get("passkey").cloned(),
            name: optional("name"),
        },
        FlowAction::Passkey => FlowInput::Passkey { credential: body["credential"].clone() },
        FlowAction::Totp => FlowInput::Totp { code: text("code") },
        FlowAction::RecoveryCode => FlowInput::RecoveryCode { code: text("code") },
        FlowAction::PasskeyRegistration => {
            FlowInput::PasskeyRegistration { credential: body["credential"].clone(), name: optional("name") }
        }
        FlowAction::TotpConfirmation => {
            FlowInput::TotpConfirmation { code: text("code"), name: optional("name") }
        }
        // The schema allows two.
        FlowAction::ChooseFactor => FlowInput::ChooseFactor {
            factor: EnrollableFactor::from_name(&text("credential")).unwrap_or(EnrollableFactor::Passkey),
        },
        FlowAction::RecoveryCodes => FlowInput::RecoveryCodes,
        FlowAction::NewPassword => {
            let keep = body.get("keep").and_then(Value::as_array).into_iter().flatten();
            let keep = keep.filter_map(Value::as_str).map(str::to_owned).collect();
            FlowInput::NewPassword { password: text("password"), keep }
        }
        FlowAction::UserCode => FlowInput::UserCode { user_code: text("user_code") },
        FlowAction::ChooseOrganization => {
            FlowInput::ChooseOrganization { organization: text("organization") }
        }
        FlowAction::Consent => {
            FlowInput::Consent { allow: body.get("allow").and_then(Value::as_bool).unwrap_or_default() }
        }
        FlowAction::SingleSignOn => FlowInput::SingleSignOn(ProviderSignInRequest {
            email: optional("email"),
            connection: optional("connection"),
            return_to: optional("return_to"),
        }),
        FlowAction::ProviderAnswer => FlowInput::ProviderResponse(ProviderCallback {
            state: text("state"),
            code: optional("code"),
            iss: optional("iss"),
            error: optional("error"),
            callback_connection: None,
        }),
        FlowAction::Restart => FlowInput::Restart,
    }
}

fn unknown_action() -> Refusal {
    Refusal::because(SignInRefusal::FlowActionUnknown, "an unknown action")
}

fn is_flow_finished(refusal: &Refusal) -> bool {
    matches!(refusal.code(), RefusalCode::Gone | RefusalCode::Conflict)
}

/// A flow of a program, as part of another response.
pub(crate) async fn token_flow_view(
    state: &HttpState,
    snapshot: FlowSnapshot,
) -> Result<Value, HandlerError> {
    let offers = flows::load_offers(state.engine(), &snapshot.flow).await?;
    let mut flow_view = FlowView::new(state, &snapshot.flow, snapshot.expires_at, offers);
    flow_view.flow_token = snapshot.issued_secrets.flow.map(Secret::reveal);
    serde_json::to_value(flow_view).map_err(|_| HandlerError::from(Failure::Interrupted))
}

/// The response that shows a flow, with issued tokens in cookies for browsers or in the body for programs.
pub(crate) async fn flow_response(
    state: &HttpState,
    status: StatusCode,
    snapshot: FlowSnapshot,
    presented_token: Option<&PresentedToken<'_>>,
) -> HandlerResult {
    let (scheme, FlowSnapshot { flow, expires_at, issued_secrets: handed, .. }) = (state.scheme(), snapshot);
    let [flow_token, session_token] = [handed.flow.map(Secret::reveal), handed.session.map(Secret::reveal)];
    let current = flow_token.as_deref().or(presented_token.map(|token| token.token));
    let offers = flows::load_offers(state.engine(), &flow).await?;
    let mut flow_view = FlowView::new(state, &flow, expires_at, offers);
    flow_view.recovery_codes = handed.recovery_codes;
    let mut set = Vec::new();
    match flow.flow_token_transport() {
        FlowTokenTransport::Token => {
            (flow_view.flow_token, flow_view.session_token) = (flow_token, session_token)
        }
        FlowTokenTransport::Cookie => {
            flow_view.csrf_token = current.filter(|_| !flow.is_finished()).map(csrf_token);
            set.extend(flow_token.map(|token| (CookieName::Flow, token)));
            set.extend(session_token.map(|token| (CookieName::Session, token)));
            set.extend(handed.device.map(|token| (CookieName::Device, token.reveal())));
        }
    }
    let mut response: Response = json_response(status, serialize_json(&flow_view)?);
    for (cookie, value) in set {
        cookie.set(&mut response, scheme, &value);
    }
    if flow.flow_token_transport() == FlowTokenTransport::Cookie && flow.is_finished() {
        CookieName::Flow.clear(&mut response, scheme);
    }
    Ok(response)
}

/// The actor of a request.
pub(crate) async fn flow_actor(
    state: &HttpState,
    request: &RoutedRequest,
    carrier: FlowTokenTransport,
) -> Result<FlowActor, HandlerError> {
    let (headers, scheme) = (request.headers(), state.scheme());
    let session = match find_token(SessionTokenKind::Session, headers, scheme)? {
        Some(token) if FlowTokenTransport::from(token.transport) == carrier => {
            sessions::find(state.engine(), token.token).await?
        }
        // A session sent in another way than the flow token is from another party, or a mistake.
        Some(token) if token.transport == TokenTransport::Header => {
            return Err(two_transports().into());
        }
        Some(_) | None => None,
    };
    let device = match carrier {
        FlowTokenTransport::Cookie => device_cookie_digest(state, request)?,
        FlowTokenTransport::Token => None,
    };
    let language = request.context().language();
    Ok(FlowActor {
        origin: request.origin(),
        device,
        session,
        flow_session: None,
        flow_target: None,
        language,
    })
}

/// The actor of a browser request whose session was read before.
#[cfg(feature = "screens")]
pub(crate) fn flow_actor_in_session(
    state: &HttpState,
    request: &RoutedRequest,
    session: &ActiveSession,
) -> Result<FlowActor, Refusal> {
    let device = device_cookie_digest(state, request)?;
    let (session, language) = (Some(session.clone()), request.context().language());
    Ok(FlowActor {
        origin: request.origin(),
        device,
        session,
        flow_session: None,
        flow_target: None,
        language,
    })
}

/// The actor of a browser request that was found to have no active session.
#[cfg(feature = "screens")]
pub(crate) fn flow_actor_without_session(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<FlowActor, Refusal> {
    let token = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?;
    if token.is_some_and(|token| token.transport == TokenTransport::Header) {
        return Err(two_transports());
    }
    let (device, language) = (device_cookie_digest(state, request)?, request.context().language());
    Ok(FlowActor {
        origin: request.origin(),
        device,
        session: None,
        flow_session: None,
        flow_target: None,
        language,
    })
}

fn two_transports() -> Refusal {
    Refusal::because(
        SignInRefusal::FlowWithCookieAndSession,
        "the session is sent in another way than the flow token",
    )
}

fn device_cookie_digest(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<Option<Digest<DeviceCookie>>, Refusal> {
    let device = CookieName::Device.find(request.headers(), state.scheme())?;
    let device = device.and_then(|device| Secret::<DeviceCookie>::parse(device).ok());
    Ok(device.map(|device| device.digest()))
}

fn require_flow_token<'a>(
    state: &HttpState,
    request: &'a RoutedRequest,
) -> Result<PresentedToken<'a>, Refusal> {
    let token = find_token(SessionTokenKind::Flow, request.headers(), state.scheme())?;
    token.ok_or_else(|| sinete_server::extract::session::missing_token(SessionTokenKind::Flow))
}

/// Checks the CSRF token: browsers send cookies automatically, but only a page that can read our responses
/// knows the token.
fn check_csrf_token(request: &RoutedRequest, token: &str) -> Result<(), Refusal> {
    if is_csrf_token(token, request.header(&CSRF_TOKEN).unwrap_or_default()) {
        return Ok(());
    }
    Err(Refusal::because(SignInRefusal::FlowCsrfTokenMissing, "no CSRF token, or another flow's"))
}

/// Parses the body and validates it against a schema.
pub(crate) fn parse_checked_body(
    state: &HttpState,
    request: &RoutedRequest,
    schema: &NamedSchema,
) -> Result<Value, HandlerError> {
    let value = json::parse_json_value(request.body())?;
    let errors = state.schemas().check(schema, &value);
    if errors.is_empty() { Ok(value) } else { Err(Refusal::from_validation_errors(errors).into()) }
}

pub(crate) async fn path_parameter(request: &mut RoutedRequest, name: &str) -> Result<String, Refusal> {
    let parameters = request.path_parameters().await?;
    let parameter = parameters.into_iter().find(|(key, _)| key == name);
    Ok(parameter.map(|(_, value)| value).unwrap_or_default())
}
