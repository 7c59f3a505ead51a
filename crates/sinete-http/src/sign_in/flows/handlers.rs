//! Handlers of the flow API: start, show and submit, by browsers with cookies or programs with tokens.

use crate::sign_in::flows::dto;
pub(crate) use crate::sign_in::flows::schemas::{ANSWER, FLOW, FOLLOWED, LINK, SCHEMAS, START};
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
use sinete_server::extract::same_origin::may_be_sent_by_a_browser;
use sinete_server::extract::session::{PresentedToken, SessionTokenKind, TokenTransport, find_token};
use sinete_server::reply::json::{json_response, serialize_json, with_location};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::{NamedSchema, SchemaRegistry};

/// The header of the CSRF token.
pub(crate) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// Starts a flow.
pub(crate) async fn start_flow(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let sent = parse_checked_body(&state, &call, &START)?;
    let (wanted, carrier) = (dto::parse_flow_request(&sent)?, requested_transport(&call, &sent));
    if carrier == FlowTokenTransport::Cookie {
        // Prevents login CSRF: otherwise another site could sign the user in to its own account.
        state.server().check_same_origin(call.headers())?;
    }
    let walker = flow_actor(&state, &call, carrier).await?;
    state.rate_limit(&call).check_flow_start(&walker, wanted.kind())?;
    let standing = flows::start_flow(state.engine(), &wanted, carrier, &walker).await?;
    let location = format!("{}/flows/{}", state.base_address().path(), standing.flow.id());
    let response = flow_response(&state, StatusCode::CREATED, standing, None).await?;
    Ok(with_location(response, &location))
}

/// How the caller wants to receive its tokens: as it requests, otherwise in cookies if it may be a browser.
pub(crate) fn requested_transport(call: &RoutedRequest, sent: &Value) -> FlowTokenTransport {
    match sent.get("session").and_then(Value::as_str) {
        Some("token") => FlowTokenTransport::Token,
        None if !may_be_sent_by_a_browser(call.headers()) => FlowTokenTransport::Token,
        Some(_) | None => FlowTokenTransport::Cookie,
    }
}

/// Shows a flow.
pub(crate) async fn show_flow(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let id = path_parameter(&mut call, "flow").await?;
    let presented = require_flow_token(&state, &call)?;
    let ticket = FlowRef { id: &id, token: presented.token, carrier: presented.transport.into() };
    let standing = flows::show(state.engine(), &ticket).await?;
    flow_response(&state, StatusCode::OK, standing, Some(&presented)).await
}

/// Submits an action.
pub(crate) async fn submit_action(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let (id, action) = (path_parameter(&mut call, "flow").await?, path_parameter(&mut call, "action").await?);
    let paced = state.rate_limit(&call);
    paced.check_flow_action(&action)?;
    apply_action(&state, &call, &id, &action).await.map_err(|declined| match declined {
        HandlerError::Refused(refusal) => paced.count_failed_proof(refusal).into(),
        failed @ HandlerError::Failed(_) => failed,
    })
}

async fn apply_action(state: &HttpState, call: &RoutedRequest, id: &str, action: &str) -> HandlerResult {
    let presented = require_flow_token(state, call)?;
    let carrier = presented.transport.into();
    if carrier == FlowTokenTransport::Cookie {
        check_csrf_token(call, presented.token)?;
    }
    let ticket = FlowRef { id, token: presented.token, carrier };
    let walker = flow_actor(state, call, carrier).await?;
    let opened = match flows::open_flow(state.engine(), &ticket).await {
        Ok(opened) => opened,
        // A flow that has ended accepts no input.
        Err(Error::Refused(refusal)) if is_flow_over(&refusal) => {
            parse_action_without_fields(action)?;
            return Err(refusal.into());
        }
        Err(error) => return Err(error.into()),
    };
    let sent = json::parse_json_value(call.body())?;
    let said = parse_action(state.schemas(), opened.flow(), action, &sent)?;
    let standing = flows::submit_to_open_flow(state.engine(), &ticket, opened, &said, &walker).await?;
    flow_response(state, StatusCode::OK, standing, Some(&presented)).await
}

/// Parses an action with its fields.
pub(crate) fn parse_action(
    schemas: &'static SchemaRegistry,
    flow: &AuthenticationFlow,
    action: &str,
    sent: &Value,
) -> Result<FlowInput, Refusal> {
    let Some(action) = FlowAction::from_name(action) else { return Err(unknown_action()) };
    let faults = schemas.check(dto::action_schema(action, flow), sent);
    if !faults.is_empty() {
        return Err(Refusal::from_validation_errors(faults));
    }
    Ok(read_flow_input(action, sent))
}

/// Parses an action without its fields, for a flow that has ended.
fn parse_action_without_fields(action: &str) -> Result<FlowInput, Refusal> {
    FlowAction::from_name(action)
        .map(|action| read_flow_input(action, &Value::Null))
        .ok_or_else(unknown_action)
}

fn read_flow_input(action: FlowAction, sent: &Value) -> FlowInput {
    let optional = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
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
            passkey: sent.get("passkey").cloned(),
            name: optional("name"),
        },
        FlowAction::Passkey => FlowInput::Passkey { credential: sent["credential"].clone() },
        FlowAction::Totp => FlowInput::Totp { code: text("code") },
        FlowAction::RecoveryCode => FlowInput::RecoveryCode { code: text("code") },
        FlowAction::PasskeyRegistration => {
            FlowInput::PasskeyRegistration { credential: sent["credential"].clone(), name: optional("name") }
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
            let keep = sent.get("keep").and_then(Value::as_array).into_iter().flatten();
            let keep = keep.filter_map(Value::as_str).map(str::to_owned).collect();
            FlowInput::NewPassword { password: text("password"), keep }
        }
        FlowAction::UserCode => FlowInput::UserCode { user_code: text("user_code") },
        FlowAction::ChooseOrganization => {
            FlowInput::ChooseOrganization { organization: text("organization") }
        }
        FlowAction::Consent => {
            FlowInput::Consent { allow: sent.get("allow").and_then(Value::as_bool).unwrap_or_default() }
        }
        FlowAction::SingleSignOn => FlowInput::SingleSignOn(ProviderSignInRequest {
            email: optional("email"),
            connection: optional("connection"),
            return_to: optional("return_to"),
        }),
        FlowAction::ProviderAnswer => FlowInput::ProviderAnswer(ProviderCallback {
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

fn is_flow_over(refusal: &Refusal) -> bool {
    matches!(refusal.code(), RefusalCode::Gone | RefusalCode::Conflict)
}

/// A flow of a program, as part of another response.
pub(crate) async fn token_flow_view(
    state: &HttpState,
    standing: FlowSnapshot,
) -> Result<Value, HandlerError> {
    let offers = flows::load_offers(state.engine(), &standing.flow).await?;
    let mut told = FlowView::new(state, &standing.flow, standing.expires_at, offers);
    told.flow_token = standing.issued_secrets.flow.map(Secret::reveal);
    serde_json::to_value(told).map_err(|_| HandlerError::from(Failure::Interrupted))
}

/// The response that shows a flow, with issued tokens in cookies for browsers or in the body for programs.
pub(crate) async fn flow_response(
    state: &HttpState,
    status: StatusCode,
    standing: FlowSnapshot,
    presented: Option<&PresentedToken<'_>>,
) -> HandlerResult {
    let (scheme, FlowSnapshot { flow, expires_at, issued_secrets: handed, .. }) = (state.scheme(), standing);
    let [flow_token, session_token] = [handed.flow.map(Secret::reveal), handed.session.map(Secret::reveal)];
    let current = flow_token.as_deref().or(presented.map(|presented| presented.token));
    let offers = flows::load_offers(state.engine(), &flow).await?;
    let mut told = FlowView::new(state, &flow, expires_at, offers);
    told.recovery_codes = handed.recovery_codes;
    let mut set = Vec::new();
    match flow.carrier() {
        FlowTokenTransport::Token => (told.flow_token, told.session_token) = (flow_token, session_token),
        FlowTokenTransport::Cookie => {
            told.csrf_token = current.filter(|_| !flow.is_finished()).map(csrf_token);
            set.extend(flow_token.map(|token| (CookieName::Flow, token)));
            set.extend(session_token.map(|token| (CookieName::Session, token)));
            set.extend(handed.device.map(|token| (CookieName::Device, token.reveal())));
        }
    }
    let mut response: Response = json_response(status, serialize_json(&told)?);
    for (cookie, value) in set {
        cookie.set(&mut response, scheme, &value);
    }
    if flow.carrier() == FlowTokenTransport::Cookie && flow.is_finished() {
        CookieName::Flow.clear(&mut response, scheme);
    }
    Ok(response)
}

/// The actor of a request.
pub(crate) async fn flow_actor(
    state: &HttpState,
    call: &RoutedRequest,
    carrier: FlowTokenTransport,
) -> Result<FlowActor, HandlerError> {
    let (headers, scheme) = (call.headers(), state.scheme());
    let session = match find_token(SessionTokenKind::Session, headers, scheme)? {
        Some(presented) if FlowTokenTransport::from(presented.transport) == carrier => {
            sessions::find(state.engine(), presented.token).await?
        }
        // A session sent in another way than the flow token is from another party, or a mistake.
        Some(presented) if presented.transport == TokenTransport::Header => {
            return Err(two_transports().into());
        }
        Some(_) | None => None,
    };
    let device = match carrier {
        FlowTokenTransport::Cookie => device_cookie_digest(state, call)?,
        FlowTokenTransport::Token => None,
    };
    let language = call.context().language();
    Ok(FlowActor { origin: call.origin(), device, session, flow_session: None, flow_target: None, language })
}

/// The actor of a browser request whose session was read before.
#[cfg(feature = "screens")]
pub(crate) fn flow_actor_in_session(
    state: &HttpState,
    call: &RoutedRequest,
    session: &ActiveSession,
) -> Result<FlowActor, Refusal> {
    let device = device_cookie_digest(state, call)?;
    let (session, language) = (Some(session.clone()), call.context().language());
    Ok(FlowActor { origin: call.origin(), device, session, flow_session: None, flow_target: None, language })
}

/// The actor of a browser request that was found to have no active session.
#[cfg(feature = "screens")]
pub(crate) fn flow_actor_without_session(
    state: &HttpState,
    call: &RoutedRequest,
) -> Result<FlowActor, Refusal> {
    let presented = find_token(SessionTokenKind::Session, call.headers(), state.scheme())?;
    if presented.is_some_and(|presented| presented.transport == TokenTransport::Header) {
        return Err(two_transports());
    }
    let (device, language) = (device_cookie_digest(state, call)?, call.context().language());
    Ok(FlowActor {
        origin: call.origin(),
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
    call: &RoutedRequest,
) -> Result<Option<Digest<DeviceCookie>>, Refusal> {
    let device = CookieName::Device.find(call.headers(), state.scheme())?;
    let device = device.and_then(|device| Secret::<DeviceCookie>::parse(device).ok());
    Ok(device.map(|device| device.digest()))
}

fn require_flow_token<'a>(state: &HttpState, call: &'a RoutedRequest) -> Result<PresentedToken<'a>, Refusal> {
    let found = find_token(SessionTokenKind::Flow, call.headers(), state.scheme())?;
    found.ok_or_else(|| sinete_server::extract::session::missing_token(SessionTokenKind::Flow))
}

/// Checks the CSRF token: browsers send cookies automatically, but only a page that can read our responses
/// knows the token.
fn check_csrf_token(call: &RoutedRequest, token: &str) -> Result<(), Refusal> {
    if is_csrf_token(token, call.header(&CSRF_TOKEN).unwrap_or_default()) {
        return Ok(());
    }
    Err(Refusal::because(SignInRefusal::FlowCsrfTokenMissing, "no CSRF token, or another flow's"))
}

/// Parses the body and validates it against a schema.
pub(crate) fn parse_checked_body(
    state: &HttpState,
    call: &RoutedRequest,
    schema: &NamedSchema,
) -> Result<Value, HandlerError> {
    let value = json::parse_json_value(call.body())?;
    let faults = state.schemas().check(schema, &value);
    if faults.is_empty() { Ok(value) } else { Err(Refusal::from_validation_errors(faults).into()) }
}

pub(crate) async fn path_parameter(call: &mut RoutedRequest, name: &str) -> Result<String, Refusal> {
    let parameters = call.path_parameters().await?;
    let found = parameters.into_iter().find(|(known, _)| known == name);
    Ok(found.map(|(_, value)| value).unwrap_or_default())
}
