//! Acts that only insert rows of their own, of several callers in one statement.
//!
//! Whoever records nothing but what happened changes nothing that anybody else reads or guards, so such acts can share a
//! statement, a commit and the wait for the disk. Those whose rows hang on a condition go with those that hang on the same. Nobody waits for company: while some are on their way, those that come
//! meanwhile gather and go together next.

use super::fault::{failed_in, is_lost, is_stale, is_unmatched};
use super::transaction::{Setback, give_up};
use crate::act::{Act, Conflict, Rows, Step};
use crate::driver::Answer;
use crate::driver::deadline::Deadline;
use crate::failed::Failed;
use crate::statement::Statement;
use crate::value::Value;
use deadpool_postgres::Client;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::time::timeout_at;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// Most acts in one statement.
const TOGETHER_MAX: usize = 128;
/// How many statements are on their way at once.
const TURNS_MAX: usize = 2;

/// Those that wait, and how many turns are being taken.
#[derive(Default)]
pub(super) struct Gathering(Mutex<Gathered>);

#[derive(Default)]
struct Gathered {
    waiting: Vec<Waiting>,
    turns: usize,
}

/// An act and whoever waits for it.
pub(super) struct Waiting {
    pub(super) act: Act,
    pub(super) deadline: Deadline,
    pub(super) reply: oneshot::Sender<Answer>,
}

/// Somebody's turn. While it is taken, those that come wait for it; it ends when nobody waits any more.
pub(super) struct Turn<'all> {
    gathering: &'all Gathering,
    is_over: bool,
}

impl Gathering {
    /// Lets the act wait. Whether somebody must take a turn for it is answered.
    pub(super) fn join(&self, waiting: Waiting) -> bool {
        let mut gathered = self.gathered();
        gathered.waiting.push(waiting);
        let is_needed = gathered.turns < TURNS_MAX;
        gathered.turns += usize::from(is_needed);
        is_needed
    }

    /// The turn that is needed.
    pub(super) const fn turn(&self) -> Turn<'_> {
        Turn { gathering: self, is_over: false }
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Those that go next. If nobody waits, the turn is over.
    pub(super) fn next(&mut self) -> Option<Vec<Waiting>> {
        let mut gathered = self.gathering.gathered();
        if gathered.waiting.is_empty() {
            gathered.turns -= 1;
            self.is_over = true;
            return None;
        }
        // Those that hang on the same share its fate, which is then theirs; nobody else's hangs on it.
        let hangs_on = gathered.waiting.first().and_then(|first| condition(&first.act)).cloned();
        let mut room = TOGETHER_MAX;
        let goes = |waiting: &mut Waiting| {
            let goes = room > 0 && condition(&waiting.act) == hangs_on.as_ref();
            room -= usize::from(goes);
            goes
        };
        Some(gathered.waiting.extract_if(.., goes).collect())
    }
}

impl Drop for Turn<'_> {
    /// A turn that was cut short makes room for the next one.
    fn drop(&mut self) {
        if !self.is_over {
            self.gathering.gathered().turns -= 1;
        }
    }
}

/// Whether every step inserts one row of its own, and reads nothing that any such step changes.
pub(super) fn can_gather(act: &Act) -> bool {
    act.steps().iter().all(|step| step.rows == Rows::One && step.statement.lists_its_parameters())
}

/// What the act hangs on, where it does.
fn condition(act: &Act) -> Option<&Value> {
    act.steps().iter().find(|step| step.statement.is_conditional()).and_then(|step| step.parameters.last())
}

/// Answers those who waited for their turn for so long that a lock could outlast them. Nothing of theirs was sent.
pub(super) fn answer_those_too_late(acts: Vec<Waiting>) -> Vec<Waiting> {
    let (late, in_time): (Vec<_>, Vec<_>) =
        acts.into_iter().partition(|waiting| waiting.deadline.is_too_late_to_start());
    for Waiting { reply, .. } in late {
        let _ = reply.send(Err(Failed::Overloaded));
    }
    in_time
}

/// Carries all of them out in one statement, or none. A conflict that names a statement is one of each of them.
pub(super) async fn together(client: Client, acts: &[Waiting], deadline: Deadline) -> Result<(), Setback> {
    let mut lists: Vec<List<'_>> = Vec::new();
    for step in acts.iter().flat_map(|waiting| waiting.act.steps()) {
        match lists.iter_mut().find(|list| list.statement.name() == step.statement.name()) {
            Some(list) => list.rows.push(step),
            None => lists.push(List { statement: step.statement, rows: vec![step] }),
        }
    }
    // In one order whoever came first, so that there are not as many texts as there are orders.
    lists.sort_by_key(|list| list.statement.name());
    let Some(first) = lists.first().map(|list| list.statement) else { return Ok(()) };
    let guard = lists.iter().find(|list| list.statement.is_conditional()).and_then(|list| list.rows.first());
    let prepared = async {
        let mut texts = Vec::with_capacity(lists.len());
        let mut columns: Vec<Column<'_>> = Vec::new();
        for list in &lists {
            let alone = client.prepare_cached(list.statement.postgres()).await?;
            let types: Vec<_> = alone.params().iter().map(Type::name).collect();
            texts.push(Listed::of(list.statement, &types, columns.len()));
            let of_all = |place| Column::of(list.rows.iter().map(|step| &step.parameters[..]), place);
            columns.extend((0..alone.params().len()).map(of_all));
        }
        Ok::<_, tokio_postgres::Error>((client.prepare_cached(&in_one(&texts)).await?, columns))
    };
    let inserted = async {
        let (all, columns) = prepared.await?;
        if deadline.is_too_late_to_start() {
            return Ok(None);
        }
        client.execute_raw(&all, &columns).await.map(Some)
    };
    match timeout_at(deadline.answer_by(), inserted).await {
        Ok(Ok(Some(_))) => Ok(()),
        // Nothing was sent. Each of them is told so, or tries alone if it came later.
        Ok(Ok(None)) => Err(Setback::NothingSent(Failed::Overloaded)),
        Ok(Err(error)) if is_unmatched(&error) => {
            Err(Setback::Conflict(guard.map_or(Conflict::AT_COMMIT, |step| step.conflict())))
        }
        Ok(Err(error)) if is_stale(&error) => Err(Setback::NothingSent(failed_in(first, &error))),
        Ok(Err(error)) if is_lost(&error) => {
            // What is said about it goes to the log; what became of it is looked up.
            let _ = failed_in(first, &error);
            Err(Setback::Unknown)
        }
        Ok(Err(error)) => Err(match failed_in(first, &error) {
            // The server refused one of them, and so all. What holds for all of them alike is not asked again for each.
            Failed::Other(_) if error.as_db_error().is_some() => Setback::Conflict(Conflict::AT_COMMIT),
            failed => Setback::Failed(failed),
        }),
        Err(_) => Err(give_up(client)),
    }
}

/// The rows of several acts for one table.
struct List<'act> {
    statement: &'static Statement,
    rows: Vec<&'act Step>,
}

/// A statement that inserts the rows of one table.
struct Listed {
    text: String,
    /// The array by which its rows are counted, where it leaves out those whose condition does not hold.
    counted_by: Option<String>,
}

impl Listed {
    fn of(statement: &Statement, types: &[&str], before: usize) -> Self {
        let first = types.first().map(|kind| format!("${}::{kind}[]", before + 1));
        Self {
            text: statement.postgres_listed(types, before),
            counted_by: first.filter(|_| statement.is_conditional()),
        }
    }
}

/// Several statements that insert as one. It fails, by dividing by nothing, where one of them leaves out a row.
fn in_one(lists: &[Listed]) -> String {
    let named = |lists: &[Listed]| {
        let named = lists.iter().enumerate();
        named.map(|(place, list)| format!("list_{place} AS ({})", list.text)).collect::<Vec<_>>().join(", ")
    };
    let counted =
        lists.iter().enumerate().filter_map(|(place, list)| Some((place, list.counted_by.as_ref()?)));
    let is_whole = |(place, array)| format!("(SELECT count(*) FROM list_{place}) = cardinality({array})");
    let are_whole: Vec<_> = counted.map(is_whole).collect();
    match lists {
        _ if !are_whole.is_empty() => {
            let are_whole = are_whole.join(" AND ");
            format!("WITH {} SELECT 1 / CASE WHEN {are_whole} THEN 1 ELSE 0 END", named(lists))
        }
        [] => String::new(),
        [only] => only.text.clone(),
        [before @ .., last] => format!("WITH {} {}", named(before), last.text),
    }
}

/// One parameter of all rows, as an array.
#[derive(Debug)]
pub(super) struct Column<'row>(Vec<&'row Value>);

impl<'row> Column<'row> {
    /// What every row has at this place.
    pub(super) fn of(rows: impl Iterator<Item = &'row [Value]>, place: usize) -> Self {
        Self(rows.filter_map(|parameters| parameters.get(place)).collect())
    }
}

impl ToSql for Column<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.0.to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        Vec::<&Value>::accepts(kind)
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_on_a_condition_is_counted_and_what_does_not_is_just_inserted() {
        static EVENT: Statement = Statement::new("a.add", "INSERT INTO a (id) VALUES (?1)");
        static TRAIL: Statement = Statement::new("b.add", "INSERT INTO b (id) VALUES (?1)");
        static IF_SO: Statement =
            Statement::conditional_row("a.add_if", "INSERT INTO a (id) SELECT ?1 FROM c WHERE n = ?2");
        let (event, trail) = (Listed::of(&EVENT, &["int8"], 0), Listed::of(&TRAIL, &["int8"], 3));
        let if_so = Listed::of(&IF_SO, &["int8", "int8"], 1);
        let insert = "INSERT INTO a (id) SELECT * FROM unnest($1::int8[])";
        assert_eq!(in_one(&[]), "");
        assert_eq!(in_one(&[Listed::of(&EVENT, &["int8"], 0)]), insert);
        assert_eq!(
            in_one(&[Listed::of(&EVENT, &["int8"], 0), Listed::of(&TRAIL, &["int8"], 1)]),
            format!("WITH list_0 AS ({insert}) INSERT INTO b (id) SELECT * FROM unnest($2::int8[])")
        );
        assert_eq!(
            in_one(&[event, if_so, trail]),
            format!(
                "WITH list_0 AS ({insert}), list_1 AS (INSERT INTO a (id) SELECT listed.p1 \
                 FROM unnest($2::int8[], $3::int8[]) AS listed (p1, p2), c WHERE n = listed.p2 RETURNING 1), \
                 list_2 AS (INSERT INTO b (id) SELECT * FROM unnest($4::int8[])) \
                 SELECT 1 / CASE WHEN (SELECT count(*) FROM list_1) = cardinality($2::int8[]) THEN 1 ELSE 0 END"
            )
        );
    }
}
