//! Sign-in at an organization's identity provider within a flow.
//!
//! The state of the request is derived from the flow and its step, so nothing is stored, and only that flow
//! accepts the response. The response must also come with the flow token, so that a link to a provider cannot
//! sign in another user (login CSRF).

mod provider_redirect;
mod refusals;
mod request_state;
mod saml;

pub use provider_redirect::ProviderSignInRequest;
pub(crate) use provider_redirect::{check_return_to, provider_redirect_url, start_provider_sign_in};
pub use saml::{SamlCallback, SamlRedirect, receive_saml_response};

use self::refusals::{no_provider, provider_not_trusted};
use super::identity_resolution;
use super::identity_resolution::ProviderIdentity;
use super::{
    FlowActor, FlowRef, FlowSnapshot, LoadedFlow, action_not_available, apply, find_flow,
    notify_ended_sessions,
};
use crate::identity_providers;
use crate::identity_providers::{ProviderCallError, ProviderError};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use request_state::{ProviderRequestState, is_state_valid, parse_flow_id};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{ConnectionId, FlowId};
use sinete_core::identity_providers::connections::{ConnectionProtocol, OidcConnectionSettings};
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::limits::SENSITIVE_ACTION_AGE_MAX;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{Digest, SamlAnswer};
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::stage::{FlowStage, IdentityProviderRedirect};
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_store::WriteBatch;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::saml_responses;
use sinete_store::sign_in::flows;

/// The response of a provider, as received.
#[derive(Clone, Default)]
pub struct ProviderCallback {
    /// `state`.
    pub state: String,
    /// `code`.
    pub code: Option<String>,
    /// `iss`.
    pub iss: Option<String>,
    /// `error`.
    pub error: Option<String>,
    /// The connection of the redirect URI, if we received the response there. A program submits the response
    /// in its own flow, after receiving it from the right place.
    pub callback_connection: Option<ConnectionId>,
}

impl std::fmt::Debug for ProviderCallback {
    /// Omits the code.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Returned(…)")
    }
}

/// Whether the provider must authenticate the user again.
fn requires_fresh_sign_in(at: &IdentityProviderRedirect) -> bool {
    matches!(at.from.as_deref(), Some(FlowStage::Reauthenticate { .. }))
}

/// The recipient of a response that we received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallbackRecipient {
    /// A browser with the flow in its cookies.
    Browser,
    /// A program that waits at this URL.
    Program(String),
}

/// Finds the flow of a response, and its recipient. `None` unless the flow is at the provider of this
/// connection, at the same step: forged or outdated responses affect no flow.
pub async fn find_callback_recipient(
    engine: &Engine,
    connection: ConnectionId,
    state: &str,
) -> Result<Option<(FlowId, CallbackRecipient)>, Failure> {
    let Some((flow, at)) = find_flow_at_provider(engine, connection, state).await? else { return Ok(None) };
    Ok(match flow.flow_token_transport() {
        FlowTokenTransport::Cookie => Some((flow.id(), CallbackRecipient::Browser)),
        FlowTokenTransport::Token => {
            at.return_to.map(|return_to| (flow.id(), CallbackRecipient::Program(return_to)))
        }
    })
}

/// Finds the flow that is at the provider of this connection, at the step of this `state`.
async fn find_flow_at_provider(
    engine: &Engine,
    connection: ConnectionId,
    state: &str,
) -> Result<Option<(AuthenticationFlow, IdentityProviderRedirect)>, Failure> {
    let Some(id) = parse_flow_id(state) else { return Ok(None) };
    let Some(stored) = flows::find_flow(engine.store(), id).await? else { return Ok(None) };
    let LoadedFlow { flow, expires_at, .. } = super::parse_flow(id, stored)?;
    let FlowStage::AtProvider(at) = flow.stage().clone() else { return Ok(None) };
    if expires_at <= engine.now() || at.connection != connection || !is_state_valid(engine, &flow, state) {
        return Ok(None);
    }
    Ok(Some((flow, at)))
}

/// Completes a sign-in at a provider. The code is redeemed once, whatever happens to the flow meanwhile.
pub(crate) async fn finish_provider_sign_in(
    engine: &Engine,
    ticket: &FlowRef<'_>,
    returned: &ProviderCallback,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    let loaded_flow = find_flow(engine, ticket).await?;
    let FlowStage::AtProvider(at) = loaded_flow.flow.stage().clone() else {
        return Err(action_not_available(FlowAction::ProviderAnswer).into());
    };
    let Some(connection) =
        connections::find_usable_connection(engine.store(), at.connection, engine.now()).await?
    else {
        return Err(no_provider().into());
    };
    let ProviderReport { claims: reported, stored_response: digest } =
        match load_provider_report(engine, &loaded_flow.flow, &at, &connection, returned).await {
            Ok(report) => report,
            // No request was sent: the same response can be submitted again, and no failure is recorded.
            Err(Error::Refused(refusal)) if refusal.code() == RefusalCode::TemporarilyUnavailable => {
                return Err(refusal.into());
            }
            // The rejection of a SAML response was recorded when it was received.
            Err(Error::Refused(refusal))
                if connection.settings.saml_settings().is_some() && returned.error.is_some() =>
            {
                return Err(refusal.into());
            }
            Err(Error::Refused(refusal)) => {
                record_refused_identity(engine, &connection, refusal.detail(), actor).await?;
                return Err(refusal.into());
            }
            Err(Error::Failed(failed)) => return Err(failed.into()),
        };
    let arrived_as = ProviderIdentity { connection: &connection, claims: &reported };
    for _ in 0..ATTEMPTS_MAX {
        let loaded_flow = find_flow(engine, ticket).await?;
        // It must be a response to the request of this step.
        if !matches!(loaded_flow.flow.stage(), FlowStage::AtProvider(_))
            || !is_state_valid(engine, &loaded_flow.flow, &returned.state)
        {
            return Err(action_not_available(FlowAction::ProviderAnswer).into());
        }
        let answer = match identity_resolution::resolve_identity(engine, &loaded_flow.flow, arrived_as).await
        {
            Ok(answer) => answer,
            Err(Error::Refused(refusal)) => {
                record_refused_identity(engine, &connection, refusal.detail(), actor).await?;
                return Err(refusal.into());
            }
            Err(Error::Failed(failed)) => return Err(failed.into()),
        };
        let Ok(moved) = loaded_flow.flow.clone().apply_input(answer) else {
            return Err(Refusal::because(
                SignInRefusal::ProviderAccountMismatch,
                "the provider returned another user",
            )
            .into());
        };
        // Guards that the connection is enabled and the organization active.
        let spent = digest
            .as_ref()
            .map(|it| saml_responses::consume_saml_response(it, loaded_flow.flow.id(), engine.now()));
        let batch = WriteBatch::new()
            .with_statement(connections::lock_connection_row(connection.id, engine.now()))
            .with_statements(spent);
        let (write_batch, snapshot) =
            apply::apply_transition(engine, &loaded_flow, moved, batch, actor).await?;
        if engine.store().commit(write_batch).await?.is_committed() {
            return Ok(notify_ended_sessions(engine, snapshot, actor).await?);
        }
        if connections::find_usable_connection(engine.store(), at.connection, engine.now()).await?.is_none() {
            return Err(no_provider().into());
        }
    }
    Err(action_not_available(FlowAction::ProviderAnswer).into())
}

/// The claims of a provider about a user.
struct ProviderReport {
    claims: IdentityProviderClaims,
    /// The stored SAML response, if there is one.
    stored_response: Option<Digest<SamlAnswer>>,
}

/// Loads the verified claims, or why they are rejected.
async fn load_provider_report(
    engine: &Engine,
    flow: &AuthenticationFlow,
    at: &IdentityProviderRedirect,
    connection: &ConnectionRow,
    returned: &ProviderCallback,
) -> Result<ProviderReport, Error> {
    if !is_state_valid(engine, flow, &returned.state) {
        return Err(provider_not_trusted("the response belongs to another request").into());
    }
    if returned.callback_connection.is_some_and(|connection_id| connection_id != connection.id) {
        return Err(
            provider_not_trusted("the response was sent to the redirect URI of another connection").into()
        );
    }
    let report = match &connection.settings.protocol {
        ConnectionProtocol::OpenId(open_id) => {
            let claims = redeem_provider_code(engine, flow, at, connection, open_id, returned).await?;
            ProviderReport { claims, stored_response: None }
        }
        ConnectionProtocol::Saml(_) => {
            saml::load_stored_assertion(engine, flow, connection, returned).await?
        }
    };
    if requires_fresh_sign_in(at) && is_authentication_stale(engine, &report.claims) {
        return Err(provider_not_trusted("the provider did not authenticate the user again").into());
    }
    Ok(report)
}

/// Redeems the code at an OpenID Connect provider.
async fn redeem_provider_code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    at: &IdentityProviderRedirect,
    connection: &ConnectionRow,
    open_id: &OidcConnectionSettings,
    returned: &ProviderCallback,
) -> Result<IdentityProviderClaims, Error> {
    let provider = identity_providers::load_provider(engine, connection)
        .await
        .map_err(|error| provider_not_trusted(error.to_string()))?;
    // RFC 9207 §2.4: a response of another provider is rejected.
    let is_named = returned.iss.as_deref().map(|iss| iss == connection.issuer.as_str());
    if is_named == Some(false) || is_named.is_none() && provider.sends_iss {
        return Err(
            provider_not_trusted("the iss of the response is missing or names another provider").into()
        );
    }
    let code = require_code(returned)?;
    let request_state = ProviderRequestState::from_flow(engine, flow);
    let reported = identity_providers::redeem_sign_in_code(
        engine,
        connection,
        code,
        &request_state.authorization_request(&open_id.scopes, at),
    )
    .await;
    reported.map_err(|error| match error {
        ProviderCallError::Provider(ProviderError::Busy) => identity_providers::provider_busy().into(),
        ProviderCallError::Provider(error) => provider_not_trusted(error.to_string()).into(),
        ProviderCallError::Failed(failure) => failure.into(),
    })
}

/// The code of the response, or the refusal.
fn require_code(returned: &ProviderCallback) -> Result<&str, Refusal> {
    match (&returned.code, &returned.error) {
        (Some(code), None) => Ok(code),
        (_, Some(error)) => {
            let plain = error.chars().filter(char::is_ascii_graphic).take(100).collect::<String>();
            Err(provider_not_trusted(format!("the provider returned the error {plain}")))
        }
        (None, None) => Err(provider_not_trusted("the response of the provider contains no code")),
    }
}

/// Whether the user's authentication at the provider is too old for a fresh proof.
fn is_authentication_stale(engine: &Engine, reported: &IdentityProviderClaims) -> bool {
    reported.auth_time.is_some_and(|at| engine.now().since(at) > SENSITIVE_ACTION_AGE_MAX)
}

/// Records a rejected user and the reason in the organization's audit log.
async fn record_refused_identity(
    engine: &Engine,
    connection: &ConnectionRow,
    reason: &str,
    actor: &FlowActor,
) -> Result<(), Failure> {
    let event = SecurityEvent::new(
        EventKind::CredentialFailed,
        SecurityEventActor::Anonymous,
        engine.now(),
        engine.entropy(),
    )
    .with_origin(&actor.origin)
    .with_organization(connection.organization)
    .with_subject("connection", connection.id)
    .with_detail("factor", "single_sign_on")
    .with_detail("check", reason);
    let batch = crate::access_control::organization_access::with_audit_log_event(
        WriteBatch::new(),
        &event,
        connection.organization,
        "",
    )?;
    // This batch cannot conflict.
    let _ = engine.store().commit(batch).await?;
    Ok(())
}
