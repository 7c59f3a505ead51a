//! Two versions of the program run side by side during an upgrade, so a migration only adds. A migration that removes
//! something names the versions that no longer need it.

use super::{expect_complaint, expect_silence};
use sinete_store::migrate::MIGRATIONS;
use std::collections::BTreeSet;

/// Migrations up to this one are older than the first release: no earlier program exists that could run beside them.
const BEFORE_THE_FIRST_RELEASE: u32 = 16;

/// The statements of a migration without comments, each as its words in lower case.
fn statements(text: &str) -> Vec<Vec<String>> {
    let code: Vec<_> = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = |statement: &str| {
        let words = statement.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>()
    };
    code.join("\n").split(';').map(words).filter(|words| !words.is_empty()).collect()
}

/// Whether the statement contains these consecutive words.
fn has(statement: &[String], words: &[&str]) -> bool {
    statement.windows(words.len()).any(|part| part.iter().eq(words))
}

/// A trigger that only increments a version does not affect the program that causes it.
const COUNTS: [&str; 7] = ["begin", "update", "service_facts", "set", "version", "version", "1"];

/// What a migration creates, which no earlier program uses: tables, and functions that never raise an error.
struct Made {
    tables: BTreeSet<String>,
    functions: BTreeSet<String>,
    refuses: bool,
}

impl Made {
    fn by(statements: &[Vec<String>]) -> Self {
        let refuses = statements.iter().flatten().any(|word| word == "raise");
        let list_created = |object_kind: &str| {
            let create_statements = statements.iter().filter(|words| has(words, &["create", object_kind]));
            let name = |words: &Vec<String>| {
                words.iter().skip(2).find(|it| !["if", "not", "exists"].contains(&it.as_str())).cloned()
            };
            create_statements.filter_map(name).collect::<BTreeSet<_>>()
        };
        let functions = if refuses { BTreeSet::new() } else { list_created("function") };
        Self { tables: list_created("table"), functions, refuses }
    }

    /// Whether the statement is about a new table, or is a trigger that runs after another program's change. A trigger
    /// that runs before could prevent the change without an error.
    fn concerns(&self, statement: &[String]) -> bool {
        let names = |some: &BTreeSet<String>| statement.iter().any(|word| some.contains(word));
        let comes_after = !statement.iter().any(|word| word == "before");
        names(&self.tables) || (comes_after && (names(&self.functions) || self.counts(statement)))
    }

    fn counts(&self, statement: &[String]) -> bool {
        !self.refuses && has(statement, &["create", "trigger"]) && has(statement, &COUNTS)
    }
}

/// Why a program that does not know a statement could not run beside it.
fn harm(statement: &[String], new: &Made) -> Option<&'static str> {
    let alters = has(statement, &["alter", "table"]);
    let adds_needed = has(statement, &["not", "null"]) && !statement.iter().any(|word| word == "default");
    match statement {
        it if new.concerns(it) => None,
        it if has(it, &["drop", "table"]) || has(it, &["drop", "column"]) => {
            Some("drops a table or a column")
        }
        it if alters && it.iter().any(|word| word == "rename") => Some("renames something"),
        it if alters && it.iter().any(|word| word == "add") && adds_needed => {
            Some("adds a column that every writer must fill")
        }
        it if alters && (has(it, &["set", "not", "null"]) || it.iter().any(|word| word == "type")) => {
            Some("narrows a column")
        }
        it if alters && has(it, &["add", "constraint"]) => Some("adds a constraint on existing rows"),
        it if has(it, &["create", "unique", "index"]) => Some("adds a constraint on existing rows"),
        it if has(it, &["create", "trigger"]) => Some("adds a constraint on existing rows"),
        _ => None,
    }
}

/// Complaints about a migration that an earlier version could not run beside.
fn narrowing(name: &str, text: &str) -> Vec<String> {
    if name.starts_with("contract_since_") {
        return Vec::new();
    }
    let statements = statements(text);
    let new = Made::by(&statements);
    let harms = statements.iter().filter_map(|statement| harm(statement, &new));
    harms
        .map(|reason| format!("migration {name} {reason}: call it contract_since_, in a later version"))
        .collect()
}

#[test]
fn migrations_since_the_first_release_only_add() {
    let later = MIGRATIONS.iter().filter(|(version, ..)| *version > BEFORE_THE_FIRST_RELEASE);
    expect_silence(&later.flat_map(|(_, name, text)| narrowing(name, text)).collect::<Vec<_>>());
}

#[test]
fn migration_check_finds_a_narrowing_one() {
    let adding = "CREATE TABLE a (id BIGINT NOT NULL); CREATE UNIQUE INDEX b ON a (id);\n\
        ALTER TABLE accounts ADD COLUMN c TEXT;\n-- DROP TABLE accounts;\n\
        ALTER TABLE accounts ADD COLUMN d BIGINT NOT NULL DEFAULT 0; CREATE INDEX e ON accounts (c); DROP INDEX f;\n\
        ALTER TABLE accounts DROP CONSTRAINT g;\n\
        CREATE FUNCTION h() RETURNS trigger LANGUAGE plpgsql AS $b$ BEGIN DELETE FROM a; RETURN NULL; END $b$;\n\
        CREATE TRIGGER i AFTER UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION h();\n\
        CREATE TRIGGER j AFTER UPDATE ON accounts BEGIN UPDATE service_facts SET version = version + 1; END;";
    expect_silence(&narrowing("later", adding));
    for (narrow, expected_text) in [
        ("DROP TABLE accounts;", "drops a table or a column"),
        ("ALTER TABLE accounts DROP COLUMN language;", "drops a table or a column"),
        ("ALTER TABLE accounts RENAME COLUMN a TO b;", "renames something"),
        ("ALTER TABLE accounts ADD COLUMN a TEXT NOT NULL;", "every writer must fill"),
        ("ALTER TABLE accounts ALTER COLUMN a SET NOT NULL;", "narrows a column"),
        ("ALTER TABLE accounts ADD CONSTRAINT a CHECK (b > 0);", "adds a constraint"),
        ("CREATE UNIQUE INDEX a ON accounts (b);", "adds a constraint"),
        ("CREATE TRIGGER a BEFORE UPDATE ON accounts BEGIN SELECT 1; END;", "adds a constraint"),
        ("CREATE TRIGGER a AFTER UPDATE ON accounts BEGIN SELECT 1; END;", "adds a constraint"),
        (
            "CREATE TRIGGER a BEFORE UPDATE ON accounts BEGIN UPDATE service_facts SET version = version + 1; END;",
            "adds a constraint",
        ),
        (
            "CREATE TRIGGER a AFTER UPDATE ON accounts BEGIN UPDATE service_facts SET version = version + 1; \
             SELECT RAISE(ABORT, 'no'); END;",
            "adds a constraint",
        ),
        (
            "CREATE FUNCTION a() RETURNS trigger AS $b$ BEGIN RETURN NULL; END $b$; \
             CREATE TRIGGER b BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION a();",
            "adds a constraint",
        ),
        (
            "CREATE FUNCTION a() RETURNS trigger AS $b$ BEGIN RAISE EXCEPTION 'no'; END $b$; \
             CREATE TRIGGER b BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION a();",
            "adds a constraint",
        ),
    ] {
        expect_complaint(&narrowing("later", narrow), expected_text);
        expect_silence(&narrowing("contract_since_0017_later", narrow));
    }
}
