//! Authentication flows: sign-in, sign-up, step-up, reset, acceptance.
//!
//! For each input, the flow is loaded, the input is verified, the core decides the next stage, and one
//! transaction advances the flow and applies all consequences. A concurrent second input finds the flow
//! advanced and is refused.

mod account_creation;
mod advance;
mod apply;
mod challenge_messages;
pub mod connection_test;
mod context;
mod email_change;
mod enrollment;
pub(super) mod failed_attempts;
mod identity_provider;
mod identity_resolution;
mod input;
mod magic_link;
mod offers;
mod set_password;
mod start;
pub(super) mod verify;

use crate::sign_in::lockout;
pub(crate) use crate::sign_in::lockout::with_session_counter;
pub(crate) use email_change::{make_primary_statements, notify_former_address};
pub(crate) use set_password::set_password;
use sinete_core::refusal::sign_in::SignInRefusal;
pub(crate) use verify::new_password::{hash_new_password, list_known_names};
pub(crate) use verify::{build_flow_account, can_sign_in_with, has_own_sign_in_method};

pub use crate::platform::interaction::InteractionTarget;
pub(crate) use challenge_messages::{preferred_language, preferred_reader};
pub use context::{FlowContext, load_flow_context};
pub use failed_attempts::FlowTarget;
pub use identity_provider::{
    CallbackRecipient, ProviderCallback, ProviderSignInRequest, SamlCallback, SamlRedirect,
    find_callback_recipient, receive_saml_response,
};
pub(crate) use identity_resolution::list_usable_identities;
pub use input::FlowInput;
pub use magic_link::{
    LINK_PATH, LinkFollower, MagicLinkView, follow_magic_link as follow_link, show_magic_link as look_at_link,
};
pub use offers::{FlowOffers, OfferedProvider, TotpOffer, load_offers};
pub use start::{FlowRequest, start_flow};
pub use verify::load_flow_account;

use crate::sign_in::backchannel_logout;
use crate::sign_in::backchannel_logout::EndedSessions;
use crate::sign_in::sessions::ActiveSession;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{AccountId, FlowId, SessionId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{DeviceCookie, Digest, FlowToken, Secret, SessionToken};
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport, storage_format};
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::sign_in::flows;

/// The settings of flows.
#[derive(Clone, Debug, Default)]
pub struct FlowSettings {
    /// Who may sign up.
    pub sign_up: SignUpPolicy,
    /// Where users are sent.
    pub interaction: InteractionTarget,
    /// Whether SMS can be delivered.
    pub sms: SmsDelivery,
    /// Whose messages are limited.
    pub message_budget: MessageRateLimitPolicy,
}

/// Whose messages are limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageRateLimitPolicy {
    /// Everyone's.
    #[default]
    Everyone,
    /// Everyone's except those requested on this machine, in development.
    ExceptLoopback,
}

/// Whether SMS can be delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmsDelivery {
    /// No: no gateway is configured.
    #[default]
    Off,
    /// Yes.
    On,
}

/// Who may sign up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUpPolicy {
    /// Only invited users.
    #[default]
    InvitationOnly,
    /// Anyone.
    Open,
}

/// The party that uses a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowActor {
    /// The origin of the request.
    pub origin: RequestOrigin,
    /// The known-device cookie, if present.
    pub device: Option<Digest<DeviceCookie>>,
    /// The session of the request, if there is one.
    pub session: Option<ActiveSession>,
    /// The account and session in which the flow began, if the user authenticated with a credential of their
    /// own for it. A program presents no session next to the flow token, so the verification of the input
    /// sets this.
    pub flow_session: Option<(AccountId, SessionId)>,
    /// What the flow is for, which the verification of the input sets for the record of a failed attempt.
    pub flow_target: Option<FlowTarget>,
    /// The language.
    pub language: Language,
}

/// A flow after a request, with secrets that are shown once.
pub struct FlowSnapshot {
    /// The flow.
    pub flow: AuthenticationFlow,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The issued secrets.
    pub issued_secrets: IssuedSecrets,
    /// The digest of its current token.
    pub(crate) digest: Digest<FlowToken>,
    /// The version under which it is stored.
    pub(crate) version: i64,
}

impl FlowSnapshot {
    /// The flow as a read would find it, and what the request issued.
    fn into_parts(self) -> (LoadedFlow, IssuedSecrets) {
        let Self { flow, expires_at, issued_secrets, digest, version } = self;
        (LoadedFlow { flow, digest, version, expires_at }, issued_secrets)
    }
}

/// Secrets issued by a step of a flow, each shown once.
#[derive(Default)]
pub struct IssuedSecrets {
    /// The new flow token, if it changed.
    pub flow: Option<Secret<FlowToken>>,
    /// The session token, if a session began or was renewed.
    pub session: Option<Secret<SessionToken>>,
    /// The known-device cookie, if the device was new.
    pub device: Option<Secret<DeviceCookie>>,
    /// The generated recovery codes.
    pub recovery_codes: Option<Vec<String>>,
    /// The sessions that ended, whose clients must be notified.
    pub(crate) ended_sessions: Option<(EventCause, EndedSessions)>,
}

impl IssuedSecrets {
    /// Adds ended sessions.
    fn add_ended_sessions(&mut self, cause: &EventCause, sessions: EndedSessions) {
        self.ended_sessions
            .get_or_insert_with(|| (cause.clone(), EndedSessions::default()))
            .1
            .append(sessions);
    }
}

/// A reference to a flow in a request.
#[derive(Clone, Copy)]
pub struct FlowRef<'a> {
    /// The id.
    pub id: &'a str,
    /// The flow token.
    pub token: &'a str,
    /// How the token was sent.
    pub token_transport: FlowTokenTransport,
}

/// A loaded flow.
pub(crate) struct LoadedFlow {
    pub(crate) flow: AuthenticationFlow,
    pub(crate) digest: Digest<FlowToken>,
    pub(crate) version: i64,
    pub(crate) expires_at: Timestamp,
}

impl LoadedFlow {
    fn into_snapshot(self, issued_secrets: IssuedSecrets) -> FlowSnapshot {
        let Self { flow, digest, version, expires_at } = self;
        FlowSnapshot { flow, expires_at, issued_secrets, digest, version }
    }
}

/// A flow that a request has read, so that submitting an input does not read it again. The transaction that advances
/// the flow confirms that it has not changed since.
pub struct OpenFlow(LoadedFlow);

impl OpenFlow {
    /// The flow.
    pub const fn flow(&self) -> &AuthenticationFlow {
        &self.0.flow
    }
}

/// A verified input with its statements.
struct VerifiedInput {
    input: sinete_core::sign_in::flows::verified_input::VerifiedFlowInput,
    batch: WriteBatch,
}

/// Shows the flow to the holder of its token.
pub async fn show(engine: &Engine, ticket: &FlowRef<'_>) -> Result<FlowSnapshot, Error> {
    let opened = open_flow(engine, ticket).await.map_err(|error| match error {
        Error::Refused(refusal) if refusal.code() == RefusalCode::Conflict => flow_expired().into(),
        other => other,
    })?;
    Ok(opened.0.into_snapshot(IssuedSecrets::default()))
}

/// Opens the flow for an input of the holder of its token.
pub async fn open_flow(engine: &Engine, ticket: &FlowRef<'_>) -> Result<OpenFlow, Error> {
    let loaded_flow = find_flow(engine, ticket).await?;
    Ok(OpenFlow(advance::advance_flow(engine, loaded_flow, advance::FlowAdvanceReason::Viewed).await?))
}

/// Submits an input to a flow that the request has not read. A refused input leaves the flow unchanged.
pub async fn submit_input(
    engine: &Engine,
    ticket: &FlowRef<'_>,
    input: &FlowInput,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    apply_input(engine, ticket, None, input, actor).await
}

/// Submits an input to a flow that the request has opened. A refused input leaves the flow unchanged.
pub async fn submit_to_open_flow(
    engine: &Engine,
    ticket: &FlowRef<'_>,
    opened: OpenFlow,
    input: &FlowInput,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    apply_input(engine, ticket, Some(opened), input, actor).await
}

async fn apply_input(
    engine: &Engine,
    ticket: &FlowRef<'_>,
    mut opened: Option<OpenFlow>,
    input: &FlowInput,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    if let FlowInput::ProviderResponse(returned) = input {
        return identity_provider::finish_provider_sign_in(engine, ticket, returned, actor).await;
    }
    for _ in 0..ATTEMPTS_MAX {
        // The flow is read again only if another input was faster.
        let loaded_flow = match opened.take() {
            Some(OpenFlow(loaded_flow)) => loaded_flow,
            None => find_flow(engine, ticket).await?,
        };
        if !loaded_flow.flow.available_actions().contains(&input.action()) {
            return Err(action_not_available(input.action()).into());
        }
        let mut in_session = lockout::with_flow_session(engine, &loaded_flow.flow, actor).await?;
        in_session.flow_target = FlowTarget::from_flow(&loaded_flow.flow);
        let judged = verify::verify_input(engine, &loaded_flow.flow, input, &in_session).await?;
        let Ok(moved) = loaded_flow.flow.clone().apply_input(judged.input) else {
            return Err(action_not_available(input.action()).into());
        };
        let (batch, snapshot) =
            apply::apply_transition(engine, &loaded_flow, moved, judged.batch, actor).await?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(notify_ended_sessions(engine, snapshot, actor).await?);
        }
    }
    // Concurrent inputs were faster at every attempt.
    Err(action_not_available(input.action()).into())
}

/// Notifies the clients of sessions that ended with this step.
async fn notify_ended_sessions(
    engine: &Engine,
    snapshot: FlowSnapshot,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Failure> {
    let (loaded_flow, mut issued_secrets) = snapshot.into_parts();
    if let Some((cause, ended)) = issued_secrets.ended_sessions.take() {
        drop(backchannel_logout::spawn_notifications(engine, ended, &cause));
    }
    let accepted = advance::FlowAdvanceReason::InputAccepted(&actor.origin);
    Ok(advance::advance_flow(engine, loaded_flow, accepted).await?.into_snapshot(issued_secrets))
}

/// Finds the flow, if it is open and the token matches.
async fn find_flow(engine: &Engine, ticket: &FlowRef<'_>) -> Result<LoadedFlow, Error> {
    let (Ok(id), Ok(token)) = (ticket.id.parse::<FlowId>(), Secret::<FlowToken>::parse(ticket.token)) else {
        return Err(unknown_flow().into());
    };
    let Some(stored) = flows::find_flow(engine.store(), id).await? else { return Err(unknown_flow().into()) };
    if stored.digest != token.digest() {
        return Err(unknown_flow().into());
    }
    if stored.finished_at.is_some() {
        return Err(Refusal::because(SignInRefusal::FlowEndedConflict, "finished").into());
    }
    if stored.expires_at <= engine.now() {
        return Err(flow_expired().into());
    }
    let loaded_flow = parse_flow(id, stored)?;
    if loaded_flow.flow.flow_token_transport() == ticket.token_transport {
        Ok(loaded_flow)
    } else {
        Err(unknown_flow().into())
    }
}

/// Parses a stored flow.
pub(crate) fn parse_flow(id: FlowId, stored: flows::FlowRow) -> Result<LoadedFlow, Failure> {
    let flow = storage_format::parse_stored_flow(id, stored.form, stored.state.parse()?)
        .map_err(|unreadable| Failure::Store(sinete_store::StoreFailure::Damaged(unreadable.to_string())))?;
    Ok(LoadedFlow { flow, digest: stored.digest, version: stored.version, expires_at: stored.expires_at })
}

fn unknown_flow() -> Refusal {
    Refusal::because(SignInRefusal::FlowNotFound, "no such flow for this token")
}

fn flow_expired() -> Refusal {
    Refusal::because(SignInRefusal::FlowEnded, "finished or expired")
}

fn action_not_available(action: FlowAction) -> Refusal {
    Refusal::because(SignInRefusal::FlowActionNotAvailable, action.name())
}

/// The same refusal for every failed proof.
pub(super) fn invalid_proof(reason: &str) -> Refusal {
    Refusal::because(SignInRefusal::CredentialWrong, reason)
}
