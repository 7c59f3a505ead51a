//! Digits a person types. They are few enough to guess, so every guess is paid for before it is compared:
//! commit [`attempt`], and only then look whether the digits are right and [`spend`] them. Guesses that
//! arrive together then cost as much as guesses that arrive one by one.

use crate::active_conditions::flow_is_open;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::FlowId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// What digits are remembered by: a digest under the instance's key, because a plain one could be searched.
#[derive(Debug)]
pub enum OneTimeCodeDigits {}

/// Which code of a flow is meant.
#[derive(Clone, Copy, Debug)]
pub struct OneTimeCodeKey<'a> {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// What it proves there.
    pub purpose: &'a str,
}

/// A code as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneTimeCodeRow {
    /// Of the digits.
    pub digest: Digest<OneTimeCodeDigits>,
    /// How many guesses were paid for.
    pub attempts: i64,
    /// How many there may be.
    pub attempts_max: i64,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was spent, if it was.
    pub spent_at: Option<Timestamp>,
    /// When another message may be sent in its place.
    pub next_message_at: Timestamp,
}

/// A code to be sent.
#[derive(Debug)]
pub struct NewOneTimeCode<'a> {
    /// Where it belongs.
    pub place: OneTimeCodeKey<'a>,
    /// Of the digits.
    pub digest: &'a Digest<OneTimeCodeDigits>,
    /// How many guesses there may be.
    pub attempts_max: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// A code for its place. One that was there before stops working.
pub fn store_one_time_code(code: &NewOneTimeCode<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &PUT,
        [
            code.place.flow.into(),
            code.place.purpose.into(),
            code.digest.into(),
            code.attempts_max.into(),
            code.created_at.into(),
            code.expires_at.into(),
        ],
    )
}

/// The code in this place, spent or not, expired or not.
pub async fn find_one_time_code(
    store: &Store,
    place: OneTimeCodeKey<'_>,
) -> Result<Option<OneTimeCodeRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[place.flow.into(), place.purpose.into()]).await?;
    row.map(|row| {
        Ok(OneTimeCodeRow {
            digest: row.digest(0)?,
            attempts: row.integer(1)?,
            attempts_max: row.integer(2)?,
            expires_at: row.timestamp(3)?,
            spent_at: row.optional_timestamp(4)?,
            next_message_at: row.timestamp(5)?,
        })
    })
    .transpose()
}

/// Keeps when another message may be sent in the place of this one, whether or not this one left.
pub fn set_next_message_time(place: OneTimeCodeKey<'_>, next_message_at: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(
        &TELL_NEXT,
        [place.flow.into(), place.purpose.into(), next_message_at.into()],
    )
}

/// Pays for one guess, if one is left and nobody else paid since `attempts` were counted.
pub fn record_code_attempt(place: OneTimeCodeKey<'_>, attempts: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ATTEMPT,
        [place.flow.into(), place.purpose.into(), attempts.into(), now.into()],
    )
}

/// Spends the code, if it is the one with these digits, unspent and in time, the guess was paid for and the
/// flow is open.
pub fn spend_one_time_code(
    place: OneTimeCodeKey<'_>,
    digest: &Digest<OneTimeCodeDigits>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &SPEND,
        [place.flow.into(), place.purpose.into(), digest.into(), now.into()],
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
static TELL_NEXT: SqlStatement = SqlStatement::new(
    "one_time_codes.tell_next",
    "UPDATE one_time_codes SET next_message_at = ?3 WHERE flow_id = ?1 AND purpose = ?2",
);
static ATTEMPT: SqlStatement = SqlStatement::single_use(
    "one_time_codes.attempt",
    "UPDATE one_time_codes SET attempts = attempts + 1 \
     WHERE flow_id = ?1 AND purpose = ?2 AND attempts = ?3 AND attempts < attempts_max \
     AND spent_at IS NULL AND expires_at > ?4",
);
static SPEND: SqlStatement = SqlStatement::single_use(
    "one_time_codes.spend",
    concat!(
        "UPDATE one_time_codes SET spent_at = ?4 \
         WHERE flow_id = ?1 AND purpose = ?2 AND digest = ?3 AND attempts BETWEEN 1 AND attempts_max \
         AND spent_at IS NULL AND expires_at > ?4 AND ",
        flow_is_open!("one_time_codes.flow_id", "?4")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PUT, &FIND, &TELL_NEXT, &ATTEMPT, &SPEND];
