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

    fn for_postgres(&self) -> &ForPostgres {
        self.for_postgres.get_or_init(|| {
            let text = with_dollar_parameters(self.sql);
            let guarded = (!inserts_one_row(self.sql)).then(|| {
                format!(
                    "WITH touched AS ({text} RETURNING 1) \
                     SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM touched"
                )
            });
            ForPostgres { text, guarded }
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

/// Rewrites every `?` outside quotes; what is quoted stays as it is.
fn with_dollar_parameters(sql: &str) -> String {
    let mut quote = None;
    sql.chars()
        .map(|character| {
            match quote {
                Some(open) if open == character => quote = None,
                Some(_) => {}
                None if matches!(character, '\'' | '"') => quote = Some(character),
                None if character == '?' => return '$',
                None => {}
            }
            character
        })
        .collect()
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
