//! One SQL text for both engines, under a name that errors and conflicts can use.

use std::sync::OnceLock;

/// A statement, kept in a `static` beside the verb that runs it.
///
/// Parameters are written `?1`, `?2`, …: SQLite binds those by number, and PostgreSQL is given `$1`, `$2`.
#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    sql: &'static str,
    turn: Turn,
    for_postgres: OnceLock<ForPostgres>,
}

/// What PostgreSQL's driver needs to know, worked out on first use.
#[derive(Debug)]
struct ForPostgres {
    text: String,
    /// The text that fails unless it touches one row; none where the text itself does.
    guarded: Option<String>,
    /// The text that inserts another row as well, and the name of the statement that says which.
    joined: OnceLock<(&'static str, String)>,
}

/// How often a statement may succeed on the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// As often as it is asked to.
    Free,
    /// Once: of all who race, exactly one wins.
    Single,
}

impl Statement {
    /// A statement with its name, `table.verb`, and its text.
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, turn: Turn::Free, for_postgres: OnceLock::new() }
    }

    /// A statement that spends something: whoever is first wins, and nobody wins a second time. A test
    /// races every one of these.
    pub(crate) const fn single_use(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, turn: Turn::Single, for_postgres: OnceLock::new() }
    }

    /// Whether it spends something.
    pub fn is_single_use(&self) -> bool {
        self.turn == Turn::Single
    }

    /// The name, `table.verb`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The text for SQLite, which is the text as written.
    pub(crate) const fn sqlite(&self) -> &'static str {
        self.sql
    }

    /// The text for PostgreSQL.
    pub(crate) fn postgres(&self) -> &str {
        &self.for_postgres().text
    }

    /// The text for PostgreSQL where one row must be touched: it fails, by dividing by nothing, if it
    /// is another number. What follows in the same transaction, its end included, may thus be sent along.
    pub(crate) fn postgres_guarded(&self) -> &str {
        let known = self.for_postgres();
        known.guarded.as_ref().unwrap_or(&known.text)
    }

    /// The text for PostgreSQL that does what this statement and the next one do, whose parameters follow this one's.
    /// There is one where each of the two inserts one row or fails, and for the first such pair that a statement is in.
    pub(crate) fn postgres_joined(&self, next: &Self) -> Option<&str> {
        let known = self.for_postgres();
        if known.guarded.is_some() || next.for_postgres().guarded.is_some() {
            return None;
        }
        let (name, text) = known.joined.get_or_init(|| {
            let second = with_dollar_parameters(next.sql, parameters(self.sql));
            (next.name, format!("WITH first AS ({}) {second}", known.text))
        });
        (*name == next.name).then_some(text)
    }

    fn for_postgres(&self) -> &ForPostgres {
        self.for_postgres.get_or_init(|| {
            let text = with_dollar_parameters(self.sql, 0);
            let guarded = (!inserts_one_row(self.sql)).then(|| {
                format!(
                    "WITH touched AS ({text} RETURNING 1) \
                     SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM touched"
                )
            });
            ForPostgres { text, guarded, joined: OnceLock::new() }
        })
    }
}

/// Whether it inserts one list of values or fails. Anything that could do something else counts as such.
fn inserts_one_row(sql: &str) -> bool {
    let words = sql.trim_start().to_ascii_uppercase();
    let one_list = |(_, values): (&str, &str)| !values.replace(char::is_whitespace, "").contains("),(");
    words.starts_with("INSERT ")
        && !words.contains("SELECT")
        && !words.contains("CONFLICT")
        && words.split_once("VALUES").is_some_and(one_list)
}

/// Rewrites every `?` outside quotes, and counts from so many parameters on; what is quoted stays as it is.
fn with_dollar_parameters(sql: &str, before: usize) -> String {
    let mut written = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((text, number, after)) = next_parameter(rest) {
        written.push_str(text);
        written.push('$');
        written.push_str(&(before + number).to_string());
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
mod tests {
    use super::*;

    #[test]
    fn parameters_are_rewritten_and_quoted_question_marks_are_not() {
        let statement = Statement::new("t.v", "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
        assert_eq!(statement.postgres(), "UPDATE t SET a = $2, b = 'why? it''s' WHERE \"c?\" = $1");
        assert_eq!(statement.sqlite(), "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
    }

    #[test]
    fn two_that_insert_one_row_each_are_joined_and_nothing_else_is() {
        let first = Statement::new("t.v", "INSERT INTO t (a, b) VALUES (?2, ?1)");
        let second = Statement::new("u.v", "INSERT INTO u (a, b) VALUES (?1, '?', ?2)");
        let together =
            "WITH first AS (INSERT INTO t (a, b) VALUES ($2, $1)) INSERT INTO u (a, b) VALUES ($3, '?', $4)";
        assert_eq!(first.postgres_joined(&second), Some(together));
        let third = Statement::new("w.v", "INSERT INTO w (a) VALUES (?1)");
        assert_eq!(first.postgres_joined(&third), None, "it has a partner already");
        for sql in
            ["UPDATE t SET a = ?1", "INSERT INTO t (a) SELECT ?1", "INSERT INTO t (a) VALUES (?1), (?2)"]
        {
            let other = Statement::new("o.v", sql);
            assert_eq!(
                (second.postgres_joined(&other), other.postgres_joined(&second)),
                (None, None),
                "{sql}"
            );
        }
    }

    #[test]
    fn whatever_can_touch_another_number_of_rows_than_one_is_guarded() {
        let sure = Statement::new("t.v", "INSERT INTO t (a) VALUES (?1)");
        assert_eq!(sure.postgres_guarded(), sure.postgres());
        for sql in [
            "INSERT INTO t (a) VALUES (?1), (?2)",
            "INSERT INTO t (a) VALUES (?1) ON CONFLICT DO NOTHING",
            "INSERT INTO t (a) SELECT b FROM u WHERE c = ?1",
            "UPDATE t SET a = ?1 WHERE id = ?2",
            "DELETE FROM t WHERE id = ?1",
        ] {
            let statement = Statement::new("t.v", sql);
            let text = format!("({} RETURNING 1)", statement.postgres());
            assert!(statement.postgres_guarded().contains(&text), "{sql}");
        }
    }
}
