//! OpenID Connect Back-Channel Logout: decisions 0053, 0237.

pub(crate) mod outbox;
mod retry;

pub(crate) use outbox::{EndedSessions, enqueue_backchannel_logout, enqueue_instance_logout};
pub use retry::{retry_due, run_retries};

use crate::oauth::authorize::ActiveClient;
use crate::oauth::client_authentication::CachedClient;
use crate::platform::outbound_owner::client_outbound_owner;
use crate::platform::signing_keys;
use crate::{Engine, EventCause, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use outbox::AllEndedSessions;
use sinete_core::client_id::ClientId;
use sinete_core::entropy::draw_bytes;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::limits::{
    BACKCHANNEL_LOGOUT_CONCURRENT_MAX, BACKCHANNEL_LOGOUT_FAILURES_MAX, BACKCHANNEL_LOGOUT_RETRY,
    BACKCHANNEL_LOGOUT_RETRY_MAX, BACKCHANNEL_LOGOUT_SESSIONS_PAGE,
};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::logout::LogoutTokenClaims;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::sign_in::logout_deliveries;
use sinete_store::sign_in::logout_deliveries::LogoutDelivery;
use sinete_store::sign_in::sessions;
use sinete_store::{GuardedStatement, WriteBatch};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::{JoinHandle, JoinSet};

/// Notifies the clients of ended sessions in a background task.
pub(crate) fn spawn_notifications(
    engine: &Engine,
    ended: EndedSessions,
    cause: &EventCause,
) -> JoinHandle<()> {
    let (mut round, under_way) =
        (BackchannelLogoutRound::new(engine, cause), engine.background_tasks().start_task());
    tokio::spawn(async move {
        let _under_way = under_way;
        for session in ended.into_ids() {
            round.notify_session(session).await;
        }
        round.finish().await;
    })
}

/// Notifies the clients of all sessions of the instance. Sessions are read in pages, so that any number can
/// be handled.
pub(crate) fn spawn_instance_notifications(
    engine: &Engine,
    ended: AllEndedSessions,
    cause: &EventCause,
) -> JoinHandle<()> {
    let (mut round, under_way) =
        (BackchannelLogoutRound::new(engine, cause), engine.background_tasks().start_task());
    tokio::spawn(async move {
        let _under_way = under_way;
        if let Err(failed) = round.notify_sessions_ended_at(ended.end_time()).await {
            tracing::warn!(%failed, "not all clients were notified that all sessions ended");
        }
        round.finish().await;
    })
}

/// A round of notifications with limited concurrency; a client that fails repeatedly is left for later.
pub(crate) struct BackchannelLogoutRound {
    engine: Engine,
    cause: EventCause,
    running: JoinSet<(LogoutDelivery, bool)>,
    failing: HashMap<ClientId, FailingClient>,
    /// The statements for successful and rescheduled notifications.
    outcomes: Vec<GuardedStatement>,
    not_delivered: Vec<SecurityEvent>,
}

/// A client that could not be notified.
#[derive(Default)]
struct FailingClient {
    /// The number of consecutive failures.
    consecutive_failures: u32,
    /// The number of sessions whose notification is postponed without an attempt.
    skipped_sessions: u64,
}

impl BackchannelLogoutRound {
    pub(crate) fn new(engine: &Engine, cause: &EventCause) -> Self {
        Self {
            engine: engine.clone(),
            cause: cause.clone(),
            running: JoinSet::new(),
            failing: HashMap::new(),
            outcomes: Vec::new(),
            not_delivered: Vec::new(),
        }
    }

    async fn notify_sessions_ended_at(&mut self, ended_at: Timestamp) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let store = self.engine.store();
            let page =
                sessions::list_sessions_ended_at(store, ended_at, after, BACKCHANNEL_LOGOUT_SESSIONS_PAGE)
                    .await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(*last);
            for session in page {
                self.notify_session(session).await;
            }
        }
    }

    async fn notify_session(&mut self, session: SessionId) {
        if let Err(failed) = self.notify_session_clients(session).await {
            tracing::warn!(%session, %failed, "not all clients were notified that a session ended");
        }
    }

    /// Notifies every client with a grant in the session.
    async fn notify_session_clients(&mut self, session: SessionId) -> Result<(), Failure> {
        for delivery in
            logout_deliveries::list_session_logout_deliveries(self.engine.store(), session).await?
        {
            self.notify_client(delivery).await?;
        }
        Ok(())
    }

    /// Notifies one client, as soon as a slot is free.
    pub(crate) async fn notify_client(&mut self, delivery: LogoutDelivery) -> Result<(), Failure> {
        if let Some(failing) = self.failing.get_mut(&delivery.client).filter(|it| it.is_abandoned()) {
            failing.skipped_sessions += u64::from(delivery.attempts == 0);
            self.schedule_retry(&delivery);
            return Ok(());
        }
        let receiver = find_logout_endpoint(&self.engine, &delivery.client).await?;
        let Some(LogoutReceiver { client, owner, address }) = receiver else {
            self.outcomes.push(logout_deliveries::delete_logout_delivery(&delivery));
            return Ok(());
        };
        while self.running.len() >= BACKCHANNEL_LOGOUT_CONCURRENT_MAX {
            self.await_one().await;
        }
        let token = sign_logout_token(
            &self.engine,
            &delivery.client,
            &client.metadata,
            delivery.membership,
            delivery.session,
        )?;
        let engine = self.engine.clone();
        self.running.spawn(async move {
            let form = format!("logout_token={token}");
            let target = OutboundTarget { purpose: OutboundPurpose::BackchannelLogout, owner, url: &address };
            let result = engine.outbound_http().post_form(&target, &form).await;
            let is_told = result.is_ok_and(|response| matches!(response.status, 200 | 204));
            (delivery, is_told)
        });
        Ok(())
    }

    /// Waits for one notification.
    async fn await_one(&mut self) {
        match self.running.join_next().await {
            Some(Ok((delivery, true))) => {
                self.failing.remove(&delivery.client);
                self.outcomes.push(logout_deliveries::delete_logout_delivery(&delivery));
            }
            Some(Ok((delivery, false))) => {
                self.failing.entry(delivery.client.clone()).or_default().consecutive_failures += 1;
                let is_again = self.schedule_retry(&delivery);
                if delivery.attempts == 0 || !is_again {
                    let event = self
                        .failure_event()
                        .with_subject("session", delivery.session)
                        .with_client(delivery.client);
                    self.not_delivered.push(event.with_detail("retried", is_again));
                }
            }
            Some(Err(broken)) => {
                tracing::warn!(%broken, "a client may not have been notified that a session ended")
            }
            None => {}
        }
        if self.outcomes.len() >= BACKCHANNEL_LOGOUT_CONCURRENT_MAX {
            self.record_failures().await;
        }
    }

    /// Schedules a retry, unless the retry time is over; returns whether it did.
    fn schedule_retry(&mut self, delivery: &LogoutDelivery) -> bool {
        let doublings = u32::try_from(delivery.attempts.clamp(0, 16)).unwrap_or_default();
        let wait = (0..doublings)
            .fold(BACKCHANNEL_LOGOUT_RETRY, |wait: Lifetime, _| wait.plus(wait))
            .min(BACKCHANNEL_LOGOUT_RETRY_MAX);
        let again_at = self.engine.now().plus(wait);
        let is_again = again_at < delivery.expires_at;
        self.outcomes.push(match is_again {
            true => logout_deliveries::postpone_logout_delivery(delivery, again_at),
            false => logout_deliveries::delete_logout_delivery(delivery),
        });
        is_again
    }

    /// Waits for all notifications in progress, each up to its timeout. Failures are logged.
    pub(crate) async fn finish(mut self) {
        while !self.running.is_empty() {
            self.await_one().await;
        }
        let left_out: Vec<_> =
            self.failing.drain().filter(|(_, failing)| failing.skipped_sessions > 0).collect();
        for (client, FailingClient { skipped_sessions: left_out, .. }) in left_out {
            self.not_delivered
                .push(self.failure_event().with_client(client).with_detail("sessions", left_out));
        }
        self.record_failures().await;
    }

    async fn record_failures(&mut self) {
        let (outcomes, events) =
            (std::mem::take(&mut self.outcomes), std::mem::take(&mut self.not_delivered));
        if outcomes.is_empty() && events.is_empty() {
            return;
        }
        let batch = events
            .iter()
            .fold(WriteBatch::new().with_statements(outcomes), |batch, event| batch.with_event(event));
        // This batch cannot conflict. If it fails, clients may be notified again.
        if let Err(failed) = self.engine.store().commit(batch).await {
            tracing::warn!(%failed, "the results of logout notifications could not be recorded");
        }
    }

    fn failure_event(&self) -> SecurityEvent {
        self.engine.event(EventKind::LogoutNotDelivered, &self.cause, self.engine.now())
    }
}

impl FailingClient {
    const fn is_abandoned(&self) -> bool {
        self.consecutive_failures >= BACKCHANNEL_LOGOUT_FAILURES_MAX
    }
}

/// A client with a back-channel logout endpoint.
struct LogoutReceiver {
    client: Arc<CachedClient>,
    owner: OutboundOwner,
    /// The `backchannel_logout_uri`.
    address: String,
}

/// Finds the logout endpoint of the client and the owner of its URL. A disabled or removed client gets no
/// logout token, as it gets no authorization responses.
async fn find_logout_endpoint(engine: &Engine, client: &ClientId) -> Result<Option<LogoutReceiver>, Failure> {
    let Some(requesting_client) = ActiveClient::find(engine, client).await? else { return Ok(None) };
    let client = requesting_client.client;
    let address = client.metadata.backchannel_logout_uri.clone();
    Ok(address.map(|address| LogoutReceiver {
        owner: client_outbound_owner(&client.client),
        client,
        address,
    }))
}

/// Signs the logout token for one client.
fn sign_logout_token(
    engine: &Engine,
    client: &ClientId,
    metadata: &ClientMetadata,
    membership: MembershipId,
    session: SessionId,
) -> Result<String, Failure> {
    let now = engine.now();
    let jti = URL_SAFE_NO_PAD.encode(draw_bytes::<16>(engine.entropy()));
    let claims =
        LogoutTokenClaims::new(&engine.settings().issuer, client.clone(), membership, session, jti, now);
    let algorithm = metadata.id_token_algorithm();
    signing_keys::sign_claims(engine, algorithm, JwtType::Logout, &claims, now)
}
