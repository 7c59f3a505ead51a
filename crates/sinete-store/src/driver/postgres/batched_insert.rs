//! Batches of several callers that only insert rows, combined into one statement.
//!
//! A batch that only records events changes nothing that others read or guard, so such batches can share a
//! statement, a commit and the wait for the disk. Batches whose rows depend on a condition are combined with
//! those that depend on the same one. No batch waits for others to arrive: while some are being sent, new
//! ones queue and are sent together next.

use super::commit::QueuedCommit;
use super::error::{is_connection_lost, is_stale_statement, is_unmatched_guard, to_statement_failure};
use super::transaction::{TransactionFailure, close_timed_out_connection};
use crate::driver::deadline::{CallError, StatementDeadline, flatten_timeout};
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::value::SqlValue;
use crate::write_batch::{ExpectedRows, GuardConflict, GuardedStatement, WriteBatch};
use deadpool_postgres::Client;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::timeout_at;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// Most batches in one statement.
const BATCHES_PER_STATEMENT_MAX: usize = 128;
/// Most statements in flight at once.
const STATEMENTS_IN_FLIGHT_MAX: usize = 2;

/// The queue, and the number of turns in progress.
#[derive(Default)]
pub(super) struct InsertBatcher(Mutex<InsertQueue>);

#[derive(Default)]
struct InsertQueue {
    waiting: Vec<QueuedCommit>,
    running_turns: usize,
}

/// A turn, which sends queued batches until none are left.
pub(super) struct BatchedInsertTurn<'all> {
    batcher: &'all InsertBatcher,
    is_finished: bool,
}

impl InsertBatcher {
    /// Queues the batch; returns whether the caller must start a turn for it.
    pub(super) fn enqueue(&self, queued_commit: QueuedCommit) -> bool {
        let mut gathered = self.lock_queue();
        gathered.waiting.push(queued_commit);
        let is_needed = gathered.running_turns < STATEMENTS_IN_FLIGHT_MAX;
        gathered.running_turns += usize::from(is_needed);
        is_needed
    }

    /// Starts the turn that [`enqueue`](Self::enqueue) asked for.
    pub(super) const fn start_turn(&self) -> BatchedInsertTurn<'_> {
        BatchedInsertTurn { batcher: self, is_finished: false }
    }

    fn lock_queue(&self) -> MutexGuard<'_, InsertQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BatchedInsertTurn<'_> {
    /// The batches to send next; `None` ends the turn.
    pub(super) fn next_batches(&mut self) -> Option<Vec<QueuedCommit>> {
        let mut gathered = self.batcher.lock_queue();
        if gathered.waiting.is_empty() {
            gathered.running_turns -= 1;
            self.is_finished = true;
            return None;
        }
        // Batches that depend on the same condition fail together if it does not hold; no others are
        // affected.
        let hangs_on = gathered.waiting.first().and_then(|first| shared_condition(&first.batch)).cloned();
        let mut room = BATCHES_PER_STATEMENT_MAX;
        let goes = |queued_commit: &mut QueuedCommit| {
            let goes = room > 0 && shared_condition(&queued_commit.batch) == hangs_on.as_ref();
            room -= usize::from(goes);
            goes
        };
        Some(gathered.waiting.extract_if(.., goes).collect())
    }
}

impl Drop for BatchedInsertTurn<'_> {
    /// A turn that was cut short makes room for the next one.
    fn drop(&mut self) {
        if !self.is_finished {
            self.batcher.lock_queue().running_turns -= 1;
        }
    }
}

/// Whether every statement inserts one row and reads nothing that any such statement changes.
pub(super) fn can_batch(batch: &WriteBatch) -> bool {
    batch.statements().iter().all(|step| step.rows == ExpectedRows::One && step.statement.is_plain_insert())
}

/// The condition that the batch depends on, if any.
fn shared_condition(batch: &WriteBatch) -> Option<&SqlValue> {
    batch
        .statements()
        .iter()
        .find(|step| step.statement.is_conditional())
        .and_then(|step| step.parameters.last())
}

/// Commits all of them in one statement, or none. A conflict that names a statement applies to each of them.
pub(super) async fn commit_inserts(
    client: Client,
    acts: &[QueuedCommit],
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    let mut lists: Vec<TableInserts<'_>> = Vec::new();
    for step in acts.iter().flat_map(|queued_commit| queued_commit.batch.statements()) {
        match lists.iter_mut().find(|list| list.statement.name() == step.statement.name()) {
            Some(list) => list.rows.push(step),
            None => lists.push(TableInserts { statement: step.statement, rows: vec![step] }),
        }
    }
    // In a fixed order, to limit the number of different texts.
    lists.sort_by_key(|list| list.statement.name());
    let Some(first) = lists.first().map(|list| list.statement) else { return Ok(()) };
    let guard = lists.iter().find(|list| list.statement.is_conditional()).and_then(|list| list.rows.first());
    let prepared = async {
        let mut row_inserts = Vec::with_capacity(lists.len());
        let mut columns: Vec<ColumnArray<'_>> = Vec::new();
        for list in &lists {
            let alone = client.prepare_cached(list.statement.postgres_text()).await?;
            let types: Vec<_> = alone.params().iter().map(Type::name).collect();
            row_inserts.push(MultiRowInsert::from_statement(list.statement, &types, columns.len()));
            let of_all =
                |index| ColumnArray::from_rows(list.rows.iter().map(|step| &step.parameters[..]), index);
            columns.extend((0..alone.params().len()).map(of_all));
        }
        Ok::<_, tokio_postgres::Error>((client.prepare_cached(&join_inserts(&row_inserts)).await?, columns))
    };
    let inserted = async {
        let (all, columns) = prepared.await?;
        if deadline.is_too_late_to_start() {
            return Ok(None);
        }
        client.execute_raw(&all, &columns).await.map(Some)
    };
    match flatten_timeout(timeout_at(deadline.answer_by(), inserted).await) {
        Ok(Some(_)) => Ok(()),
        // Nothing was sent. Each one fails with this, or is retried alone if its deadline is later.
        Ok(None) => Err(TransactionFailure::NothingSent(StoreFailure::Overloaded)),
        Err(CallError::Failed(error)) if is_unmatched_guard(&error) => {
            Err(TransactionFailure::Conflict(guard.map_or(GuardConflict::AT_COMMIT, |step| step.conflict())))
        }
        Err(CallError::Failed(error)) if is_stale_statement(&error) => {
            Err(TransactionFailure::NothingSent(to_statement_failure(first, &error)))
        }
        Err(CallError::Failed(error)) if is_connection_lost(&error) => {
            // The error is logged here; the outcome is looked up.
            let _ = to_statement_failure(first, &error);
            Err(TransactionFailure::Unknown)
        }
        Err(CallError::Failed(error)) => Err(match to_statement_failure(first, &error) {
            // The server rejected one of them and therefore all. A failure that applies to all alike is not
            // retried for each.
            StoreFailure::Other(_) if error.as_db_error().is_some() => {
                TransactionFailure::Conflict(GuardConflict::AT_COMMIT)
            }
            failed => TransactionFailure::Failed(failed),
        }),
        Err(CallError::TimedOut) => Err(close_timed_out_connection(client)),
    }
}

/// The rows of several batches for one table.
struct TableInserts<'act> {
    statement: &'static SqlStatement,
    rows: Vec<&'act GuardedStatement>,
}

/// A statement that inserts the rows of one table.
struct MultiRowInsert {
    text: String,
    /// The array that gives the expected number of rows, if the statement leaves out rows whose condition
    /// does not hold.
    row_count_array: Option<String>,
}

impl MultiRowInsert {
    fn from_statement(statement: &SqlStatement, types: &[&str], before: usize) -> Self {
        let first = types.first().map(|kind| format!("${}::{kind}[]", before + 1));
        Self {
            text: statement.postgres_multi_row_text(types, before),
            row_count_array: first.filter(|_| statement.is_conditional()),
        }
    }
}

/// Combines several inserts into one statement. It fails with a division by zero if one of them leaves out a
/// row.
fn join_inserts(lists: &[MultiRowInsert]) -> String {
    let join_ctes = |lists: &[MultiRowInsert]| {
        let numbered_lists = lists.iter().enumerate();
        numbered_lists
            .map(|(index, list)| format!("list_{index} AS ({})", list.text))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let counted_lists =
        lists.iter().enumerate().filter_map(|(index, list)| Some((index, list.row_count_array.as_ref()?)));
    let is_whole = |(index, array)| format!("(SELECT count(*) FROM list_{index}) = cardinality({array})");
    let are_whole: Vec<_> = counted_lists.map(is_whole).collect();
    match lists {
        _ if !are_whole.is_empty() => {
            let are_whole = are_whole.join(" AND ");
            format!("WITH {} SELECT 1 / CASE WHEN {are_whole} THEN 1 ELSE 0 END", join_ctes(lists))
        }
        [] => String::new(),
        [only] => only.text.clone(),
        [before @ .., last] => format!("WITH {} {}", join_ctes(before), last.text),
    }
}

/// One parameter of all rows, as an array.
#[derive(Debug)]
pub(super) struct ColumnArray<'row>(Vec<&'row SqlValue>);

impl<'row> ColumnArray<'row> {
    /// The values of all rows at this position.
    pub(super) fn from_rows(rows: impl Iterator<Item = &'row [SqlValue]>, index: usize) -> Self {
        Self(rows.filter_map(|parameters| parameters.get(index)).collect())
    }
}

impl ToSql for ColumnArray<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.0.to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        Vec::<&SqlValue>::accepts(kind)
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batched_inserts_count_conditional_rows_only() {
        static EVENT: SqlStatement = SqlStatement::new("a.add", "INSERT INTO a (id) VALUES (?1)");
        static TRAIL: SqlStatement = SqlStatement::new("b.add", "INSERT INTO b (id) VALUES (?1)");
        static IF_SO: SqlStatement =
            SqlStatement::conditional_row("a.add_if", "INSERT INTO a (id) SELECT ?1 FROM c WHERE n = ?2");
        let (event, audit_log) = (
            MultiRowInsert::from_statement(&EVENT, &["int8"], 0),
            MultiRowInsert::from_statement(&TRAIL, &["int8"], 3),
        );
        let if_so = MultiRowInsert::from_statement(&IF_SO, &["int8", "int8"], 1);
        let insert = "INSERT INTO a (id) SELECT * FROM unnest($1::int8[])";
        assert_eq!(join_inserts(&[]), "");
        assert_eq!(join_inserts(&[MultiRowInsert::from_statement(&EVENT, &["int8"], 0)]), insert);
        assert_eq!(
            join_inserts(&[
                MultiRowInsert::from_statement(&EVENT, &["int8"], 0),
                MultiRowInsert::from_statement(&TRAIL, &["int8"], 1)
            ]),
            format!("WITH list_0 AS ({insert}) INSERT INTO b (id) SELECT * FROM unnest($2::int8[])")
        );
        assert_eq!(
            join_inserts(&[event, if_so, audit_log]),
            format!(
                "WITH list_0 AS ({insert}), list_1 AS (INSERT INTO a (id) SELECT listed.p1 \
                 FROM unnest($2::int8[], $3::int8[]) AS listed (p1, p2), c WHERE n = listed.p2 RETURNING 1), \
                 list_2 AS (INSERT INTO b (id) SELECT * FROM unnest($4::int8[])) \
                 SELECT 1 / CASE WHEN (SELECT count(*) FROM list_1) = cardinality($2::int8[]) THEN 1 ELSE 0 END"
            )
        );
    }
}
