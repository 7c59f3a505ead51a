//! Counters of failed attempts and sent messages, shared by all nodes. A counter advances only from the value
//! that was read, so that a hundred concurrent attempts count as a hundred.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::time::Timestamp;

/// Identifies a counter.
#[derive(Clone, Copy, Debug)]
pub struct AttemptCounterKey<'a> {
    /// The account or target, by kind and id.
    pub subject: &'a str,
    /// The factor or kind of message.
    pub factor: &'a str,
}

/// A counter as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptCounterRow {
    /// The count.
    pub count: i64,
    /// When counting started.
    pub since: Timestamp,
    /// Until when further attempts are blocked.
    pub blocked_until: Timestamp,
}

/// Finds the counter, if anything was counted.
pub async fn find_attempt_counter(
    store: &Store,
    key: AttemptCounterKey<'_>,
) -> Result<Option<AttemptCounterRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[key.subject.into(), key.factor.into()]).await?;
    row.map(|row| {
        Ok(AttemptCounterRow {
            count: row.integer("count")?,
            since: row.timestamp("since")?,
            blocked_until: row.timestamp("blocked_until")?,
        })
    })
    .transpose()
}

/// Advances the counter, if it has not changed since it was read.
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

/// Resets the counter after a success.
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
