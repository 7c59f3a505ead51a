//! Telling the applications of sessions that these have ended (OpenID Connect Back-Channel Logout): decision 0053.

use crate::outbound::owner_of;
use crate::{Cause, Engine, Failed, issue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::client::ClientId;
use sinete_core::client::metadata::ClientMetadata;
use sinete_core::entropy::draw;
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::limits::{
    LOGOUT_AT_ONCE_MAX, LOGOUT_FAILURES_MAX, LOGOUT_MESSAGES_MAX, LOGOUT_SESSIONS_PAGE,
};
use sinete_core::logout::LogoutClaims;
use sinete_core::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::security::event::{Event, EventKind};
use sinete_core::time::Timestamp;
use sinete_crypto::jwt::TokenType;
use sinete_store::{Act, clients, grants, sessions};
use std::collections::HashMap;
use tokio::task::{JoinHandle, JoinSet};

/// Tells the clients of sessions that have ended, also where whoever ended them does not wait for it.
pub(crate) fn telling(engine: &Engine, ended: Vec<SessionId>, cause: &Cause) -> JoinHandle<()> {
    let (mut round, under_way) = (Round::new(engine, cause), engine.errands().begin());
    tokio::spawn(async move {
        let _under_way = under_way;
        for session in ended {
            round.tell_of(session).await;
        }
        round.finish().await;
    })
}

/// Tells the clients of everybody's sessions, which ended at this moment. However many those are, a few at a time are
/// read and told.
pub(crate) fn telling_everybodys(engine: &Engine, ended_at: Timestamp, cause: &Cause) -> JoinHandle<()> {
    let (mut round, under_way) = (Round::new(engine, cause), engine.errands().begin());
    tokio::spawn(async move {
        let _under_way = under_way;
        if let Err(failed) = round.walk(ended_at).await {
            tracing::warn!(%failed, "not everybody was told that all sessions ended");
        }
        round.finish().await;
    })
}

/// One errand to many clients: so many are told at once, and one that fails again and again is left alone.
struct Round {
    engine: Engine,
    cause: Cause,
    under_way: JoinSet<(ClientId, SessionId, bool)>,
    failing: HashMap<ClientId, Failing>,
    not_delivered: Vec<Event>,
}

/// A client that could not be told.
#[derive(Default)]
struct Failing {
    /// How often, since it last could.
    in_a_row: u32,
    /// Of how many sessions nobody tried to tell it any more.
    left_out: u64,
}

impl Round {
    fn new(engine: &Engine, cause: &Cause) -> Self {
        Self {
            engine: engine.clone(),
            cause: cause.clone(),
            under_way: JoinSet::new(),
            failing: HashMap::new(),
            not_delivered: Vec::new(),
        }
    }

    async fn walk(&mut self, ended_at: Timestamp) -> Result<(), Failed> {
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

    /// Sends every client that was granted something in the session on its way, as soon as there is room.
    async fn tell_clients_of(&mut self, session: SessionId) -> Result<(), Failed> {
        let told = grants::receivers_in(self.engine.store(), session, LOGOUT_MESSAGES_MAX).await?;
        for (client, membership) in told {
            if let Some(failing) = self.failing.get_mut(&client).filter(|it| it.is_given_up()) {
                failing.left_out += 1;
                continue;
            }
            let Some((owner, metadata)) = receiver_of(&self.engine, &client).await? else { continue };
            let Some(address) = metadata.backchannel_logout_uri.clone() else { continue };
            while self.under_way.len() >= LOGOUT_AT_ONCE_MAX {
                self.hear_one().await;
            }
            let token = message(&self.engine, &client, &metadata, (membership, session))?;
            let engine = self.engine.clone();
            self.under_way.spawn(async move {
                let form = format!("logout_token={token}");
                let target =
                    OutboundTarget { purpose: OutboundPurpose::BackchannelLogout, owner, url: &address };
                let answered = engine.web().post_form(&target, &form).await;
                let is_told = answered.is_ok_and(|answered| matches!(answered.status, 200 | 204));
                (client, session, is_told)
            });
        }
        Ok(())
    }

    /// Waits for what became of one of them.
    async fn hear_one(&mut self) {
        match self.under_way.join_next().await {
            Some(Ok((client, _, true))) => drop(self.failing.remove(&client)),
            Some(Ok((client, session, false))) => {
                self.failing.entry(client.clone()).or_default().in_a_row += 1;
                self.not_delivered.push(self.event().about("session", session).through(client));
            }
            Some(Err(broken)) => {
                tracing::warn!(%broken, "a client may not have been told that a session ended")
            }
            None => {}
        }
        if self.not_delivered.len() >= LOGOUT_AT_ONCE_MAX {
            self.write_down().await;
        }
    }

    /// Waits for all that are under way, each for as long as reaching an address may take. Who was not told stands in
    /// the log.
    async fn finish(mut self) {
        while !self.under_way.is_empty() {
            self.hear_one().await;
        }
        let left_out: Vec<_> = self.failing.drain().filter(|(_, failing)| failing.left_out > 0).collect();
        for (client, Failing { left_out, .. }) in left_out {
            self.not_delivered.push(self.event().through(client).with("sessions", left_out));
        }
        self.write_down().await;
    }

    async fn write_down(&mut self) {
        let events = std::mem::take(&mut self.not_delivered);
        let act = events.iter().fold(Act::new(), |act, event| act.record(event));
        // Nothing in this act can conflict.
        if let Err(failed) = self.engine.store().commit(act).await {
            tracing::warn!(%failed, "who was not told that sessions ended could not be recorded");
        }
    }

    fn event(&self) -> Event {
        self.engine.event(EventKind::LogoutNotDelivered, &self.cause, self.engine.now())
    }
}

impl Failing {
    const fn is_given_up(&self) -> bool {
        self.in_a_row >= LOGOUT_FAILURES_MAX
    }
}

async fn receiver_of(
    engine: &Engine,
    client: &ClientId,
) -> Result<Option<(OutboundOwner, ClientMetadata)>, Failed> {
    let Some(client) = clients::find(engine.store(), client).await? else { return Ok(None) };
    Ok(Some((owner_of(&client), client.metadata.read()?)))
}

/// The signed message for one client.
fn message(
    engine: &Engine,
    client: &ClientId,
    metadata: &ClientMetadata,
    told: (MembershipId, SessionId),
) -> Result<String, Failed> {
    let now = engine.now();
    let jti = URL_SAFE_NO_PAD.encode(draw::<16>(engine.entropy()));
    let claims = LogoutClaims::new(&engine.settings().issuer, client.clone(), told, jti, now);
    let algorithm = metadata.id_token_algorithm();
    issue::sign(engine, algorithm, TokenType::Logout, &claims, now)
}
