//! Reads that several callers make concurrently, combined into one statement.
//!
//! Starting and ending a statement that joins ten tables costs the server several times what its few rows do.
//! A read with little competition is sent at once and alone. While some are in flight, new ones queue and are
//! sent together next: each is still sent after it was requested, and sees the current data.

use super::error::{is_connection_lost, is_stale_statement, to_statement_failure};
use super::multi_row_insert::ColumnArray;
use super::read_lanes::ReadLanePool;
use super::{PostgresState, read_row};
use crate::driver::deadline::{CallError, StatementDeadline, flatten_timeout};
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::value::SqlValue;
use deadpool_postgres::ClientWrapper;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout_at;
use tokio_postgres::types::{ToSql, Type};

/// Most reads in one statement.
const READS_PER_STATEMENT_MAX: usize = 64;
/// Statements in flight before reads of the same statement start to queue.
const IN_FLIGHT_BEFORE_QUEUEING: usize = 2;
/// Most statements in flight, once enough reads are queued.
const IN_FLIGHT_MAX: usize = 4;
/// Queued reads, per statement in flight, that justify one more: two small statements cost the server nearly
/// twice as much as one of double size.
const QUEUED_READS_PER_STATEMENT: usize = 8;

type BatchedReadResult = Result<Vec<SqlRow>, StoreFailure>;

/// The queued reads, by statement.
#[derive(Default)]
pub(super) struct ReadBatcher(Mutex<Vec<StatementReadQueue>>);

struct StatementReadQueue {
    statement: &'static SqlStatement,
    waiting: Vec<PendingBatchedRead>,
    in_flight: usize,
}

impl StatementReadQueue {
    fn enqueue(
        &mut self,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> oneshot::Receiver<BatchedReadResult> {
        let (reply, answer) = oneshot::channel();
        self.waiting.push(PendingBatchedRead { parameters: parameters.to_vec(), deadline, reply });
        answer
    }
}

/// A queued read and where to send its result.
struct PendingBatchedRead {
    parameters: Vec<SqlValue>,
    deadline: StatementDeadline,
    reply: oneshot::Sender<BatchedReadResult>,
}

/// When a read is sent.
enum BatchedReadSchedule {
    /// At once and alone.
    Now,
    /// After one of those in flight.
    Queued(oneshot::Receiver<BatchedReadResult>),
    /// At once, together with queued ones: enough of them for one more statement.
    NowWithQueued(oneshot::Receiver<BatchedReadResult>),
}

impl ReadBatcher {
    /// Sends the read now if few of the same are in flight, and queues it otherwise.
    fn schedule(
        &self,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> BatchedReadSchedule {
        let mut all = self.lock_queues();
        let position = all.iter().position(|gathered| std::ptr::eq(gathered.statement, statement));
        let Some(gathered) = position.and_then(|index| all.get_mut(index)) else {
            all.push(StatementReadQueue { statement, waiting: Vec::new(), in_flight: 1 });
            return BatchedReadSchedule::Now;
        };
        if gathered.in_flight < IN_FLIGHT_BEFORE_QUEUEING {
            gathered.in_flight += 1;
            return BatchedReadSchedule::Now;
        }
        let answer = gathered.enqueue(parameters, deadline);
        if gathered.in_flight < IN_FLIGHT_MAX
            && gathered.waiting.len() >= QUEUED_READS_PER_STATEMENT * gathered.in_flight
        {
            gathered.in_flight += 1;
            return BatchedReadSchedule::NowWithQueued(answer);
        }
        BatchedReadSchedule::Queued(answer)
    }

    /// The reads to send next, after a statement that was in flight. If none are queued, one statement less
    /// is in flight.
    fn next_reads(&self, statement: &'static SqlStatement) -> Vec<PendingBatchedRead> {
        let mut all = self.lock_queues();
        let Some(gathered) = all.iter_mut().find(|gathered| std::ptr::eq(gathered.statement, statement))
        else {
            return Vec::new();
        };
        // Reads whose caller has gone are dropped, so that the others get their turn.
        gathered.waiting.retain(|question| !question.reply.is_closed());
        let going = gathered.waiting.len().min(READS_PER_STATEMENT_MAX);
        if going == 0 {
            gathered.in_flight -= 1;
        }
        gathered.waiting.drain(..going).collect()
    }

    fn lock_queues(&self) -> MutexGuard<'_, Vec<StatementReadQueue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A statement in flight. However it ends, the queued reads go next.
struct BatchedReadTurn {
    shared: Arc<PostgresState>,
    statement: &'static SqlStatement,
}

impl Drop for BatchedReadTurn {
    fn drop(&mut self) {
        let batched_reads = self.shared.read_batcher.next_reads(self.statement);
        if batched_reads.is_empty() {
            return;
        }
        let turn = Self { shared: Arc::clone(&self.shared), statement: self.statement };
        // If the runtime has stopped, the callers notice it by the closed channel.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { turn.shared.run_batched_read(turn.statement, batched_reads).await });
        }
    }
}

async fn receive_result(
    answer: oneshot::Receiver<BatchedReadResult>,
    deadline: StatementDeadline,
) -> BatchedReadResult {
    match timeout_at(deadline.answer_by(), answer).await {
        Ok(result) => {
            result.unwrap_or_else(|_| Err(StoreFailure::Other("the read was interrupted".to_owned())))
        }
        Err(_) => Err(StoreFailure::Overloaded),
    }
}

impl PostgresState {
    /// Runs a read that may be combined with others.
    pub(super) async fn read_batched(
        self: &Arc<Self>,
        lanes: &ReadLanePool,
        statement: &'static SqlStatement,
        parameters: &[SqlValue],
        deadline: StatementDeadline,
    ) -> BatchedReadResult {
        // A read with too few parameters must fail alone: in an array, the next caller's values would take
        // their place.
        if parameters.len() != statement.parameter_count() {
            return self.read_on_lane(lanes, statement, parameters, deadline).await;
        }
        match self.read_batcher.schedule(statement, parameters, deadline) {
            BatchedReadSchedule::Now => {
                let _turn = BatchedReadTurn { shared: Arc::clone(self), statement };
                self.read_on_lane(lanes, statement, parameters, deadline).await
            }
            BatchedReadSchedule::Queued(answer) => receive_result(answer, deadline).await,
            BatchedReadSchedule::NowWithQueued(answer) => {
                drop(BatchedReadTurn { shared: Arc::clone(self), statement });
                receive_result(answer, deadline).await
            }
        }
    }

    /// Runs the queued reads and sends the results to the callers that still wait.
    async fn run_batched_read(
        &self,
        statement: &'static SqlStatement,
        batched_reads: Vec<PendingBatchedRead>,
    ) {
        let Some(lanes) = &self.lanes else { return };
        let together = match &batched_reads[..] {
            [_] => None,
            reads => self.execute_batched_read(lanes, statement, reads).await,
        };
        match together {
            Some(Ok(sql_rows)) => {
                for (question, sql_rows) in batched_reads.into_iter().zip(sql_rows) {
                    let _ = question.reply.send(Ok(sql_rows));
                }
            }
            Some(Err(failed)) => {
                for question in batched_reads {
                    let _ = question.reply.send(Err(failed.clone()));
                }
            }
            None => {
                let mut of_all = None;
                for question in batched_reads.into_iter().filter(|question| !question.reply.is_closed()) {
                    let result = match &of_all {
                        Some(failed) => Err(StoreFailure::clone(failed)),
                        None => {
                            self.read_on_lane(lanes, statement, &question.parameters, question.deadline).await
                        }
                    };
                    // If the server is unavailable, the others do not wait for it again.
                    of_all = result.as_ref().err().filter(|failed| failed.is_temporary()).cloned();
                    let _ = question.reply.send(result);
                }
            }
        }
    }

    /// The result of each read, or why none could run. `None` if each must run alone, so that only the faulty
    /// one fails.
    async fn execute_batched_read(
        &self,
        lanes: &ReadLanePool,
        statement: &'static SqlStatement,
        questions: &[PendingBatchedRead],
    ) -> Option<Result<Vec<Vec<SqlRow>>, StoreFailure>> {
        // Each caller stops waiting at its own deadline; the statement runs until the latest.
        let latest = questions.iter().map(|question| question.deadline).max();
        let deadline = latest.unwrap_or_else(|| StatementDeadline::from_now(self.answer_timeout));
        let mut first_try = true;
        loop {
            let lane = match lanes.acquire_lane(&self.pool, deadline).await {
                Ok(lane) => lane,
                Err(failed) => return Some(Err(failed)),
            };
            match flatten_timeout(
                timeout_at(deadline.answer_by(), query(&lane.client, statement, questions)).await,
            ) {
                Ok(sql_rows) => return Some(Ok(sql_rows)),
                Err(CallError::Failed(error))
                    if first_try && (is_stale_statement(&error) || is_connection_lost(&error)) =>
                {
                    self.drop_idle();
                    first_try = false;
                }
                Err(CallError::Failed(error)) => {
                    return match to_statement_failure(statement, &error) {
                        why @ (StoreFailure::Other(_) | StoreFailure::Damaged(_)) => {
                            tracing::warn!(%why, "batched reads are repeated one by one");
                            None
                        }
                        of_all => Some(Err(of_all)),
                    };
                }
                Err(CallError::TimedOut) => {
                    lane.reset();
                    return Some(Err(StoreFailure::Unreachable));
                }
            }
        }
    }
}

/// Runs all reads in one statement and returns the rows of each.
async fn query(
    client: &ClientWrapper,
    statement: &'static SqlStatement,
    questions: &[PendingBatchedRead],
) -> Result<Vec<Vec<SqlRow>>, tokio_postgres::Error> {
    let text = match statement.postgres_batched_text() {
        Some(text) => text,
        None => {
            let alone = client.prepare_cached(statement.postgres_text()).await?;
            let types: Vec<_> = alone.params().iter().map(Type::name).collect();
            write_batched_text(statement, &types)
        }
    };
    let all = client.prepare_cached(text).await?;
    let of_all =
        |index| ColumnArray::from_rows(questions.iter().map(|question| &question.parameters[..]), index);
    let columns: Vec<_> = (0..all.params().len()).map(of_all).collect();
    let columns: Vec<_> = columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
    let mut sql_rows: Vec<Vec<SqlRow>> = questions.iter().map(|_| Vec::new()).collect();
    for row in client.query(&all, &columns).await? {
        let turn: i64 = row.try_get(0)?;
        let position = usize::try_from(turn).ok().and_then(|turn| turn.checked_sub(1));
        if let Some(sql_rows) = position.and_then(|index| sql_rows.get_mut(index)) {
            sql_rows.push(read_row(statement, &row, 1)?);
        }
    }
    Ok(sql_rows)
}

/// Builds the batched text; `types` are the parameter types of a single read. `OFFSET 0` changes nothing
/// except that the server plans each read like a single one, by index, whatever its estimate of the table
/// sizes.
pub(crate) fn write_batched_text<'text>(statement: &'text SqlStatement, types: &[&str]) -> &'text str {
    let numbers = 1..=types.len();
    let names: Vec<_> = numbers.clone().map(|number| format!("p{number}")).collect();
    let arrays: Vec<_> = numbers.zip(types).map(|(number, kind)| format!("${number}::{kind}[]")).collect();
    statement.store_batched_text(format!(
        "SELECT asks.turn, found.* FROM unnest({}) WITH ORDINALITY AS asks ({}, turn) \
         CROSS JOIN LATERAL ({} OFFSET 0) AS found",
        arrays.join(", "),
        names.join(", "),
        statement.with_columns("asks")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batched_read_is_rewritten_with_caller_numbers() {
        let alone = SqlStatement::new("t.v", "SELECT a FROM t WHERE b = ?1");
        let question = SqlStatement::batched_read("t.w", "SELECT a, '?' FROM t WHERE b = ?2 AND c > ?1");
        assert!(question.is_batched_read() && !alone.is_batched_read());
        assert_eq!(question.postgres_batched_text(), None);
        let text = write_batched_text(&question, &["int8", "bytea"]);
        assert_eq!(
            text,
            "SELECT asks.turn, found.* FROM unnest($1::int8[], $2::bytea[]) WITH ORDINALITY AS asks (p1, p2, turn) \
             CROSS JOIN LATERAL (SELECT a, '?' FROM t WHERE b = asks.p2 AND c > asks.p1 OFFSET 0) AS found"
        );
        assert_eq!(question.postgres_batched_text(), Some(text));
    }
}
