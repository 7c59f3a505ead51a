//! Failures and sends, counted where every node sees them. A count moves only from what was read, so that a
//! hundred attempts at once are counted as a hundred.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::time::Timestamp;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub struct AttemptCounterKey<'a> {
    /// Whose: an account or a target, by kind and id.
    pub subject: &'a str,
    /// Of what: a factor or a kind of message.
    pub factor: &'a str,
}

/// How often, since when, and until when nothing more is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptCounterRow {
    /// How often.
    pub count: i64,
    /// Since when.
    pub since: Timestamp,
    /// Until when nothing more is let through.
    pub blocked_until: Timestamp,
}

/// The counter, if anything was counted.
pub async fn find_attempt_counter(
    store: &Store,
    key: AttemptCounterKey<'_>,
) -> Result<Option<AttemptCounterRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[key.subject.into(), key.factor.into()]).await?;
    row.map(|row| {
        Ok(AttemptCounterRow {
            count: row.integer(0)?,
            since: row.timestamp(1)?,
            blocked_until: row.timestamp(2)?,
        })
    })
    .transpose()
}

/// Moves the counter on from what was read, if nobody has moved it meanwhile.
pub fn advance_attempt_counter(
    key: AttemptCounterKey<'_>,
    before: Option<&AttemptCounterRow>,
    after: &AttemptCounterRow,
) -> GuardedStatement {
    let AttemptCounterKey { subject, factor } = key;
    let AttemptCounterRow { count, since, blocked_until } = *after;
    match before {
        None => GuardedStatement::exactly_one(
            &BEGIN,
            [subject.into(), factor.into(), count.into(), since.into(), blocked_until.into()],
        ),
        Some(before) => GuardedStatement::exactly_one(
            &COUNT,
            [
                subject.into(),
                factor.into(),
                count.into(),
                since.into(),
                blocked_until.into(),
                before.count.into(),
                before.since.into(),
            ],
        ),
    }
}

/// Forgets what was counted, after a success.
pub fn clear_attempt_counter(key: AttemptCounterKey<'_>) -> GuardedStatement {
    GuardedStatement::any_number(&CLEAR, [key.subject.into(), key.factor.into()])
}

static FIND: SqlStatement = SqlStatement::new(
    "attempt_counters.find",
    "SELECT count, since, blocked_until FROM attempt_counters WHERE subject = ?1 AND factor = ?2",
);
static BEGIN: SqlStatement = SqlStatement::single_use(
    "attempt_counters.begin",
    "INSERT INTO attempt_counters (subject, factor, count, since, blocked_until) VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (subject, factor) DO NOTHING",
);
static COUNT: SqlStatement = SqlStatement::single_use(
    "attempt_counters.count",
    "UPDATE attempt_counters SET count = ?3, since = ?4, blocked_until = ?5 \
     WHERE subject = ?1 AND factor = ?2 AND count = ?6 AND since = ?7",
);
static CLEAR: SqlStatement = SqlStatement::new(
    "attempt_counters.clear",
    "DELETE FROM attempt_counters WHERE subject = ?1 AND factor = ?2",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND, &BEGIN, &COUNT, &CLEAR];
