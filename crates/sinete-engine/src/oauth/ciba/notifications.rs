//! CIBA ping notifications (OpenID CIBA §10.2): at least once, by one node at a time, until the request
//! expires. Tokens are never sent.

use crate::oauth::authorize::ActiveClient;
use crate::platform::outbound_owner::client_outbound_owner;
use crate::ports::OutboundPost;
use crate::{Engine, Failure};
use serde::{Deserialize, Serialize};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::ApprovalRequestId;
use sinete_core::limits::{
    CIBA_NOTIFICATION_BATCH_MAX, CIBA_NOTIFICATION_CLAIM, MESSAGE_RETRY, MESSAGE_RETRY_MAX,
};
use sinete_core::oauth::ciba::ClientNotificationToken;
use sinete_core::oauth::client_metadata::CibaDeliveryMode;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests::notifications;
use sinete_store::oauth::ciba_requests::notifications::DueCibaNotification;
use std::time::Duration;
use tokio::task::JoinSet;

/// Maximum concurrent notifications of one node.
const CONCURRENT_MAX: usize = 8;
/// Polling interval when nothing is due.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval when the database does not respond.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// A notification, with the client's notification token.
#[derive(Serialize, Deserialize)]
struct CibaNotification {
    auth_req_id: String,
    token: ClientNotificationToken,
}

/// The counts of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CibaNotificationRound {
    /// Delivered notifications.
    pub delivered: u32,
    /// Notifications to be retried.
    pub retried: u32,
    /// Notifications given up.
    pub abandoned: u32,
}

/// The outcome of one notification.
enum CibaNotificationOutcome {
    Delivered,
    Retried,
    Abandoned,
}

/// Encrypts a notification, which contains the `auth_req_id`.
pub(super) fn encrypt_notification(
    engine: &Engine,
    id: ApprovalRequestId,
    auth_req_id: &str,
    token: &ClientNotificationToken,
) -> Result<Vec<u8>, Failure> {
    let notice = CibaNotification { auth_req_id: auth_req_id.to_owned(), token: token.clone() };
    let text = serde_json::to_vec(&notice).map_err(|_| Failure::Interrupted)?;
    let context = EncryptionContext::new(EncryptionPurpose::CibaNotificationToken, id.as_bytes());
    Ok(engine.instance_keys().encrypt(&context, &text, engine.entropy())?)
}

/// Sends notifications continuously until dropped. Database failures are retried.
pub async fn run_notifications(engine: &Engine) {
    loop {
        match send_due_notifications(engine).await {
            Ok(round) if round.delivered + round.abandoned > 0 => {
                tracing::debug!(
                    told = round.delivered,
                    given_up = round.abandoned,
                    "CIBA ping notifications were sent"
                );
            }
            Ok(_) => tokio::time::sleep(POLL_INTERVAL).await,
            Err(failed) => {
                tracing::warn!(%failed, "the pending CIBA ping notifications could not be read");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Sends all due notifications, several concurrently. Those claimed by another node are skipped.
pub async fn send_due_notifications(engine: &Engine) -> Result<CibaNotificationRound, Failure> {
    let (mut round, mut telling) = (CibaNotificationRound::default(), JoinSet::new());
    for due in
        notifications::list_due_notifications(engine.store(), engine.now(), CIBA_NOTIFICATION_BATCH_MAX)
            .await?
    {
        if telling.len() >= CONCURRENT_MAX
            && let Some(result) = telling.join_next().await
        {
            round.add_outcome(result.unwrap_or(Ok(None))?);
        }
        let engine = engine.clone();
        telling.spawn(async move { attempt_notification(&engine, due).await });
    }
    while let Some(result) = telling.join_next().await {
        round.add_outcome(result.unwrap_or(Ok(None))?);
    }
    Ok(round)
}

/// Claims one notification, sends it and records the outcome. `None` if another node has claimed it.
async fn attempt_notification(
    engine: &Engine,
    due: DueCibaNotification,
) -> Result<Option<CibaNotificationOutcome>, Failure> {
    let until = engine.now().plus(CIBA_NOTIFICATION_CLAIM);
    if !engine
        .store()
        .commit(WriteBatch::new().with_statement(notifications::claim_notification(&due, until)))
        .await?
        .is_committed()
    {
        return Ok(None);
    }
    let (outcome, batch) = match send_notification(engine, &due).await? {
        CibaNotificationReply::Accepted => (
            CibaNotificationOutcome::Delivered,
            WriteBatch::new().with_statement(notifications::delete_notification(&due)),
        ),
        CibaNotificationReply::TemporaryFailure if next_attempt_at(&due, engine.now()) < due.expires_at => {
            let retry_at = next_attempt_at(&due, engine.now());
            (
                CibaNotificationOutcome::Retried,
                WriteBatch::new().with_statement(notifications::postpone_notification(&due, until, retry_at)),
            )
        }
        CibaNotificationReply::TemporaryFailure | CibaNotificationReply::PermanentFailure => {
            let kind = EventKind::ApprovalNoticeGivenUp;
            let event = SecurityEvent::new(kind, SecurityEventActor::System, engine.now(), engine.entropy())
                .with_client(due.client.clone())
                .with_detail("request", due.id.to_string());
            (
                CibaNotificationOutcome::Abandoned,
                WriteBatch::new().with_statement(notifications::delete_notification(&due)).with_event(&event),
            )
        }
    };
    // This batch cannot conflict.
    let _ = engine.store().commit(batch).await?;
    Ok(Some(outcome))
}

/// The result of sending a notification.
enum CibaNotificationReply {
    /// The client accepted it.
    Accepted,
    /// It may succeed later.
    TemporaryFailure,
    /// It cannot be sent, or the client rejects it.
    PermanentFailure,
}

async fn send_notification(
    engine: &Engine,
    due: &DueCibaNotification,
) -> Result<CibaNotificationReply, Failure> {
    let Some((owner, address)) = find_notification_endpoint(engine, &due.client).await? else {
        return Ok(CibaNotificationReply::PermanentFailure);
    };
    let context = EncryptionContext::new(EncryptionPurpose::CibaNotificationToken, due.id.as_bytes());
    let opened = engine.instance_keys().decrypt(&context, &due.ciphertext).ok();
    let notice = opened.and_then(|text| serde_json::from_slice::<CibaNotification>(&text).ok());
    let Some(CibaNotification { auth_req_id, token }) = notice else {
        return Ok(CibaNotificationReply::PermanentFailure);
    };
    let body = serde_json::json!({ "auth_req_id": auth_req_id }).to_string();
    let headers = [("authorization", format!("Bearer {}", token.reveal()))];
    let target = OutboundTarget { purpose: OutboundPurpose::CibaNotification, owner, url: &address };
    let posted = OutboundPost { target, headers: &headers, body: body.as_bytes() };
    Ok(match engine.outbound_http().post(&posted).await {
        Ok(200..=299) => CibaNotificationReply::Accepted,
        Ok(408 | 425 | 429 | 500..=599) => CibaNotificationReply::TemporaryFailure,
        // Redirects are not followed, because the request contains a token, and a rejection would be
        // repeated.
        Ok(_) => CibaNotificationReply::PermanentFailure,
        Err(error) => {
            tracing::warn!(client = %due.client, reason = error.reason(), "a CIBA ping was not delivered");
            CibaNotificationReply::TemporaryFailure
        }
    })
}

/// Finds the notification endpoint of the client, if it still has one, and its owner.
async fn find_notification_endpoint(
    engine: &Engine,
    client: &ClientId,
) -> Result<Option<(OutboundOwner, String)>, Failure> {
    let Some(ActiveClient { client: cached_client, .. }) = ActiveClient::find(engine, client).await? else {
        return Ok(None);
    };
    let wants = cached_client.metadata.backchannel_token_delivery_mode == Some(CibaDeliveryMode::Ping);
    let address = cached_client.metadata.backchannel_client_notification_endpoint.clone().filter(|_| wants);
    Ok(address.map(|address| (client_outbound_owner(&cached_client.client), address)))
}

/// The time of the next attempt: the interval doubles up to a limit.
fn next_attempt_at(due: &DueCibaNotification, now: Timestamp) -> Timestamp {
    let doublings = u32::try_from(due.attempts.clamp(0, 16)).unwrap_or_default();
    let wait: Lifetime = (0..doublings).fold(MESSAGE_RETRY, |wait, _| wait.plus(wait)).min(MESSAGE_RETRY_MAX);
    now.plus(wait)
}

impl CibaNotificationRound {
    fn add_outcome(&mut self, outcome: Option<CibaNotificationOutcome>) {
        match outcome {
            Some(CibaNotificationOutcome::Delivered) => self.delivered += 1,
            Some(CibaNotificationOutcome::Retried) => self.retried += 1,
            Some(CibaNotificationOutcome::Abandoned) => self.abandoned += 1,
            None => {}
        }
    }
}
