//! Delivery of messages from the outbox: at least once, by one node at a time, until they expire.

use crate::platform::email::EmailMessage;
use crate::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendError, SmsSender};
use crate::{Engine, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::MessageId;
use sinete_core::limits::{MESSAGE_CLAIM, MESSAGE_RETRY, MESSAGE_RETRY_MAX};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_store::platform::outbox;
use sinete_store::platform::outbox::{FailedMessageAction, MessageChannel, NewOutboxMessage, PendingMessage};
use sinete_store::{GuardedStatement, WriteBatch};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

pub use sinete_store::platform::outbox::MessageDelivery;

/// Maximum messages in one round.
const BATCH_MAX: u32 = 50;
/// Maximum concurrent deliveries of one node.
const CONCURRENT_MAX: usize = 8;
/// Polling interval when nothing is due.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval when the database does not respond.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The message senders.
#[derive(Clone)]
pub struct MessageCarriers {
    /// For e-mail.
    pub email: Arc<dyn EmailSender>,
    /// For SMS.
    pub sms: Arc<dyn SmsSender>,
}

/// The counts of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryRound {
    /// Messages accepted by another system.
    pub sent_messages: u32,
    /// Messages to be retried.
    pub retried: u32,
    /// Messages given up.
    pub abandoned: u32,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageState {
    /// Waiting for delivery or a retry.
    Pending,
    /// Accepted by another system.
    Sent,
    /// Permanently rejected.
    GivenUp,
    /// Expired before it was accepted.
    Expired,
}

/// The statement that queues an e-mail in the transaction that causes it. Its content is encrypted, because
/// it may contain a sign-in link.
pub fn enqueue_email(
    engine: &Engine,
    message: &EmailMessage<'_>,
    to: &EmailAddress,
    lifetime: Lifetime,
) -> Result<GuardedStatement, Failure> {
    enqueue_message(engine, MessageChannel::Email, message.kind.name(), &message.to_message(to), lifetime)
}

/// The same for an SMS.
pub fn enqueue_sms(
    engine: &Engine,
    message: &OutgoingSms,
    lifetime: Lifetime,
) -> Result<GuardedStatement, Failure> {
    enqueue_message(engine, MessageChannel::Sms, "code", message, lifetime)
}

fn enqueue_message(
    engine: &Engine,
    channel: MessageChannel,
    kind: &str,
    message: &impl serde::Serialize,
    lifetime: Lifetime,
) -> Result<GuardedStatement, Failure> {
    let now = engine.now();
    let id = MessageId::mint(now, engine.entropy());
    let text = serde_json::to_vec(message).map_err(|_| Failure::Interrupted)?;
    let context = EncryptionContext::new(EncryptionPurpose::Message, id.as_bytes());
    let encrypted_message = engine.instance_keys().encrypt(&context, &text, engine.entropy())?;
    let message = NewOutboxMessage {
        id,
        channel,
        kind,
        ciphertext: &encrypted_message,
        created_at: now,
        expires_at: now.plus(lifetime),
    };
    Ok(outbox::enqueue_message(&message))
}

/// Delivers continuously until dropped. Database failures are retried.
pub async fn run_delivery(engine: &Engine, carriers: &MessageCarriers) {
    loop {
        match deliver_pending(engine, carriers).await {
            Ok(round) if round.sent_messages + round.abandoned > 0 => {
                tracing::debug!(
                    sent = round.sent_messages,
                    given_up = round.abandoned,
                    "messages of the outbox were processed"
                );
            }
            Ok(_) => tokio::time::sleep(POLL_INTERVAL).await,
            Err(failed) => {
                tracing::warn!(%failed, "the outbox could not be read");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Delivers all due messages, several concurrently. Messages claimed by another node are skipped.
pub async fn deliver_pending(engine: &Engine, carriers: &MessageCarriers) -> Result<DeliveryRound, Failure> {
    let mut round = DeliveryRound::default();
    let mut sending = JoinSet::new();
    for message in outbox::list_pending_messages(engine.store(), engine.now(), BATCH_MAX).await? {
        if sending.len() >= CONCURRENT_MAX
            && let Some(result) = sending.join_next().await
        {
            round.add_outcome(result.unwrap_or(Ok(None))?);
        }
        let (engine, carriers) = (engine.clone(), carriers.clone());
        sending.spawn(async move { deliver_message(&engine, &carriers, message).await });
    }
    while let Some(result) = sending.join_next().await {
        round.add_outcome(result.unwrap_or(Ok(None))?);
    }
    Ok(round)
}

/// Claims one message, delivers it and records the outcome. `None` if another node has claimed it.
async fn deliver_message(
    engine: &Engine,
    carriers: &MessageCarriers,
    message: PendingMessage,
) -> Result<Option<MessageState>, Failure> {
    let now = engine.now();
    let claim = outbox::claim_message(&message, now, now.plus(MESSAGE_CLAIM));
    if !engine.store().commit(WriteBatch::new().with_statement(claim)).await?.is_committed() {
        return Ok(None);
    }
    let problem = match attempt_delivery(engine, carriers, &message).await {
        Ok(()) => {
            // A conflict means that the claim expired and another node has taken over the message.
            let _ = engine
                .store()
                .commit(WriteBatch::new().with_statement(outbox::mark_message_sent(&message, engine.now())))
                .await?;
            return Ok(Some(MessageState::Sent));
        }
        Err(problem) => problem,
    };
    let now = engine.now();
    let afterwards = schedule_retry(&problem, message.attempts, now);
    let mut batch = WriteBatch::new().with_statement(outbox::mark_message_failed(
        &message,
        &problem.to_string(),
        afterwards,
    ));
    let state = match afterwards {
        FailedMessageAction::Retry(_) => MessageState::Pending,
        FailedMessageAction::GiveUp(_) => {
            let event = SecurityEvent::new(
                EventKind::MessageGivenUp,
                SecurityEventActor::System,
                now,
                engine.entropy(),
            )
            .with_subject("message", message.id)
            .with_detail("channel", message.channel.as_str());
            batch = batch.with_event(&event);
            MessageState::GivenUp
        }
    };
    tracing::warn!(message = %message.id, %problem, attempts = message.attempts + 1, "a message was not sent");
    let _ = engine.store().commit(batch).await?;
    Ok(Some(state))
}

async fn attempt_delivery(
    engine: &Engine,
    carriers: &MessageCarriers,
    pending_message: &PendingMessage,
) -> Result<(), SendError> {
    let context = EncryptionContext::new(EncryptionPurpose::Message, pending_message.id.as_bytes());
    let opened = engine.instance_keys().decrypt(&context, &pending_message.ciphertext);
    let opened = opened.map_err(|error| SendError::Permanent(error.to_string()))?;
    match pending_message.channel {
        MessageChannel::Email => {
            let message: OutgoingEmail =
                serde_json::from_slice(&opened).map_err(|_| unknown_message_format())?;
            carriers.email.send(pending_message.id, &message).await
        }
        MessageChannel::Sms => {
            let message: OutgoingSms =
                serde_json::from_slice(&opened).map_err(|_| unknown_message_format())?;
            carriers.sms.send(pending_message.id, &message).await
        }
    }
}

fn unknown_message_format() -> SendError {
    SendError::Permanent("the message was written by a newer program".into())
}

/// Schedules the next attempt: the waiting time doubles up to a limit. Temporary errors are retried until the
/// message expires, so that an outage loses nothing.
fn schedule_retry(problem: &SendError, attempts_before: i64, now: Timestamp) -> FailedMessageAction {
    match problem {
        SendError::Temporary(_) => {
            let doublings = u32::try_from(attempts_before.clamp(0, 16)).unwrap_or_default();
            let wait = (0..doublings).fold(MESSAGE_RETRY, |wait, _| wait.plus(wait)).min(MESSAGE_RETRY_MAX);
            FailedMessageAction::Retry(now.plus(wait))
        }
        SendError::Permanent(_) => FailedMessageAction::GiveUp(now),
    }
}

impl MessageState {
    /// The current state of a message.
    pub fn from_delivery(delivery: &MessageDelivery, now: Timestamp) -> Self {
        match (delivery.sent_at, delivery.failed_at) {
            (Some(_), _) => Self::Sent,
            (None, Some(_)) => Self::GivenUp,
            (None, None) if delivery.expires_at <= now => Self::Expired,
            (None, None) => Self::Pending,
        }
    }

    /// The displayed name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "waiting",
            Self::Sent => "sent",
            Self::GivenUp => "given_up",
            Self::Expired => "expired",
        }
    }
}

impl DeliveryRound {
    fn add_outcome(&mut self, message_state: Option<MessageState>) {
        match message_state {
            Some(MessageState::Sent) => self.sent_messages += 1,
            Some(MessageState::Pending) => self.retried += 1,
            Some(MessageState::GivenUp) => self.abandoned += 1,
            Some(MessageState::Expired) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_delivery_backs_off_and_stops_only_on_a_permanent_refusal() {
        let now = Timestamp::from_seconds(1_000);
        let later = SendError::Temporary("busy".into());
        let wait = |attempts| match schedule_retry(&later, attempts, now) {
            FailedMessageAction::Retry(at) => Some(at.since(now)),
            FailedMessageAction::GiveUp(_) => None,
        };
        assert_eq!(wait(0), Some(MESSAGE_RETRY));
        assert_eq!(wait(1), Some(MESSAGE_RETRY.plus(MESSAGE_RETRY)));
        for attempts in [20, 1_000, i64::MAX] {
            assert_eq!(wait(attempts), Some(MESSAGE_RETRY_MAX));
        }
        let never = SendError::Permanent("no such address".into());
        assert_eq!(schedule_retry(&never, 0, now), FailedMessageAction::GiveUp(now));
    }
}
