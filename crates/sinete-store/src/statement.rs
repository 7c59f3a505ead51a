//! One SQL text for both engines, under a name that errors and conflicts can use.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A statement, kept in a `static` beside the verb that runs it.
///
/// Parameters are written `?1`, `?2`, …: SQLite binds those by number, and PostgreSQL is given `$1`, `$2`.
#[derive(Debug)]
pub struct SqlStatement {
    name: &'static str,
    sql: &'static str,
    turn: StatementUse,
    place: StatementPlacement,
    company: ReadBatching,
    for_sqlite: OnceLock<String>,
    for_postgres: OnceLock<PostgresStatement>,
}

/// What PostgreSQL's driver needs to know, worked out on first use.
#[derive(Debug)]
struct PostgresStatement {
    text: String,
    /// The text that fails unless it touches one row; none where the text itself does.
    guarded: Option<String>,
    /// How many parameters it takes.
    parameters: usize,
    /// Whether it inserts its parameters as they come, one row of them.
    is_list: bool,
    /// The texts that do what others do as well, by the names of those.
    joined: RwLock<Vec<JoinedStatement>>,
    /// The text that asks for many at once, where that was asked for.
    together: OnceLock<Box<str>>,
}

/// A text that does what others do as well.
#[derive(Debug)]
struct JoinedStatement {
    must_touch: bool,
    others: Box<[&'static str]>,
    text: Arc<str>,
}

/// Where a statement may stand in an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementPlacement {
    /// Anywhere.
    Any,
    /// Anywhere, and it inserts one row at most.
    OneRow,
    /// Beside others of its kind, none of which changes what its condition reads.
    Beside,
}

/// Whether a question is asked for many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadBatching {
    /// Each is asked by itself.
    None,
    /// Those who ask at the same time are asked for together.
    Welcome,
}

/// How often a statement may succeed on the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementUse {
    /// As often as it is asked to.
    Free,
    /// Once: of all who race, exactly one wins.
    Single,
}

impl SqlStatement {
    /// A statement with its name, `table.verb`, and its text.
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, (StatementUse::Free, StatementPlacement::Any, ReadBatching::None))
    }

    /// A short read that many requests make at the same time: where beginning a statement costs more than its rows, those
    /// are asked for together.
    pub(crate) const fn batched_read(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, (StatementUse::Free, StatementPlacement::Any, ReadBatching::Welcome))
    }

    /// A statement that inserts one row where a condition holds that reads rows by their keys, and never more than one.
    pub(crate) const fn one_row(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, (StatementUse::Free, StatementPlacement::OneRow, ReadBatching::None))
    }

    /// A statement that inserts its parameters as one row, all but the last, where the last one is what a row of another
    /// table says: `SELECT ?1, … FROM` that table. No statement of this kind changes that, so many may go together.
    pub(crate) const fn conditional_row(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, (StatementUse::Free, StatementPlacement::Beside, ReadBatching::None))
    }

    /// A statement that spends something: whoever is first wins, and nobody wins a second time. A test
    /// races every one of these.
    pub(crate) const fn single_use(name: &'static str, sql: &'static str) -> Self {
        Self::build(name, sql, (StatementUse::Single, StatementPlacement::Any, ReadBatching::None))
    }

    const fn build(
        name: &'static str,
        sql: &'static str,
        (turn, place, company): (StatementUse, StatementPlacement, ReadBatching),
    ) -> Self {
        Self { name, sql, turn, place, company, for_sqlite: OnceLock::new(), for_postgres: OnceLock::new() }
    }

    /// Whether it spends something.
    pub fn is_single_use(&self) -> bool {
        self.turn == StatementUse::Single
    }

    /// The name, `table.verb`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The text for SQLite, which is the text as written. Where a row hangs on a condition, SQLite takes it for many and
    /// keeps a copy of every page it changes, to undo those before the one that fails: it is told that there are none.
    pub(crate) fn sqlite_text(&self) -> &str {
        match self.place {
            StatementPlacement::Any => self.sql,
            StatementPlacement::OneRow | StatementPlacement::Beside => {
                self.for_sqlite.get_or_init(|| self.sql.replacen("INSERT INTO", "INSERT OR FAIL INTO", 1))
            }
        }
    }

    /// The text for PostgreSQL.
    pub(crate) fn postgres_text(&self) -> &str {
        &self.for_postgres().text
    }

    /// The text for PostgreSQL where one row must be touched: it fails, by dividing by nothing, if it
    /// is another number. What follows in the same transaction, its end included, may thus be sent along.
    pub(crate) fn postgres_guarded_text(&self) -> &str {
        let known = self.for_postgres();
        known.guarded.as_ref().unwrap_or(&known.text)
    }

    /// Whether it may be carried out together with what its act begins with, and with others that may: it inserts one
    /// row or fails, reads nothing, and meets no row that the first one changes or takes away; or is said to hang on what
    /// no act beside it changes.
    pub(crate) fn can_follow(&self, first: &Self) -> bool {
        let is_apart = first.sql.trim_start().starts_with("INSERT") || first.table() != self.table();
        self.place == StatementPlacement::Beside || (self.for_postgres().guarded.is_none() && is_apart)
    }

    /// The table it changes.
    pub(crate) fn table(&self) -> Option<&str> {
        let mut words = self.sql.split_ascii_whitespace();
        words.find(|word| matches!(*word, "INTO" | "UPDATE" | "FROM")).and_then(|_| words.next())
    }

    /// Whether it inserts its parameters as they come, one row of them.
    pub(crate) fn is_plain_insert(&self) -> bool {
        self.is_conditional() || self.for_postgres().is_list
    }

    /// Whether it inserts that row only where a condition holds.
    pub(crate) fn is_conditional(&self) -> bool {
        self.place == StatementPlacement::Beside
    }

    /// The text for PostgreSQL that inserts many rows: each parameter is an array of what the rows have there. Of these
    /// types they are in a single row, and so many parameters come before them. A row whose condition does not hold is
    /// left out, and the text returns a row for each that was not.
    pub(crate) fn postgres_multi_row_text(&self, types: &[&str], before: usize) -> String {
        let arrays: Vec<_> = types
            .iter()
            .enumerate()
            .map(|(place, kind)| format!("${}::{kind}[]", before + place + 1))
            .collect();
        let arrays = arrays.join(", ");
        if self.is_conditional() {
            let text = self.with_columns("listed");
            let (row, condition) = text.split_once(" FROM ").unwrap_or((&text, ""));
            let names: Vec<_> = (1..=types.len()).map(|number| format!("p{number}")).collect();
            let names = names.join(", ");
            return format!("{row} FROM unnest({arrays}) AS listed ({names}), {condition} RETURNING 1");
        }
        let text = self.postgres_text();
        let rows = text.strip_suffix(&values(types.len())).unwrap_or(text);
        format!("{rows}SELECT * FROM unnest({arrays})")
    }

    /// How many parameters it takes.
    pub(crate) fn parameter_count(&self) -> usize {
        self.for_postgres().parameters
    }

    /// Whether it is a question that is asked for many at once.
    pub(crate) fn is_batched_read(&self) -> bool {
        self.company == ReadBatching::Welcome
    }

    /// The text for PostgreSQL that asks for many at once, if it has been written: each parameter is an array of what they
    /// have there. Every row begins with the number of whoever asked, counted from one.
    pub(crate) fn postgres_batched_text(&self) -> Option<&str> {
        self.for_postgres().together.get().map(|text| &**text)
    }

    /// Keeps that text, once it has been written.
    pub(crate) fn store_batched_text(&self, text: String) -> &str {
        self.for_postgres().together.get_or_init(|| text.into())
    }

    /// The text with a column of this table in the place of each parameter: `p1`, `p2`, …
    pub(crate) fn with_columns(&self, table: &str) -> String {
        with_parameters(self.sql, |number| format!("{table}.p{number}"))
    }

    /// The text for PostgreSQL that does what this statement does and the others do, each of which may follow; their
    /// parameters come one after the other. It touches one row, or fails and has changed nothing, by dividing by nothing
    /// where this one must touch a row and does not.
    pub(crate) fn postgres_joined_text(&self, must_touch: bool, others: &[&'static Self]) -> Arc<str> {
        let known = &self.for_postgres().joined;
        let is_this = |known: &&JoinedStatement| {
            known.must_touch == must_touch && known.others.iter().eq(others.iter().map(|other| &other.name))
        };
        let read = known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.iter().find(is_this) {
            return Arc::clone(&known.text);
        }
        drop(read);
        let text: Arc<str> = self.write_joined_text(must_touch, others).into();
        let names = others.iter().map(|other| other.name).collect();
        let joined = JoinedStatement { must_touch, others: names, text: Arc::clone(&text) };
        known.write().unwrap_or_else(PoisonError::into_inner).push(joined);
        text
    }

    fn write_joined_text(&self, must_touch: bool, others: &[&'static Self]) -> String {
        let known = self.for_postgres();
        let is_guarded = must_touch && known.guarded.is_some();
        // What must have touched one row each: this one, and those that hang on a condition.
        let mut guards: Vec<String> = is_guarded.then(|| "touched".to_owned()).into_iter().collect();
        let mut text = format!("WITH touched AS ({}", known.text);
        text.push_str(if is_guarded { " RETURNING 1)" } else { ")" });
        let is_any_guarded = is_guarded || others.iter().any(|other| other.is_conditional());
        let mut before = parameters(self.sql);
        for (place, other) in others.iter().enumerate() {
            let sql = with_dollar_parameters(other.sql, before);
            before += parameters(other.sql);
            if other.is_conditional() {
                guards.push(format!("also_{place}"));
                text.push_str(&format!(", also_{place} AS ({sql} RETURNING 1)"));
            } else if is_any_guarded || place + 1 < others.len() {
                text.push_str(&format!(", also_{place} AS ({sql})"));
            } else {
                text.push(' ');
                text.push_str(&sql);
            }
        }
        match &guards[..] {
            [] => {}
            [only] => text.push_str(&format!(" {ONE_WAS_TOUCHED} {only}")),
            several => {
                text.push_str(" SELECT 1 / CASE WHEN ");
                for (place, guard) in several.iter().enumerate() {
                    text.push_str(if place > 0 {
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
                .then(|| format!("WITH touched AS ({text} RETURNING 1) {ONE_WAS_TOUCHED} touched"));
            let parameters = parameters(self.sql);
            let is_list = guarded.is_none() && text.ends_with(&values(parameters));
            PostgresStatement {
                parameters,
                text,
                guarded,
                is_list,
                joined: RwLock::default(),
                together: OnceLock::new(),
            }
        })
    }
}

/// Fails where another number of rows was touched than one.
const ONE_WAS_TOUCHED: &str = "SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM";

/// Whether it inserts one list of values or fails. Anything that could do something else counts as such.
fn inserts_one_row(sql: &str) -> bool {
    let words = sql.trim_start().to_ascii_uppercase();
    let one_list = |(_, values): (&str, &str)| !values.replace(char::is_whitespace, "").contains("),(");
    words.starts_with("INSERT ")
        && !words.contains("SELECT")
        && !words.contains("CONFLICT")
        && words.split_once("VALUES").is_some_and(one_list)
}

/// One row of so many parameters, in their order.
fn values(parameters: usize) -> String {
    let parameters: Vec<_> = (1..=parameters).map(|number| format!("${number}")).collect();
    format!("VALUES ({})", parameters.join(", "))
}

/// Rewrites every `?` outside quotes, and counts from so many parameters on; what is quoted stays as it is.
fn with_dollar_parameters(sql: &str, before: usize) -> String {
    with_parameters(sql, |number| format!("${}", before + number))
}

/// Rewrites every `?` outside quotes as its number is written.
fn with_parameters(sql: &str, write: impl Fn(usize) -> String) -> String {
    let mut written = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((text, number, after)) = next_parameter(rest) {
        written.push_str(text);
        written.push_str(&write(number));
        rest = after;
    }
    written.push_str(rest);
    written
}

/// The highest number of a parameter.
fn parameters(sql: &str) -> usize {
    let (mut highest, mut rest) = (0, sql);
    while let Some((_, number, after)) = next_parameter(rest) {
        (highest, rest) = (highest.max(number), after);
    }
    highest
}

/// The next parameter outside quotes: what stands before it, its number and what stands behind it.
fn next_parameter(sql: &str) -> Option<(&str, usize, &str)> {
    let mut quote = None;
    let place = sql.find(|character| {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None => return character == '?',
        }
        false
    })?;
    let (text, marked) = sql.split_at(place);
    let behind = &marked[1..];
    let digits = behind.find(|character: char| !character.is_ascii_digit()).unwrap_or(behind.len());
    let (number, after) = behind.split_at(digits);
    Some((text, number.parse().ok()?, after))
}

#[cfg(test)]
mod tests;
