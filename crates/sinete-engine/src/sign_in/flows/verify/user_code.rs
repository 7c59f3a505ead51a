//! Verification of user codes (RFC 8628). Attempts are counted for the account before they are checked, and
//! for the network if they were wrong.

use super::{FlowActor, VerifiedInput, without_statements};
use crate::oauth::authorize::deferred::{StoredDeferredRequest, find_pending_request};
use crate::oauth::device_authorization;
use crate::sign_in::flows::advance;
use crate::sign_in::lockout::{AttemptCounter, factor, too_many_attempts};
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::limits::USER_CODE_FAILURES_HOURLY_MAX;
use sinete_core::oauth::user_code::UserCode;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_core::sign_in::message_rate_limit::{MessageRateWindow, SentMessageCounter};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::oauth::device_authorizations;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use std::net::IpAddr;

/// The limit of wrong codes from one network.
const HOURLY_WINDOW: MessageRateWindow =
    MessageRateWindow { name: "hour", length: Lifetime::from_hours(1), limit: USER_CODE_FAILURES_HOURLY_MAX };

/// Finds the device authorization of this user code. Unknown, answered and expired codes get the same
/// response.
pub(super) async fn verify_user_code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    user_code: &str,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let present = actor.session.as_ref().map(|signed_in| signed_in.session.id);
    let signed_in = advance::find_active_session(engine, flow).await?;
    // A user who signed out meanwhile signs in again.
    let Some(signed_in) = signed_in else { return Ok(without_statements(VerifiedFlowInput::RequestChanged)) };
    if flow.flow_token_transport() == FlowTokenTransport::Cookie && present != flow.session() {
        return Err(Refusal::because(SignInRefusal::UserCodeOfAnotherUser, "another session, or none").into());
    }
    let account = signed_in.session.account;
    let network = ClientNetwork::from_actor(actor);
    network.require_attempt_allowed(engine).await?;
    let bucket = AttemptCounter::from_account(account, factor::USER_CODE);
    bucket.count_attempt(engine).await?;
    let cause = EventCause { actor: SecurityEventActor::Account(account), origin: actor.origin.clone() };
    let Some(StoredDeferredRequest { authorization: pending, .. }) =
        find_device_request(engine, user_code).await?
    else {
        network.count_wrong_code(engine).await?;
        let event =
            engine.event(EventKind::UserCodeFailed, &cause, engine.now()).with_subject("account", account);
        // This batch cannot conflict.
        let _ = engine.store().commit(WriteBatch::new().with_event(&event)).await?;
        return Err(unknown_user_code().into());
    };
    let event = engine
        .event(EventKind::DeviceRecognised, &cause, engine.now())
        .with_subject("account", account)
        .with_client(pending.client.clone());
    let batch = WriteBatch::new().with_statements(bucket.reset_statements()).with_event(&event);
    Ok(VerifiedInput { input: VerifiedFlowInput::UserCodeEntered(Box::new(pending)), batch })
}

/// Finds the pending device authorization of this user code.
async fn find_device_request(
    engine: &Engine,
    user_code: &str,
) -> Result<Option<StoredDeferredRequest>, Failure> {
    let Ok(code) = user_code.parse::<UserCode>() else { return Ok(None) };
    let digest = device_authorization::user_code_digest(engine, &code);
    let Some(grant) = device_authorizations::find_by_user_code_digest(engine.store(), &digest).await? else {
        return Ok(None);
    };
    Ok(find_pending_request(engine, grant.digest).await?.map(|(_, request)| request))
}

/// The network of the user: an IPv4 address, or an IPv6 prefix.
struct ClientNetwork(String);

impl ClientNetwork {
    fn from_actor(actor: &FlowActor) -> Self {
        let network = actor.origin.address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
        });
        Self(network.map_or_else(|| "network unknown".to_owned(), |network| format!("network {network}")))
    }

    fn key(&self) -> AttemptCounterKey<'_> {
        AttemptCounterKey { subject: &self.0, factor: factor::USER_CODE }
    }

    async fn require_attempt_allowed(&self, engine: &Engine) -> Result<(), Error> {
        let attempt_counter = attempt_counters::find_attempt_counter(engine.store(), self.key()).await?;
        let blocked = attempt_counter.filter(|counter| counter.blocked_until > engine.now());
        Ok(blocked.map_or(Ok(()), |it| Err(too_many_attempts(it.blocked_until.since(engine.now()))))?)
    }

    /// Counts a wrong code. After too many concurrent conflicts, the counts of others suffice.
    async fn count_wrong_code(&self, engine: &Engine) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS_MAX {
            let before = attempt_counters::find_attempt_counter(engine.store(), self.key()).await?;
            let message_counter = before.map(|it| SentMessageCounter {
                count: it.count,
                since: it.since,
                blocked_until: it.blocked_until,
            });
            let Some(after) = HOURLY_WINDOW.count_message_about_account(message_counter, engine.now()) else {
                return Ok(());
            };
            let after = AttemptCounterRow {
                count: after.count,
                since: after.since,
                blocked_until: after.blocked_until,
            };
            let batch = WriteBatch::new().with_statement(attempt_counters::advance_attempt_counter(
                self.key(),
                before.as_ref(),
                &after,
            ));
            if engine.store().commit(batch).await?.is_committed() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn unknown_user_code() -> Refusal {
    Refusal::because(SignInRefusal::UserCodeUnknown, "unknown, answered or too old")
}
