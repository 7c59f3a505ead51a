//! Runs a batch as one transaction, in one round trip.
//!
//! `BEGIN`, all statements and `COMMIT` are pipelined. That is safe because a guard that does not match is a
//! server error: after an error the server executes nothing more and answers `COMMIT` with a rollback. A
//! statement and the inserts that follow it, including its event, are combined into one; a batch of a single
//! statement needs no explicit transaction.

use super::error::{
    is_connection_lost, is_deadlock, is_guard_conflict, is_stale_statement, is_unmatched_guard, to_failure,
    to_statement_failure,
};
use super::group_commit::BEGIN_SHARED;
use super::multi_row_insert::{MultiRowInsert, PreparedRows};
use super::statement_protocol;
use super::statement_protocol::ReadyStatement;
use crate::driver::deadline::{CallError, StatementDeadline, flatten_timeout};
use crate::failure::StoreFailure;
use crate::options::PreparedStatements;
use crate::value::SqlValue;
use crate::write_batch::{ExpectedRows, GuardConflict, GuardedStatement, WriteBatch};
use deadpool_postgres::{Client, Object};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use tokio::time::timeout_at;
use tokio_postgres::Error;

/// Why a batch was not committed.
pub(super) enum TransactionFailure {
    /// The data has changed.
    Conflict(GuardConflict),
    /// The server ended this transaction because of a deadlock. Its guards were not decided.
    Deadlocked(GuardConflict),
    /// It failed before anything could have become durable; a retry may succeed.
    NothingSent(StoreFailure),
    /// It failed, and a retry would not help.
    Failed(StoreFailure),
    /// The connection was lost or abandoned after sending: the server may or may not have committed.
    Unknown,
}

/// Runs the batch on this connection, which returns to the pool only if it is fit for reuse.
pub(super) async fn run_transaction(
    client: Client,
    mode: PreparedStatements,
    batch: &WriteBatch,
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    let prepared =
        match flatten_timeout(timeout_at(deadline.answer_by(), prepare(&client, mode, batch)).await) {
            Ok(prepared) => prepared,
            Err(CallError::Failed((statement, error)))
                if is_connection_lost(&error) || is_stale_statement(&error) =>
            {
                return Err(TransactionFailure::NothingSent(to_statement_failure(statement, &error)));
            }
            Err(CallError::Failed((statement, error))) => {
                return Err(TransactionFailure::Failed(to_statement_failure(statement, &error)));
            }
            // Preparing changes nothing.
            Err(CallError::TimedOut) => {
                close_timed_out_connection(client);
                return Err(TransactionFailure::Failed(StoreFailure::Unreachable));
            }
        };
    // Waiting in the queue and for a connection used up the time reserved for locks.
    if deadline.is_too_late_to_start() {
        return Err(TransactionFailure::Failed(StoreFailure::Overloaded));
    }
    match &prepared[..] {
        [request] => execute_single(client, request, deadline).await,
        requests => execute_transaction(client, "BEGIN", requests, deadline).await,
    }
}

/// Runs several batches on this connection as one transaction: all of them are committed or none.
pub(super) async fn run_group(
    client: Client,
    mode: PreparedStatements,
    acts: &[&WriteBatch],
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    let requests =
        match flatten_timeout(timeout_at(deadline.answer_by(), prepare_group(&client, mode, acts)).await) {
            Ok(requests) => requests,
            // Each of them finds out by itself which one cannot be prepared.
            Err(CallError::Failed((statement, error))) => {
                return Err(TransactionFailure::NothingSent(to_statement_failure(statement, &error)));
            }
            Err(CallError::TimedOut) => {
                close_timed_out_connection(client);
                return Err(TransactionFailure::Failed(StoreFailure::Unreachable));
            }
        };
    if deadline.is_too_late_to_start() {
        return Err(TransactionFailure::NothingSent(StoreFailure::Overloaded));
    }
    execute_transaction(client, BEGIN_SHARED, &requests, deadline).await
}

/// Whether all statements of the batch are combined into one.
pub(super) fn is_single_request(batch: &WriteBatch) -> bool {
    split_next_request(batch.statements()).is_some_and(|(_, _, remaining)| remaining.is_empty())
}

/// A statement as sent, and the guarded statements it combines.
struct PreparedRequest<'act> {
    guarded_statement: &'act GuardedStatement,
    joined_statements: &'act [GuardedStatement],
    execution: RequestExecution<'act>,
}

/// How a request is executed.
enum RequestExecution<'act> {
    /// For one batch.
    Single { statement: ReadyStatement, parameters: Vec<&'act SqlValue> },
    /// For several batches that insert rows by the same statements.
    Rows(PreparedRows<'act>),
}

/// A single statement is its own transaction: if its guard does not match, it has changed nothing.
async fn execute_single(
    client: Client,
    request: &PreparedRequest<'_>,
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    match timeout_at(deadline.answer_by(), execute(&client, request)).await {
        Ok(answer) => check_result(request, answer),
        Err(_) => Err(close_timed_out_connection(client)),
    }
}

async fn execute_transaction(
    client: Client,
    begin: &str,
    requests: &[PreparedRequest<'_>],
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    let begin: SentStatement<'_> = Box::pin(async { client.batch_execute(begin).await.map(|()| 0) });
    let commit: SentStatement<'_> = Box::pin(async { client.batch_execute("COMMIT").await.map(|()| 0) });
    let executed =
        requests.iter().map(|request| -> SentStatement<'_> { Box::pin(execute(&client, request)) });
    let sent_statements = std::iter::once(begin).chain(executed).chain(std::iter::once(commit)).collect();
    let Ok(answers) = timeout_at(deadline.answer_by(), await_in_order(sent_statements)).await else {
        return Err(close_timed_out_connection(client));
    };
    let mut answers = answers.into_iter();
    // A server error on `BEGIN` rejects everything. A lost connection does not tell how far the server got.
    if let Some(Err(error)) = answers.next() {
        drop(Object::take(client));
        let failure = to_failure(&error);
        return Err(match error.as_db_error() {
            Some(_) => TransactionFailure::NothingSent(failure),
            None if is_connection_lost(&error) => TransactionFailure::Unknown,
            None => TransactionFailure::Failed(failure),
        });
    }
    // The first error is the cause of those after it.
    for (request, answer) in requests.iter().zip(&mut answers) {
        check_result(request, answer)?;
    }
    match answers.next() {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) if is_deadlock(&error) => {
            Err(TransactionFailure::Deadlocked(GuardConflict::AT_COMMIT))
        }
        Some(Err(error)) if is_guard_conflict(&error) => {
            Err(TransactionFailure::Conflict(GuardConflict::AT_COMMIT))
        }
        Some(Err(error)) => {
            drop(Object::take(client));
            let failure = to_failure(&error);
            Err(if is_connection_lost(&error) {
                TransactionFailure::Unknown
            } else {
                TransactionFailure::Failed(failure)
            })
        }
        None => Err(close_timed_out_connection(client)),
    }
}

/// Checks the result of a request whose transaction ends by itself.
fn check_result(request: &PreparedRequest<'_>, answer: Result<u64, Error>) -> Result<(), TransactionFailure> {
    let step = request.guarded_statement;
    match answer {
        Ok(touched) if request.joined_statements.is_empty() => {
            step.check_rows(touched).map_err(TransactionFailure::Conflict)
        }
        // A combined statement returns one row or fails.
        Ok(_) => Ok(()),
        Err(error) if is_unmatched_guard(&error) => Err(TransactionFailure::Conflict(step.conflict())),
        Err(error) if is_deadlock(&error) => {
            Err(TransactionFailure::Deadlocked(request.conflicting_statement(&error).conflict()))
        }
        Err(error) if is_guard_conflict(&error) => {
            Err(TransactionFailure::Conflict(request.conflicting_statement(&error).conflict()))
        }
        Err(error) if is_stale_statement(&error) => {
            Err(TransactionFailure::NothingSent(to_statement_failure(step.statement, &error)))
        }
        Err(error) => {
            let failure = to_statement_failure(step.statement, &error);
            // Everything was sent at once, so the server may have continued to the end.
            Err(if is_connection_lost(&error) {
                TransactionFailure::Unknown
            } else {
                TransactionFailure::Failed(failure)
            })
        }
    }
}

impl PreparedRequest<'_> {
    /// The statement whose table a conflict is about; the first one if the server does not say.
    fn conflicting_statement(&self, error: &Error) -> &GuardedStatement {
        let table = error.as_db_error().and_then(|error| error.table());
        let steps = || std::iter::once(self.guarded_statement).chain(self.joined_statements);
        table
            .and_then(|table| steps().find(|step| step.statement.table() == Some(table)))
            .unwrap_or(self.guarded_statement)
    }
}

/// Most statements combined into one. Each number of them is a separate text, which is cached.
const COMBINED_STATEMENTS_MAX: usize = 16;

/// The first statement, those combined with it, and the rest.
fn split_next_request(
    steps: &[GuardedStatement],
) -> Option<(&GuardedStatement, &[GuardedStatement], &[GuardedStatement])> {
    let (step, after) = steps.split_first()?;
    let follows = |next: &&GuardedStatement| {
        next.rows == ExpectedRows::One && next.statement.can_follow(step.statement)
    };
    let many = after.iter().take(COMBINED_STATEMENTS_MAX - 1).take_while(follows).count();
    let (following, remaining) = after.split_at(many);
    Some((step, following, remaining))
}

type PrepareError = (&'static crate::statement::SqlStatement, Error);

async fn prepare<'act>(
    client: &Client,
    mode: PreparedStatements,
    batch: &'act WriteBatch,
) -> Result<Vec<PreparedRequest<'act>>, PrepareError> {
    let mut requests = Vec::with_capacity(batch.statements().len());
    let mut rest = batch.statements();
    while let Some((step, following, remaining)) = split_next_request(rest) {
        rest = remaining;
        let statement = match (following, step.rows) {
            ([], ExpectedRows::One) => {
                statement_protocol::prepare(mode, client, step.statement.postgres_guarded_text()).await
            }
            ([], ExpectedRows::Any) => {
                statement_protocol::prepare(mode, client, step.statement.postgres_text()).await
            }
            (following, rows) => {
                let others: Vec<_> = following.iter().map(|next| next.statement).collect();
                let text = step.statement.postgres_joined_text(rows == ExpectedRows::One, &others);
                statement_protocol::prepare(mode, client, &text).await
            }
        };
        let statement = statement.map_err(|error| (step.statement, error))?;
        let parameters = std::iter::once(step).chain(following).flat_map(|step| &step.parameters).collect();
        requests.push(PreparedRequest {
            guarded_statement: step,
            joined_statements: following,
            execution: RequestExecution::Single { statement, parameters },
        });
    }
    Ok(requests)
}

/// Prepares several batches. Those that only insert rows, by the same statements, become one request.
async fn prepare_group<'act>(
    client: &Client,
    mode: PreparedStatements,
    acts: &[&'act WriteBatch],
) -> Result<Vec<PreparedRequest<'act>>, PrepareError> {
    let mut requests = Vec::with_capacity(acts.len());
    for alike in group_by_statements(mode, acts) {
        match (&alike[..], alike.first().and_then(|batch| batch.statements().split_first())) {
            (several @ [_, _, ..], Some((guarded_statement, joined_statements))) => {
                let rows = MultiRowInsert::from_batches(several.iter().copied()).prepare(client).await;
                let rows = rows.map_err(|error| (guarded_statement.statement, error))?;
                let execution = RequestExecution::Rows(rows);
                requests.push(PreparedRequest { guarded_statement, joined_statements, execution });
            }
            (alone, _) => {
                for batch in alone {
                    requests.extend(prepare(client, mode, batch).await?);
                }
            }
        }
    }
    Ok(requests)
}

/// The batches in their order, those that become one request together.
fn group_by_statements<'act>(
    mode: PreparedStatements,
    acts: &[&'act WriteBatch],
) -> Vec<Vec<&'act WriteBatch>> {
    let names = |batch: &'act WriteBatch| batch.statements().iter().map(|step| step.statement.name());
    let mut groups: Vec<Vec<&WriteBatch>> = Vec::new();
    for batch in acts.iter().copied() {
        // The combined text is made from the types of prepared statements.
        let is_combined = mode == PreparedStatements::Named && inserts_rows_only(batch);
        let alike = groups
            .iter_mut()
            .find(|group| is_combined && group.first().is_some_and(|first| names(first).eq(names(batch))));
        match alike {
            Some(group) => group.push(batch),
            None => groups.push(vec![batch]),
        }
    }
    groups
}

fn inserts_rows_only(batch: &WriteBatch) -> bool {
    batch
        .statements()
        .iter()
        .all(|step| step.rows == ExpectedRows::One && step.statement.inserts_at_most_one_row())
}

async fn execute(client: &Client, request: &PreparedRequest<'_>) -> Result<u64, Error> {
    match &request.execution {
        RequestExecution::Single { statement, parameters } => statement.execute(client, parameters).await,
        RequestExecution::Rows(rows) => rows.execute(client).await,
    }
}

/// Closes a connection that did not respond in time, because its state is unknown.
pub(super) fn close_timed_out_connection(client: Client) -> TransactionFailure {
    drop(Object::take(client));
    tracing::warn!("PostgreSQL did not answer in time; the connection is closed");
    TransactionFailure::Unknown
}

type SentStatement<'act> = Pin<Box<dyn Future<Output = Result<u64, Error>> + Send + 'act>>;

/// Polls all futures from first to last each time, so that their messages are sent in order.
async fn await_in_order(mut statements: Vec<SentStatement<'_>>) -> Vec<Result<u64, Error>> {
    let mut answers: Vec<Option<Result<u64, Error>>> = statements.iter().map(|_| None).collect();
    poll_fn(move |context| {
        let mut is_pending = false;
        for (request, answer) in statements.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match request.as_mut().poll(context) {
                    Poll::Ready(ready) => *answer = Some(ready),
                    Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending { Poll::Pending } else { Poll::Ready(answers.drain(..).flatten().collect()) }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::{COMBINED_STATEMENTS_MAX, split_next_request};
    use crate::statement::SqlStatement;
    use crate::write_batch::GuardedStatement;

    static FIRST: SqlStatement =
        SqlStatement::new("a.change", "UPDATE a SET version = version + 1 WHERE id = ?1");
    static ROW: SqlStatement = SqlStatement::new("b.add", "INSERT INTO b (id) VALUES (?1)");

    #[test]
    fn postgres_transaction_chunks_are_bounded_and_keep_their_order() {
        let mut steps = vec![GuardedStatement::exactly_one(&FIRST, [0_i64.into()])];
        steps.extend((1..=1_000_i64).map(|n| GuardedStatement::exactly_one(&ROW, [n.into()])));
        let (mut rest, mut sizes, mut sql_values) = (&steps[..], Vec::new(), Vec::new());
        while let Some((step, following, remaining_steps)) = split_next_request(rest) {
            sizes.push(1 + following.len());
            sql_values.extend(std::iter::once(step).chain(following).map(|step| step.parameters.clone()));
            rest = remaining_steps;
        }
        assert_eq!(sizes.iter().max(), Some(&COMBINED_STATEMENTS_MAX));
        assert_eq!(sizes.len(), 1_001_usize.div_ceil(COMBINED_STATEMENTS_MAX));
        assert!(sql_values.iter().eq(steps.iter().map(|step| &step.parameters)));
    }
}
