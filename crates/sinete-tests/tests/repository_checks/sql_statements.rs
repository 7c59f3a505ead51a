//! SQL is in the store only, engine-specific code in its driver only, and the logs are append-only.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// The logs, and the statements that are forbidden on each.
const LOGS: [(&str, &[&str]); 7] = [
    ("security_log", &["update", "delete"]),
    ("log_chain", &["update", "delete"]),
    ("audit", &["update", "delete"]),
    ("log_head", &["delete"]),
    ("log_segments", &["update", "delete"]),
    ("log_checkpoint", &["delete"]),
    ("audit_horizons", &["delete"]),
];

/// The only change that an event allows: erasing the address and user agent of the request.
const ERASES: &str = "UPDATE security_log SET salt NULL address NULL user_agent NULL WHERE";
/// The statement that moved these columns, in the one migration that has it.
const CARRIED_OVER: (&str, [&str; 2]) = (
    "crates/sinete-store/migrations/0034_contract_since_0034_origins_with_their_events.sql",
    [
        "UPDATE security_log SET salt p salt address p address user_agent p user_agent FROM security_log_personal p WHERE",
        "UPDATE OR FAIL security_log SET salt address user_agent SELECT p salt p address p user_agent FROM security_log_personal",
    ],
);

/// The statements that remove what is archived or passed its retention, in the one module that has them. The triggers
/// allow no more than they need.
const CUTS: [(&str, &str); 3] = [
    (
        "crates/sinete-store/src/events/log_archive.rs",
        "DELETE FROM security_log WHERE id IN SELECT event_id FROM log_chain WHERE position 1 AND position 2",
    ),
    (
        "crates/sinete-store/src/events/log_archive.rs",
        "DELETE FROM log_chain WHERE position 1 AND position 2",
    ),
    (
        "crates/sinete-store/src/events/audit_retention.rs",
        "DELETE FROM audit WHERE id IN SELECT a id FROM audit a WHERE a organization_id 1 AND a id 2 AND a at 3",
    ),
];

/// A word of a file and its line number.
type Word<'a> = (usize, &'a str);

fn words(code: &str) -> Vec<Word<'_>> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    code.lines()
        .enumerate()
        .flat_map(|(line, text)| text.split(move |c| !is_part(c)).map(move |word| (line + 1, word)))
        .filter(|(_, word)| !word.is_empty())
        .collect()
}

/// Whether a statement begins here. SQL keywords are in capitals everywhere in this project.
fn begins_statement(words: &[Word<'_>]) -> bool {
    let word = |index: usize| words.get(index).map_or("", |(_, word)| *word);
    match word(0) {
        "SELECT" => true,
        "INSERT" | "REPLACE" => word(1) == "INTO" || word(1) == "OR",
        "DELETE" => word(1) == "FROM",
        "UPDATE" => (2..5).any(|index| word(index) == "SET"),
        "CREATE" | "ALTER" | "DROP" => matches!(word(1), "TABLE" | "INDEX" | "TRIGGER" | "UNIQUE"),
        _ => false,
    }
}

fn outside_the_store(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && file.crate_folder() != Some("sinete-store")) {
        let code = file.code();
        let words = words(&code);
        let first = (0..words.len()).find(|&index| begins_statement(&words[index..]));
        complaints.extend(first.map(|index| format!("{} holds SQL: {}", file.path, words[index].1)));
    }
    complaints
}

/// A statement is a constant, so that a test can prepare it on both engines; none is assembled at run time. Exempt is
/// what a driver does for its own engine, such as counting the rows of every table.
fn put_together(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && !is_driver(file)) {
        for format_call in file.code().split("format!(").skip(1) {
            let argument: String = format_call.chars().take(60).collect();
            if words(&argument).first().is_some_and(|_| begins_statement(&words(&argument))) {
                complaints.push(format!("{} puts a statement together: {argument:?}", file.path));
            }
        }
    }
    complaints
}

fn is_driver(file: &File) -> bool {
    file.path.starts_with("crates/sinete-store/src/driver")
}

fn outside_the_driver(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && !is_driver(file)) {
        let code = file.code();
        let engine = words(&code).into_iter().find(|(_, word)| {
            matches!(*word, "rusqlite" | "tokio_postgres" | "deadpool_postgres" | "tokio_postgres_rustls")
        });
        complaints.extend(engine.map(|(_, word)| format!("{} knows an engine: {word}", file.path)));
    }
    complaints
}

/// The operation and the table of a statement that changes or deletes rows.
fn harm<'a>(words: &[Word<'a>]) -> Option<(&'static str, &'a str)> {
    let word = |index: usize| words.get(index).map_or("", |(_, word)| *word);
    let after = |index: usize, skipped: &[&str]| {
        words[index.min(words.len())..].iter().map(|(_, word)| *word).find(|word| !skipped.contains(word))
    };
    match word(0) {
        "UPDATE" => {
            Some(("update", after(1, &["ONLY", "OR", "REPLACE", "IGNORE", "FAIL", "ABORT", "ROLLBACK"])?))
        }
        "DELETE" if word(1) == "FROM" => Some(("delete", after(2, &["ONLY"])?)),
        "TRUNCATE" => Some(("delete", after(1, &["TABLE", "ONLY"])?)),
        "DROP" if word(1) == "TABLE" => Some(("delete", after(2, &["IF", "EXISTS"])?)),
        "REPLACE" if word(1) == "INTO" => Some(("update", after(2, &[])?)),
        "INTO" => {
            let rest = &words[2.min(words.len())..];
            let end =
                rest.iter().position(|(_, word)| matches!(*word, "INTO" | "SELECT")).unwrap_or(rest.len());
            let upserts = rest[..end].windows(2).any(|pair| (pair[0].1, pair[1].1) == ("DO", "UPDATE"));
            upserts.then_some(("update", word(1)))
        }
        _ => None,
    }
}

/// Whether the statement is one of the few that may change a row of a log.
fn is_allowed(path: &str, words: &[Word<'_>]) -> bool {
    let is = |statement: &str| {
        let expected: Vec<_> = statement.split(' ').collect();
        words.get(..expected.len()).is_some_and(|some| some.iter().map(|(_, word)| word).eq(&expected))
    };
    is(ERASES)
        || (path == CARRIED_OVER.0 && CARRIED_OVER.1.into_iter().any(is))
        || CUTS.iter().any(|(module, statement)| path == *module && is(statement))
}

fn harmed_logs(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let code = if file.path.ends_with(".sql") {
            file.text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n")
        } else if file.is_product() {
            file.code()
        } else {
            continue;
        };
        let words = words(&code);
        for index in 0..words.len() {
            let Some((operation, table)) = harm(&words[index..]) else { continue };
            let is_harm = LOGS.iter().any(|(log, never)| *log == table && never.contains(&operation));
            if is_harm && !is_allowed(&file.path, &words[index..]) {
                complaints.push(format!("{} can {operation} rows of {table}", file.path));
            }
        }
    }
    complaints
}

#[test]
fn sql_is_in_the_store_only() {
    expect_silence(&outside_the_store(&files()));
}

#[test]
fn sql_statements_are_never_built_at_run_time() {
    expect_silence(&put_together(&files()));
}

#[test]
fn database_engines_are_known_to_the_driver_only() {
    expect_silence(&outside_the_driver(&files()));
}

#[test]
fn sql_statements_never_change_or_delete_logs() {
    expect_silence(&harmed_logs(&files()));
}

#[test]
fn sql_location_check_finds_sql_outside_the_store() {
    for sql in [
        "SELECT 1",
        "INSERT INTO codes VALUES (?1)",
        "INSERT OR IGNORE INTO codes",
        "UPDATE codes\n    SET spent_at = ?1",
        "UPDATE codes AS c SET x = 1",
        "DELETE FROM codes",
        "CREATE TABLE codes",
    ] {
        let text = format!("const QUERY: &str = \"{sql}\";\n");
        expect_complaint(&outside_the_store(&[sample("crates/sinete-engine/src/a.rs", &text)]), "holds SQL");
        expect_silence(&outside_the_store(&[sample("crates/sinete-store/src/a.rs", &text)]));
    }
    let prose = "// SELECT the key\nfn f() { say(\"Select an UPDATE of your choice, or DELETE it\") }\n";
    expect_silence(&outside_the_store(&[sample("crates/sinete-engine/src/a.rs", prose)]));
}

#[test]
fn sql_building_check_finds_a_composed_statement() {
    let one = |text| put_together(&[sample("crates/sinete-store/src/a.rs", text)]);
    expect_complaint(&one("fn f() { format!(\"DELETE FROM {table}\"); }"), "puts a statement together");
    expect_complaint(&one("fn f() { format!(\n    \"SELECT {columns} FROM codes\"); }"), "SELECT");
    expect_silence(&one("fn f() { format!(\"row {number} of {table}\"); }"));
}

#[test]
fn database_engine_check_finds_a_use_outside_the_driver() {
    for code in ["use rusqlite::Connection;", "fn f(_: tokio_postgres::Client) {}"] {
        expect_complaint(&outside_the_driver(&[sample("crates/sinete-store/src/codes.rs", code)]), "engine");
        expect_silence(&outside_the_driver(&[sample("crates/sinete-store/src/driver/sqlite.rs", code)]));
    }
    expect_silence(&outside_the_driver(&[sample("crates/sinete-store/src/a.rs", "// as rusqlite does\n")]));
}

#[test]
fn log_statement_check_finds_a_harmful_one() {
    for sql in [
        "UPDATE security_log SET kind = ''",
        "UPDATE\n    log_chain SET hash = ?1",
        "DELETE FROM audit WHERE at < ?1",
        "DELETE FROM ONLY log_chain",
        "TRUNCATE TABLE security_log",
        "DROP TABLE IF EXISTS audit",
        "REPLACE INTO log_chain VALUES (?1)",
        "INSERT INTO audit (id) VALUES (?1) ON CONFLICT (id) DO UPDATE SET at = 1",
        "UPDATE security_log SET address = NULL WHERE id = ?1",
        "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL, kind = '' WHERE id = ?1",
        "UPDATE security_log SET salt = NULL, address = NULL, user_agent = ?1 WHERE id = ?2",
        "UPDATE security_log SET salt = p.salt, address = p.address, user_agent = p.user_agent \
         FROM security_log_personal p WHERE p.event_id = security_log.id",
        "DELETE FROM log_head",
        "UPDATE log_segments SET last_position = 9",
        "DELETE FROM log_checkpoint",
        "DELETE FROM log_chain WHERE position > ?1 AND position <= ?2",
        "DELETE FROM audit_horizons",
        "DELETE FROM audit WHERE id IN (SELECT a.id FROM audit a WHERE a.organization_id = ?1 AND a.id < ?2 AND a.at < ?3)",
    ] {
        let code = format!("const S: &str = \"{sql}\";");
        expect_complaint(&harmed_logs(&[sample("crates/sinete-store/src/a.rs", &code)]), "can ");
        expect_complaint(&harmed_logs(&[sample("crates/sinete-store/migrations/9.sql", sql)]), "can ");
    }
    for sql in [
        "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL WHERE id = ?1",
        "INSERT INTO log_head VALUES (1) ON CONFLICT (id) DO UPDATE SET position = ?1",
        "INSERT INTO security_log VALUES (?1)",
        "CREATE TRIGGER audit_no_update BEFORE UPDATE OR DELETE ON audit",
        "SELECT * FROM security_log",
    ] {
        expect_silence(&harmed_logs(&[sample("crates/sinete-store/migrations/9.sql", sql)]));
    }
}
