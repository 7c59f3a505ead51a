//! Telling clients that somebody answered (OpenID CIBA §10.2), so that they fetch what came of it: at least once, by one
//! node at a time, for as long as there is something to fetch. Tokens are never sent.

use crate::authorize::RequestingClient;
use crate::outbound::owner_of;
use crate::ports::OutboundPost;
use crate::{Engine, Failure};
use serde::{Deserialize, Serialize};
use sinete_core::authorize::approval::ClientNotificationToken;
use sinete_core::client::ClientId;
use sinete_core::client::metadata::CibaDeliveryMode;
use sinete_core::id::ApprovalRequestId;
use sinete_core::limits::{
    APPROVAL_NOTICE_CLAIM, APPROVAL_NOTICES_ROUND_MAX, MESSAGE_RETRY, MESSAGE_RETRY_MAX,
};
use sinete_core::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::seal::{EncryptionContext, EncryptionPurpose};
use sinete_store::WriteBatch;
use sinete_store::approval_requests::notices::{self, DueCibaNotification};
use std::time::Duration;
use tokio::task::JoinSet;

/// Most clients one node tells at the same time.
const AT_ONCE_MAX: usize = 8;
/// How long a node rests when nobody is to be told.
const REST: Duration = Duration::from_millis(500);
/// How long it rests when the database does not answer.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// What a client is told, and what it recognises that by.
#[derive(Serialize, Deserialize)]
struct CibaNotification {
    auth_req_id: String,
    token: ClientNotificationToken,
}

/// What a round of telling came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CibaNotificationRound {
    /// Clients that were told.
    pub told: u32,
    /// Clients that are tried again.
    pub postponed: u32,
    /// Clients that are not told any more.
    pub given_up: u32,
}

/// What became of telling one client.
enum CibaNotificationOutcome {
    Told,
    Postponed,
    GivenUp,
}

/// What a client is to be told, sealed: it holds what the client waits with.
pub(super) fn sealed(
    engine: &Engine,
    id: ApprovalRequestId,
    auth_req_id: &str,
    token: &ClientNotificationToken,
) -> Result<Vec<u8>, Failure> {
    let notice = CibaNotification { auth_req_id: auth_req_id.to_owned(), token: token.clone() };
    let text = serde_json::to_vec(&notice).map_err(|_| Failure::Interrupted)?;
    let place = EncryptionContext::new(EncryptionPurpose::ApprovalNotice, id.as_bytes());
    Ok(engine.instance_keys().seal(&place, &text, engine.entropy())?)
}

/// Tells whoever is to be told, for as long as it is let. A database that does not answer is asked again.
pub async fn keep_telling(engine: &Engine) {
    loop {
        match tell(engine).await {
            Ok(round) if round.told + round.given_up > 0 => {
                tracing::debug!(told = round.told, given_up = round.given_up, "clients were told of answers");
            }
            Ok(_) => tokio::time::sleep(REST).await,
            Err(failed) => {
                tracing::warn!(%failed, "who is to be told of answers could not be read");
                tokio::time::sleep(REST_AFTER_FAILURE).await;
            }
        }
    }
}

/// Tells whoever is to be told now, several at a time. A client that another node tells meanwhile is left to it.
pub async fn tell(engine: &Engine) -> Result<CibaNotificationRound, Failure> {
    let (mut round, mut telling) = (CibaNotificationRound::default(), JoinSet::new());
    for due in notices::due(engine.store(), engine.now(), APPROVAL_NOTICES_ROUND_MAX).await? {
        if telling.len() >= AT_ONCE_MAX
            && let Some(done) = telling.join_next().await
        {
            round.count(done.unwrap_or(Ok(None))?);
        }
        let engine = engine.clone();
        telling.spawn(async move { attempt(&engine, due).await });
    }
    while let Some(done) = telling.join_next().await {
        round.count(done.unwrap_or(Ok(None))?);
    }
    Ok(round)
}

/// Claims one client, tells it and writes down what became of it. Nothing, where it was another node's.
async fn attempt(
    engine: &Engine,
    due: DueCibaNotification,
) -> Result<Option<CibaNotificationOutcome>, Failure> {
    let until = engine.now().plus(APPROVAL_NOTICE_CLAIM);
    if engine.store().commit(WriteBatch::new().with(notices::claim(&due, until))).await?.is_err() {
        return Ok(None);
    }
    let (outcome, act) = match told(engine, &due).await? {
        Ok(()) => (CibaNotificationOutcome::Told, WriteBatch::new().with(notices::done(&due))),
        Err(CibaNotificationError::Later) if again(&due, engine.now()) < due.expires_at => {
            let again = again(&due, engine.now());
            (
                CibaNotificationOutcome::Postponed,
                WriteBatch::new().with(notices::postpone(&due, until, again)),
            )
        }
        Err(CibaNotificationError::Later | CibaNotificationError::Never) => {
            let kind = EventKind::ApprovalNoticeGivenUp;
            let event = SecurityEvent::new(kind, SecurityEventActor::System, engine.now(), engine.entropy())
                .through(due.client.clone())
                .with("request", due.id.to_string());
            (CibaNotificationOutcome::GivenUp, WriteBatch::new().with(notices::done(&due)).record(&event))
        }
    };
    // Nothing in this act can conflict.
    let _ = engine.store().commit(act).await?;
    Ok(Some(outcome))
}

/// Why a client was not told.
enum CibaNotificationError {
    /// It may be told later.
    Later,
    /// It cannot be told, or does not take it.
    Never,
}

async fn told(
    engine: &Engine,
    due: &DueCibaNotification,
) -> Result<Result<(), CibaNotificationError>, Failure> {
    let Some((owner, address)) = address_of(engine, &due.client).await? else {
        return Ok(Err(CibaNotificationError::Never));
    };
    let place = EncryptionContext::new(EncryptionPurpose::ApprovalNotice, due.id.as_bytes());
    let opened = engine.instance_keys().open(&place, &due.sealed).ok();
    let notice = opened.and_then(|text| serde_json::from_slice::<CibaNotification>(&text).ok());
    let Some(CibaNotification { auth_req_id, token }) = notice else {
        return Ok(Err(CibaNotificationError::Never));
    };
    let body = serde_json::json!({ "auth_req_id": auth_req_id }).to_string();
    let headers = [("authorization", format!("Bearer {}", token.reveal()))];
    let target = OutboundTarget { purpose: OutboundPurpose::CibaNotification, owner, url: &address };
    let posted = OutboundPost { target, headers: &headers, body: body.as_bytes() };
    Ok(match engine.web().post(&posted).await {
        Ok(200..=299) => Ok(()),
        Ok(408 | 425 | 429 | 500..=599) => Err(CibaNotificationError::Later),
        // Nobody is followed elsewhere with somebody's token, and whoever refuses it refuses it the next time too.
        Ok(_) => Err(CibaNotificationError::Never),
        Err(why) => {
            tracing::warn!(client = %due.client, reason = why.reason(), "a client was not told of an answer");
            Err(CibaNotificationError::Later)
        }
    })
}

/// Where the client is told, if it still wants that, and who answers for that address.
async fn address_of(engine: &Engine, client: &ClientId) -> Result<Option<(OutboundOwner, String)>, Failure> {
    let Some(RequestingClient { known, .. }) = RequestingClient::find(engine, client).await? else {
        return Ok(None);
    };
    let wants = known.metadata.backchannel_token_delivery_mode == Some(CibaDeliveryMode::Ping);
    let address = known.metadata.backchannel_client_notification_endpoint.clone().filter(|_| wants);
    Ok(address.map(|address| (owner_of(&known.client), address)))
}

/// When it is tried again: after twice as long each time, up to a bound.
fn again(due: &DueCibaNotification, now: Timestamp) -> Timestamp {
    let doublings = u32::try_from(due.attempts.clamp(0, 16)).unwrap_or_default();
    let wait: Lifetime = (0..doublings).fold(MESSAGE_RETRY, |wait, _| wait.plus(wait)).min(MESSAGE_RETRY_MAX);
    now.plus(wait)
}

impl CibaNotificationRound {
    fn count(&mut self, outcome: Option<CibaNotificationOutcome>) {
        match outcome {
            Some(CibaNotificationOutcome::Told) => self.told += 1,
            Some(CibaNotificationOutcome::Postponed) => self.postponed += 1,
            Some(CibaNotificationOutcome::GivenUp) => self.given_up += 1,
            None => {}
        }
    }
}
