//! Telling the applications of sessions that these have ended (OpenID Connect Back-Channel Logout): decisions 0053, 0237.

use super::outbox::{EndedSessions, InstanceSessions};
use crate::authorize::RequestingClient;
use crate::client_authentication::CachedClient;
use crate::outbound::owner_of;
use crate::{Engine, EventCause, Failure, issue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::client::ClientId;
use sinete_core::client::metadata::ClientMetadata;
use sinete_core::entropy::draw;
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::limits::{
    LOGOUT_AT_ONCE_MAX, LOGOUT_FAILURES_MAX, LOGOUT_RETRY, LOGOUT_RETRY_MAX, LOGOUT_SESSIONS_PAGE,
};
use sinete_core::logout::LogoutTokenClaims;
use sinete_core::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::security::event::{EventKind, SecurityEvent};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::jwt::JwtType;
use sinete_store::logout_deliveries::{self, LogoutDelivery};
use sinete_store::{GuardedStatement, WriteBatch, sessions};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::{JoinHandle, JoinSet};

/// Tells the clients of sessions that have ended, also where whoever ended them does not wait for it.
pub(crate) fn telling(engine: &Engine, ended: EndedSessions, cause: &EventCause) -> JoinHandle<()> {
    let (mut round, under_way) = (BackchannelLogoutRound::new(engine, cause), engine.errands().begin());
    tokio::spawn(async move {
        let _under_way = under_way;
        for session in ended.into_ids() {
            round.tell_of(session).await;
        }
        round.finish().await;
    })
}

/// Tells the clients of everybody's sessions. However many those are, a few at a time are read and told.
pub(crate) fn telling_everybodys(
    engine: &Engine,
    ended: InstanceSessions,
    cause: &EventCause,
) -> JoinHandle<()> {
    let (mut round, under_way) = (BackchannelLogoutRound::new(engine, cause), engine.errands().begin());
    tokio::spawn(async move {
        let _under_way = under_way;
        if let Err(failed) = round.walk(ended.ended_at()).await {
            tracing::warn!(%failed, "not everybody was told that all sessions ended");
        }
        round.finish().await;
    })
}

/// Many clients: so many are told at once, and one that fails again and again is left for later.
pub(super) struct BackchannelLogoutRound {
    engine: Engine,
    cause: EventCause,
    under_way: JoinSet<(LogoutDelivery, bool)>,
    failing: HashMap<ClientId, FailingClient>,
    /// What became of those that were told, and of those that are told again.
    outcomes: Vec<GuardedStatement>,
    not_delivered: Vec<SecurityEvent>,
}

/// A client that could not be told.
#[derive(Default)]
struct FailingClient {
    /// How often, since it last could.
    in_a_row: u32,
    /// Of how many sessions it is told later, without a first attempt now.
    left_out: u64,
}

impl BackchannelLogoutRound {
    pub(super) fn new(engine: &Engine, cause: &EventCause) -> Self {
        Self {
            engine: engine.clone(),
            cause: cause.clone(),
            under_way: JoinSet::new(),
            failing: HashMap::new(),
            outcomes: Vec::new(),
            not_delivered: Vec::new(),
        }
    }

    async fn walk(&mut self, ended_at: Timestamp) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let store = self.engine.store();
            let page = sessions::ended_together(store, ended_at, after, LOGOUT_SESSIONS_PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(*last);
            for session in page {
                self.tell_of(session).await;
            }
        }
    }

    async fn tell_of(&mut self, session: SessionId) {
        if let Err(failed) = self.tell_clients_of(session).await {
            tracing::warn!(%session, %failed, "not everybody was told that a session ended");
        }
    }

    /// Tells every client that was granted something in the session.
    async fn tell_clients_of(&mut self, session: SessionId) -> Result<(), Failure> {
        for delivery in logout_deliveries::of_session(self.engine.store(), session).await? {
            self.tell(delivery).await?;
        }
        Ok(())
    }

    /// Sends one client its message, as soon as there is room.
    pub(super) async fn tell(&mut self, delivery: LogoutDelivery) -> Result<(), Failure> {
        if let Some(failing) = self.failing.get_mut(&delivery.client).filter(|it| it.is_given_up()) {
            failing.left_out += u64::from(delivery.attempts == 0);
            self.try_later(&delivery);
            return Ok(());
        }
        let receiver = receiver_of(&self.engine, &delivery.client).await?;
        let Some(LogoutReceiver { client, owner, address }) = receiver else {
            self.outcomes.push(logout_deliveries::done(&delivery));
            return Ok(());
        };
        while self.under_way.len() >= LOGOUT_AT_ONCE_MAX {
            self.hear_one().await;
        }
        let told = (delivery.membership, delivery.session);
        let token = message(&self.engine, &delivery.client, &client.metadata, told)?;
        let engine = self.engine.clone();
        self.under_way.spawn(async move {
            let form = format!("logout_token={token}");
            let target = OutboundTarget { purpose: OutboundPurpose::BackchannelLogout, owner, url: &address };
            let answered = engine.web().post_form(&target, &form).await;
            let is_told = answered.is_ok_and(|answered| matches!(answered.status, 200 | 204));
            (delivery, is_told)
        });
        Ok(())
    }

    /// Waits for what became of one of them.
    async fn hear_one(&mut self) {
        match self.under_way.join_next().await {
            Some(Ok((delivery, true))) => {
                self.failing.remove(&delivery.client);
                self.outcomes.push(logout_deliveries::done(&delivery));
            }
            Some(Ok((delivery, false))) => {
                self.failing.entry(delivery.client.clone()).or_default().in_a_row += 1;
                let is_again = self.try_later(&delivery);
                if delivery.attempts == 0 || !is_again {
                    let event = self.event().about("session", delivery.session).through(delivery.client);
                    self.not_delivered.push(event.with("retried", is_again));
                }
            }
            Some(Err(broken)) => {
                tracing::warn!(%broken, "a client may not have been told that a session ended")
            }
            None => {}
        }
        if self.outcomes.len() >= LOGOUT_AT_ONCE_MAX {
            self.write_down().await;
        }
    }

    /// Has the client told later, unless that was tried for long enough. Whether it is, is answered.
    fn try_later(&mut self, delivery: &LogoutDelivery) -> bool {
        let doublings = u32::try_from(delivery.attempts.clamp(0, 16)).unwrap_or_default();
        let wait =
            (0..doublings).fold(LOGOUT_RETRY, |wait: Lifetime, _| wait.plus(wait)).min(LOGOUT_RETRY_MAX);
        let again_at = self.engine.now().plus(wait);
        let is_again = again_at < delivery.expires_at;
        self.outcomes.push(match is_again {
            true => logout_deliveries::postpone(delivery, again_at),
            false => logout_deliveries::done(delivery),
        });
        is_again
    }

    /// Waits for all that are under way, each for as long as reaching an address may take. Who was not told stands in
    /// the log.
    pub(super) async fn finish(mut self) {
        while !self.under_way.is_empty() {
            self.hear_one().await;
        }
        let left_out: Vec<_> = self.failing.drain().filter(|(_, failing)| failing.left_out > 0).collect();
        for (client, FailingClient { left_out, .. }) in left_out {
            self.not_delivered.push(self.event().through(client).with("sessions", left_out));
        }
        self.write_down().await;
    }

    async fn write_down(&mut self) {
        let (outcomes, events) =
            (std::mem::take(&mut self.outcomes), std::mem::take(&mut self.not_delivered));
        if outcomes.is_empty() && events.is_empty() {
            return;
        }
        let act = events.iter().fold(WriteBatch::new().with_all(outcomes), |act, event| act.record(event));
        // Nothing in this act can conflict. Where it fails, whoever was told may be told again.
        if let Err(failed) = self.engine.store().commit(act).await {
            tracing::warn!(%failed, "who was told that sessions ended could not be recorded");
        }
    }

    fn event(&self) -> SecurityEvent {
        self.engine.event(EventKind::LogoutNotDelivered, &self.cause, self.engine.now())
    }
}

impl FailingClient {
    const fn is_given_up(&self) -> bool {
        self.in_a_row >= LOGOUT_FAILURES_MAX
    }
}

/// A client that is told of logouts.
struct LogoutReceiver {
    client: Arc<CachedClient>,
    owner: OutboundOwner,
    /// Where it wants to be told.
    address: String,
}

/// Where the client wants to be told, and who answers for that address. As at the authorization endpoint and for where
/// somebody is led after signing out, a client that was disabled or removed counts for nothing: it gets no logout token.
async fn receiver_of(engine: &Engine, client: &ClientId) -> Result<Option<LogoutReceiver>, Failure> {
    let Some(applicant) = RequestingClient::find(engine, client).await? else { return Ok(None) };
    let client = applicant.known;
    let address = client.metadata.backchannel_logout_uri.clone();
    Ok(address.map(|address| LogoutReceiver { owner: owner_of(&client.client), client, address }))
}

/// The signed message for one client.
fn message(
    engine: &Engine,
    client: &ClientId,
    metadata: &ClientMetadata,
    told: (MembershipId, SessionId),
) -> Result<String, Failure> {
    let now = engine.now();
    let jti = URL_SAFE_NO_PAD.encode(draw::<16>(engine.entropy()));
    let claims = LogoutTokenClaims::new(&engine.settings().issuer, client.clone(), told, jti, now);
    let algorithm = metadata.id_token_algorithm();
    issue::sign(engine, algorithm, JwtType::Logout, &claims, now)
}
