//! The outbox of messages to send. One node at a time claims a message; if it dies, the claim expires.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::MessageId;
use sinete_core::time::Timestamp;

/// The channel of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageChannel {
    /// E-mail.
    Email,
    /// SMS.
    Sms,
}

impl MessageChannel {
    /// The name, as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "mail",
            Self::Sms => "sms",
        }
    }
}

/// A message to queue.
#[derive(Debug)]
pub struct NewOutboxMessage<'a> {
    /// Its id, by which a receiver can detect duplicates.
    pub id: MessageId,
    /// The channel.
    pub channel: MessageChannel,
    /// The kind of message.
    pub kind: &'a str,
    /// Recipient and content, encrypted.
    pub ciphertext: &'a [u8],
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it becomes useless and is no longer sent.
    pub expires_at: Timestamp,
}

/// A queued message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingMessage {
    /// Its id.
    pub id: MessageId,
    /// The channel.
    pub channel: MessageChannel,
    /// Recipient and content, encrypted.
    pub ciphertext: Vec<u8>,
    /// How often it was claimed.
    pub attempts: i64,
}

/// The delivery state of a message, without recipient and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDelivery {
    /// Its id.
    pub id: MessageId,
    /// The channel.
    pub channel: MessageChannel,
    /// The kind of message.
    pub kind: String,
    /// Delivery attempts so far.
    pub attempts: i64,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it becomes useless and is no longer sent.
    pub expires_at: Timestamp,
    /// When the next attempt is due.
    pub next_attempt_at: Timestamp,
    /// When the mail server or SMS gateway accepted it, if it did.
    pub sent_at: Option<Timestamp>,
    /// When delivery was given up, if it was.
    pub failed_at: Option<Timestamp>,
    /// The error of the last failed attempt.
    pub last_problem: Option<String>,
}

/// What happens after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedMessageAction {
    /// Retry, not before this time.
    Retry(Timestamp),
    /// Give up, at this time.
    GiveUp(Timestamp),
}

/// Queues a message, in the batch that causes it.
pub fn enqueue_message(message: &NewOutboxMessage<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &PUT,
        [
            message.id.into(),
            message.channel.as_str().into(),
            message.ciphertext.into(),
            message.created_at.into(),
            message.expires_at.into(),
            message.kind.into(),
        ],
    )
}

/// Lists the messages that can be claimed now, longest waiting first.
pub async fn list_pending_messages(
    store: &Store,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<PendingMessage>, StoreFailure> {
    store.read_all(&LIST_PENDING, &[now.into(), limit.into()]).await?.iter().map(read).collect()
}

/// Claims a message until a time, if it is unclaimed and has not changed since it was read.
pub fn claim_message(message: &PendingMessage, now: Timestamp, until: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CLAIM,
        [message.id.into(), message.attempts.into(), now.into(), until.into()],
    )
}

/// Marks a claimed message as sent.
pub fn mark_message_sent(message: &PendingMessage, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&MARK_SENT, [message.id.into(), message.attempts.into(), now.into()])
}

/// Records a failed attempt of a claimed message.
pub fn mark_message_failed(
    message: &PendingMessage,
    problem: &str,
    afterwards: FailedMessageAction,
) -> GuardedStatement {
    let (next_attempt_at, failed_at) = match afterwards {
        FailedMessageAction::Retry(at) => (at, None),
        FailedMessageAction::GiveUp(at) => (at, Some(at)),
    };
    GuardedStatement::exactly_one(
        &MARK_FAILED,
        [
            message.id.into(),
            message.attempts.into(),
            problem.into(),
            next_attempt_at.into(),
            failed_at.into(),
        ],
    )
}

/// Makes a message due now, whether it waits, was given up or was sent, unless it is useless by now or a node is
/// delivering it.
pub fn resend_message(id: MessageId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&RESEND, [id.into(), now.into()])
}

/// Lists a page of delivery states, oldest first.
pub async fn list_deliveries(
    store: &Store,
    after: Option<MessageId>,
    limit: u32,
) -> Result<Vec<MessageDelivery>, StoreFailure> {
    let after = after.unwrap_or(MessageId::from_bytes([0; 16]));
    store.read_all(&PAGE, &[after.into(), limit.into()]).await?.iter().map(read_delivery).collect()
}

/// Finds the delivery state of one message.
pub async fn find_delivery(store: &Store, id: MessageId) -> Result<Option<MessageDelivery>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read_delivery).transpose()
}

fn read(row: &SqlRow) -> Result<PendingMessage, StoreFailure> {
    let channel = read_channel(row, "channel")?;
    Ok(PendingMessage {
        id: row.id("id")?,
        channel,
        ciphertext: row.blob("sealed_message")?.to_vec(),
        attempts: row.integer("attempts")?,
    })
}

fn read_delivery(row: &SqlRow) -> Result<MessageDelivery, StoreFailure> {
    Ok(MessageDelivery {
        id: row.id("id")?,
        channel: read_channel(row, "channel")?,
        kind: row.text("kind")?.to_owned(),
        attempts: row.integer("attempts")?,
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        next_attempt_at: row.timestamp("next_attempt_at")?,
        sent_at: row.optional_timestamp("sent_at")?,
        failed_at: row.optional_timestamp("failed_at")?,
        last_problem: row.optional_text("last_problem")?.map(str::to_owned),
    })
}

fn read_channel(row: &SqlRow, column: &str) -> Result<MessageChannel, StoreFailure> {
    match row.text(column)? {
        "mail" => Ok(MessageChannel::Email),
        "sms" => Ok(MessageChannel::Sms),
        _ => Err(row.damaged_column(column, "a channel")),
    }
}

/// The columns that a delivery state is read from.
macro_rules! delivery {
    ($rest:literal) => {
        concat!(
            "SELECT id, channel, kind, attempts, created_at, expires_at, next_attempt_at, sent_at, failed_at, \
             last_problem FROM outbox WHERE ",
            $rest
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new("outbox.page", delivery!("id > ?1 ORDER BY id LIMIT ?2"));
static FIND: SqlStatement = SqlStatement::new("outbox.find", delivery!("id = ?1"));

static PUT: SqlStatement = SqlStatement::new(
    "outbox.put",
    "INSERT INTO outbox (id, channel, sealed_message, created_at, expires_at, next_attempt_at, kind) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6)",
);
static LIST_PENDING: SqlStatement = SqlStatement::new(
    "outbox.waiting",
    "SELECT id, channel, sealed_message, attempts FROM outbox \
     WHERE sent_at IS NULL AND failed_at IS NULL AND next_attempt_at <= ?1 AND claimed_until <= ?1 \
     AND expires_at > ?1 ORDER BY next_attempt_at, id LIMIT ?2",
);
static CLAIM: SqlStatement = SqlStatement::single_use(
    "outbox.claim",
    "UPDATE outbox SET claimed_until = ?4, attempts = attempts + 1 \
     WHERE id = ?1 AND attempts = ?2 AND sent_at IS NULL AND failed_at IS NULL AND next_attempt_at <= ?3 \
     AND claimed_until <= ?3 AND expires_at > ?3",
);
// A claim increments the attempts that were read. If another node has claimed the message since, the count
// differs and this node no longer decides about it.
static MARK_SENT: SqlStatement = SqlStatement::new(
    "outbox.done",
    "UPDATE outbox SET sent_at = ?3, claimed_until = 0, last_problem = NULL \
     WHERE id = ?1 AND attempts - 1 = ?2 AND sent_at IS NULL AND failed_at IS NULL",
);
static MARK_FAILED: SqlStatement = SqlStatement::new(
    "outbox.failed",
    "UPDATE outbox SET last_problem = ?3, next_attempt_at = ?4, failed_at = ?5, claimed_until = 0 \
     WHERE id = ?1 AND attempts - 1 = ?2 AND sent_at IS NULL AND failed_at IS NULL",
);

// The attempts stay: a node that lost its claim meanwhile must not decide about the message.
static RESEND: SqlStatement = SqlStatement::new(
    "outbox.resend",
    "UPDATE outbox SET sent_at = NULL, failed_at = NULL, next_attempt_at = ?2, claimed_until = 0 \
     WHERE id = ?1 AND claimed_until <= ?2 AND expires_at > ?2",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&PUT, &PAGE, &FIND, &LIST_PENDING, &CLAIM, &MARK_SENT, &MARK_FAILED, &RESEND];
