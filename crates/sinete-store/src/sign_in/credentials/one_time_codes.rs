//! One-time codes that a user types. They are short enough to guess, so every attempt is counted before it is
//! compared: commit [`record_code_attempt`], and only then check the digits and call [`redeem_one_time_code`].
//! Concurrent guesses are thereby limited like sequential ones.

use crate::active_conditions::flow_is_open;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::FlowId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// The stored form of the digits: a digest keyed with the instance's key, because a plain one could be
/// brute-forced.
#[derive(Debug)]
pub enum OneTimeCodeDigits {}

/// Identifies a code of a flow.
#[derive(Clone, Copy, Debug)]
pub struct OneTimeCodeKey<'a> {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// What it proves in the flow.
    pub purpose: &'a str,
}

/// A one-time code as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneTimeCodeRow {
    /// Digest of the digits.
    pub digest: Digest<OneTimeCodeDigits>,
    /// Attempts made.
    pub attempts: i64,
    /// Attempts allowed.
    pub attempts_max: i64,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used, if it was.
    pub spent_at: Option<Timestamp>,
    /// When another message may replace this one.
    pub next_message_at: Timestamp,
}

/// A one-time code to send.
#[derive(Debug)]
pub struct NewOneTimeCode<'a> {
    /// The flow and purpose.
    pub key: OneTimeCodeKey<'a>,
    /// Digest of the digits.
    pub digest: &'a Digest<OneTimeCodeDigits>,
    /// Attempts allowed.
    pub attempts_max: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Stores a code; an earlier one for the same flow and purpose stops working.
pub fn store_one_time_code(code: &NewOneTimeCode<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &PUT,
        [
            code.key.flow.into(),
            code.key.purpose.into(),
            code.digest.into(),
            code.attempts_max.into(),
            code.created_at.into(),
            code.expires_at.into(),
        ],
    )
}

/// Finds the code for this flow and purpose, used or not, expired or not.
pub async fn find_one_time_code(
    store: &Store,
    code_key: OneTimeCodeKey<'_>,
) -> Result<Option<OneTimeCodeRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[code_key.flow.into(), code_key.purpose.into()]).await?;
    row.map(|row| {
        Ok(OneTimeCodeRow {
            digest: row.digest("digest")?,
            attempts: row.integer("attempts")?,
            attempts_max: row.integer("attempts_max")?,
            expires_at: row.timestamp("expires_at")?,
            spent_at: row.optional_timestamp("spent_at")?,
            next_message_at: row.timestamp("next_message_at")?,
        })
    })
    .transpose()
}

/// Sets when another message may replace this one, whether or not this one was sent.
pub fn set_next_message_time(code_key: OneTimeCodeKey<'_>, next_message_at: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(
        &SET_NEXT_MESSAGE_TIME,
        [code_key.flow.into(), code_key.purpose.into(), next_message_at.into()],
    )
}

/// Counts one attempt, if one is left and none was counted since `attempts` was read.
pub fn record_code_attempt(code_key: OneTimeCodeKey<'_>, attempts: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ATTEMPT,
        [code_key.flow.into(), code_key.purpose.into(), attempts.into(), now.into()],
    )
}

/// Uses the code, if the digits match, it is unused and unexpired, the attempt was counted and the flow is
/// open.
pub fn redeem_one_time_code(
    code_key: OneTimeCodeKey<'_>,
    digest: &Digest<OneTimeCodeDigits>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &REDEEM,
        [code_key.flow.into(), code_key.purpose.into(), digest.into(), now.into()],
    )
}

static PUT: SqlStatement = SqlStatement::new(
    "one_time_codes.put",
    "INSERT INTO one_time_codes (flow_id, purpose, digest, attempts_max, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (flow_id, purpose) DO UPDATE SET digest = excluded.digest, attempts = 0, \
     attempts_max = excluded.attempts_max, created_at = excluded.created_at, expires_at = excluded.expires_at, \
     spent_at = NULL",
);
static FIND: SqlStatement = SqlStatement::new(
    "one_time_codes.find",
    "SELECT digest, attempts, attempts_max, expires_at, spent_at, next_message_at FROM one_time_codes \
     WHERE flow_id = ?1 AND purpose = ?2",
);
static SET_NEXT_MESSAGE_TIME: SqlStatement = SqlStatement::new(
    "one_time_codes.tell_next",
    "UPDATE one_time_codes SET next_message_at = ?3 WHERE flow_id = ?1 AND purpose = ?2",
);
static ATTEMPT: SqlStatement = SqlStatement::single_use(
    "one_time_codes.attempt",
    "UPDATE one_time_codes SET attempts = attempts + 1 \
     WHERE flow_id = ?1 AND purpose = ?2 AND attempts = ?3 AND attempts < attempts_max \
     AND spent_at IS NULL AND expires_at > ?4",
);
static REDEEM: SqlStatement = SqlStatement::single_use(
    "one_time_codes.spend",
    concat!(
        "UPDATE one_time_codes SET spent_at = ?4 \
         WHERE flow_id = ?1 AND purpose = ?2 AND digest = ?3 AND attempts BETWEEN 1 AND attempts_max \
         AND spent_at IS NULL AND expires_at > ?4 AND ",
        flow_is_open!("one_time_codes.flow_id", "?4")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PUT, &FIND, &SET_NEXT_MESSAGE_TIME, &ATTEMPT, &REDEEM];
