//! A test keeps its database in a variable. A database that is only borrowed from an expression is dropped at the end of the
//! statement: on PostgreSQL another test may then take it and empty it.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// Written in two parts, so that the rule does not find itself.
const BORROWED: &str = concat!("&", "Database::");

fn borrowed_databases(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/")) {
        let code = file.code();
        for line in code.lines() {
            // A variant begins with a capital letter: naming one creates no database.
            let is_created = |rest: &str| rest.starts_with(|first: char| first.is_ascii_lowercase());
            if line.split(BORROWED).skip(1).any(is_created) {
                complaints.push(format!(
                    "{}: keep the database in a variable until the end of the test: {}",
                    file.path,
                    line.trim()
                ));
            }
        }
    }
    complaints
}

#[test]
fn test_databases_are_kept_until_the_end() {
    expect_silence(&borrowed_databases(&files()));
}

#[test]
fn test_database_check_finds_a_borrowed_one() {
    let bad = format!("async fn a() {{\n    let store = open({BORROWED}postgres().await).await;\n}}\n");
    expect_complaint(&borrowed_databases(&[sample("crates/sinete-store/tests/a.rs", &bad)]), "in a variable");
    let good = format!(
        "async fn a() {{\n    let database = Database::postgres().await;\n    open(&database).await;\n    \
         // open({BORROWED}postgres().await)\n    is({BORROWED}Sqlite(folder));\n}}\n"
    );
    expect_silence(&borrowed_databases(&[sample("crates/sinete-store/tests/a.rs", &good)]));
}
