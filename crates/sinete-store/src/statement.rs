//! One SQL text for both engines, with a name for errors and conflicts.

mod column_names;
mod parameters;

pub(crate) use column_names::ColumnName;

use parameters::{count_parameters, values_row, with_dollar_parameters, with_parameters};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A statement, stored in a `static` beside the function that runs it.
///
/// Parameters are written `?1`, `?2`, …: SQLite binds them by number, and PostgreSQL gets `$1`, `$2`.
#[derive(Debug)]
pub struct SqlStatement {
    name: &'static str,
    sql: &'static str,
    usage: StatementUse,
    placement: StatementPlacement,
    batching: ReadBatching,
    columns: OnceLock<Box<[ColumnName]>>,
    for_sqlite: OnceLock<String>,
    for_postgres: OnceLock<PostgresStatement>,
}

/// The pattern of a text that begins with these characters, in lower case, for `LIKE … ESCAPE '!'`.
pub(crate) fn like_prefix(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if matches!(character, '!' | '%' | '_') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// What the PostgreSQL driver needs to know, computed on first use.
#[derive(Debug)]
struct PostgresStatement {
    text: String,
    /// The text that fails unless it touches one row; `None` if the text itself does.
    guarded: Option<String>,
    /// Number of parameters.
    parameters: usize,
    /// Whether it inserts its parameters unchanged, as one row.
    is_plain_insert: bool,
    /// Texts that combine this statement with others, by their names.
    joined: RwLock<Vec<JoinedStatement>>,
    /// The batched text, once it was needed.
    batched: OnceLock<Box<str>>,
}

/// A text that combines several statements.
#[derive(Debug)]
struct JoinedStatement {
    must_touch: bool,
    others: Box<[&'static str]>,
    text: Arc<str>,
}

/// How a statement may be combined with others of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementPlacement {
    /// No restriction is known.
    Any,
    /// It inserts at most one row.
    OneRow,
    /// It may be combined with others of its kind, none of which changes what its condition reads.
    Combinable,
}

/// Whether concurrent reads of a statement are batched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadBatching {
    /// Each read is sent by itself.
    None,
    /// Concurrent reads are sent together.
    Batched,
}

/// How often a statement may succeed on the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementUse {
    /// Any number of times.
    Repeatable,
    /// Once: of all racing callers, exactly one succeeds.
    SingleUse,
}

impl SqlStatement {
    /// A statement with its name, `table.verb`, and its text.
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, StatementUse::Repeatable, StatementPlacement::Any, ReadBatching::None)
    }

    /// A short read that many requests make concurrently. They are batched where starting a statement costs
    /// more than its rows.
    pub(crate) const fn batched_read(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, StatementUse::Repeatable, StatementPlacement::Any, ReadBatching::Batched)
    }

    /// A statement that inserts at most one row, if a condition on rows found by key holds.
    pub(crate) const fn one_row(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, StatementUse::Repeatable, StatementPlacement::OneRow, ReadBatching::None)
    }

    /// A statement that inserts all parameters but the last as one row, if the last equals a value in a row
    /// of another table: `SELECT ?1, … FROM` that table. No statement of this kind changes that value, so
    /// many may be combined.
    pub(crate) const fn conditional_row(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, StatementUse::Repeatable, StatementPlacement::Combinable, ReadBatching::None)
    }

    /// A single-use statement: the first caller succeeds, and no other ever does. A test races every one of
    /// these.
    pub(crate) const fn single_use(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, StatementUse::SingleUse, StatementPlacement::Any, ReadBatching::None)
    }

    const fn build(
        name: &'static str,
        sql: &'static str,
        usage: StatementUse,
        statement_placement: StatementPlacement,
        batching: ReadBatching,
    ) -> Self {
        Self {
            name,
            sql,
            usage,
            placement: statement_placement,
            batching,
            columns: OnceLock::new(),
            for_sqlite: OnceLock::new(),
            for_postgres: OnceLock::new(),
        }
    }

    /// Whether it is a single-use statement.
    pub fn is_single_use(&self) -> bool {
        self.usage == StatementUse::SingleUse
    }

    /// The name, `table.verb`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The columns that it selects, in order.
    pub(crate) fn column_names(&self) -> &[ColumnName] {
        self.columns.get_or_init(|| column_names::parse_column_names(self.sql))
    }

    /// The text for SQLite, which is the text as written. For a conditional insert SQLite assumes many rows
    /// and copies every page it changes, to undo them if a later row fails: the text tells it that there is
    /// only one.
    pub(crate) fn sqlite_text(&self) -> &str {
        match self.placement {
            StatementPlacement::Any => self.sql,
            StatementPlacement::OneRow | StatementPlacement::Combinable => {
                self.for_sqlite.get_or_init(|| self.sql.replacen("INSERT INTO", "INSERT OR FAIL INTO", 1))
            }
        }
    }

    /// The text for PostgreSQL.
    pub(crate) fn postgres_text(&self) -> &str {
        &self.for_postgres().text
    }

    /// The text for PostgreSQL that must touch one row: it fails with a division by zero otherwise. The rest
    /// of the transaction, including `COMMIT`, can therefore be sent along.
    pub(crate) fn postgres_guarded_text(&self) -> &str {
        let statement = self.for_postgres();
        statement.guarded.as_ref().unwrap_or(&statement.text)
    }

    /// Whether it may be combined with the first statement of its batch and with others that may: it inserts
    /// one row or fails, reads nothing and touches no row that the first one changes or deletes; or it is
    /// declared to depend only on what no other statement changes.
    pub(crate) fn can_follow(&self, first: &Self) -> bool {
        let is_apart = first.sql.trim_start().starts_with("INSERT") || first.table() != self.table();
        self.placement == StatementPlacement::Combinable
            || (self.for_postgres().guarded.is_none() && is_apart)
    }

    /// The table it changes.
    pub(crate) fn table(&self) -> Option<&str> {
        let mut ascii_whitespace = self.sql.split_ascii_whitespace();
        ascii_whitespace
            .find(|word| matches!(*word, "INTO" | "UPDATE" | "FROM"))
            .and_then(|_| ascii_whitespace.next())
    }

    /// Whether it inserts its parameters unchanged, as one row.
    pub(crate) fn is_plain_insert(&self) -> bool {
        self.is_conditional() || self.for_postgres().is_plain_insert
    }

    /// Whether it inserts that row only if a condition holds that no other such statement changes.
    pub(crate) fn is_conditional(&self) -> bool {
        self.placement == StatementPlacement::Combinable
    }

    /// Whether it inserts no row if its condition does not hold.
    pub(crate) fn may_leave_out_its_row(&self) -> bool {
        self.placement != StatementPlacement::Any
    }

    /// Whether it inserts at most one row, so that many may be combined as rows of arrays.
    pub(crate) fn inserts_at_most_one_row(&self) -> bool {
        self.may_leave_out_its_row() || self.is_plain_insert()
    }

    /// The text for PostgreSQL that inserts many rows: each parameter is an array with one element per row.
    /// `types` are the parameter types of a single row, and `before` parameters precede them. A row whose
    /// condition does not hold is left out, and the text returns one row for each inserted one. `OFFSET 0`
    /// changes nothing except that the server plans each condition like a single one, by index.
    pub(crate) fn postgres_multi_row_text(&self, types: &[&str], before: usize) -> String {
        let arrays: Vec<_> = types
            .iter()
            .enumerate()
            .map(|(index, kind)| format!("${}::{kind}[]", before + index + 1))
            .collect();
        let arrays = arrays.join(", ");
        if self.may_leave_out_its_row() {
            let text = self.with_columns("listed");
            let (into, row) = text.split_once(" SELECT ").unwrap_or((&text, ""));
            let names: Vec<_> = (1..=types.len()).map(|number| format!("p{number}")).collect();
            let names = names.join(", ");
            return format!(
                "{into} SELECT found.* FROM unnest({arrays}) AS listed ({names}) \
                 CROSS JOIN LATERAL (SELECT {row} OFFSET 0) AS found RETURNING 1"
            );
        }
        let text = self.postgres_text();
        let rows = text.strip_suffix(&values_row(types.len())).unwrap_or(text);
        format!("{rows}SELECT * FROM unnest({arrays})")
    }

    /// Number of parameters.
    pub(crate) fn parameter_count(&self) -> usize {
        self.for_postgres().parameters
    }

    /// Whether concurrent reads of it are batched.
    pub(crate) fn is_batched_read(&self) -> bool {
        self.batching == ReadBatching::Batched
    }

    /// The batched text for PostgreSQL, if it was built: each parameter is an array with one element per
    /// caller. Every result row starts with the number of its caller, counted from one.
    pub(crate) fn postgres_batched_text(&self) -> Option<&str> {
        self.for_postgres().batched.get().map(|text| &**text)
    }

    /// Stores the batched text.
    pub(crate) fn store_batched_text(&self, text: String) -> &str {
        self.for_postgres().batched.get_or_init(|| text.into())
    }

    /// The text with columns of this table in place of the parameters: `p1`, `p2`, …
    pub(crate) fn with_columns(&self, table: &str) -> String {
        with_parameters(self.sql, |number| format!("{table}.p{number}"))
    }

    /// The text for PostgreSQL that combines this statement with others that may follow it; their parameters
    /// are concatenated. It touches one row, or fails without a change, with a division by zero if this
    /// statement must touch a row and does not.
    pub(crate) fn postgres_joined_text(&self, must_touch: bool, others: &[&'static Self]) -> Arc<str> {
        let rw_lock = &self.for_postgres().joined;
        let is_this = |statement: &&JoinedStatement| {
            statement.must_touch == must_touch
                && statement.others.iter().eq(others.iter().map(|other| &other.name))
        };
        let read = rw_lock.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = read.iter().find(is_this) {
            return Arc::clone(&statement.text);
        }
        drop(read);
        let text: Arc<str> = self.write_joined_text(must_touch, others).into();
        let names = others.iter().map(|other| other.name).collect();
        let joined = JoinedStatement { must_touch, others: names, text: Arc::clone(&text) };
        rw_lock.write().unwrap_or_else(PoisonError::into_inner).push(joined);
        text
    }

    fn write_joined_text(&self, must_touch: bool, others: &[&'static Self]) -> String {
        let statement = self.for_postgres();
        let is_guarded = must_touch && statement.guarded.is_some();
        // Guards that must each touch one row: this statement, and the conditional ones.
        let mut guards: Vec<String> = is_guarded.then(|| "touched".to_owned()).into_iter().collect();
        let mut text = format!("WITH touched AS ({}", statement.text);
        text.push_str(if is_guarded { " RETURNING 1)" } else { ")" });
        let is_any_guarded = is_guarded || others.iter().any(|other| other.is_conditional());
        let mut before = count_parameters(self.sql);
        for (index, other) in others.iter().enumerate() {
            let sql = with_dollar_parameters(other.sql, before);
            before += count_parameters(other.sql);
            if other.is_conditional() {
                guards.push(format!("also_{index}"));
                text.push_str(&format!(", also_{index} AS ({sql} RETURNING 1)"));
            } else if is_any_guarded || index + 1 < others.len() {
                text.push_str(&format!(", also_{index} AS ({sql})"));
            } else {
                text.push(' ');
                text.push_str(&sql);
            }
        }
        match &guards[..] {
            [] => {}
            [only] => text.push_str(&format!(" {REQUIRE_ONE_ROW} {only}")),
            guards => {
                text.push_str(" SELECT 1 / CASE WHEN ");
                for (index, guard) in guards.iter().enumerate() {
                    text.push_str(if index > 0 {
                        " AND (SELECT count(*) FROM "
                    } else {
                        "(SELECT count(*) FROM "
                    });
                    text.push_str(guard);
                    text.push_str(") = 1");
                }
                text.push_str(" THEN 1 ELSE 0 END");
            }
        }
        text
    }

    fn for_postgres(&self) -> &PostgresStatement {
        self.for_postgres.get_or_init(|| {
            let text = with_dollar_parameters(self.sql, 0);
            let guarded = (!inserts_one_row(self.sql))
                .then(|| format!("WITH touched AS ({text} RETURNING 1) {REQUIRE_ONE_ROW} touched"));
            let parameters = count_parameters(self.sql);
            let is_list = guarded.is_none() && text.ends_with(&values_row(parameters));
            PostgresStatement {
                parameters,
                text,
                guarded,
                is_plain_insert: is_list,
                joined: RwLock::default(),
                batched: OnceLock::new(),
            }
        })
    }
}

/// Fails unless exactly one row was touched.
const REQUIRE_ONE_ROW: &str = "SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM";

/// Whether it inserts one list of values or fails. When in doubt, the answer is no.
fn inserts_one_row(sql: &str) -> bool {
    let words = sql.trim_start().to_ascii_uppercase();
    let one_list = |(_, values): (&str, &str)| !values.replace(char::is_whitespace, "").contains("),(");
    words.starts_with("INSERT ")
        && !words.contains("SELECT")
        && !words.contains("CONFLICT")
        && words.split_once("VALUES").is_some_and(one_list)
}

#[cfg(test)]
mod tests;
