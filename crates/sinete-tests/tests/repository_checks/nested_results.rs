//! No function returns a result within a result: a refusal and a failure are two variants of one error, so that `?` passes both on
//! (docs/contribute/decisions/0252-errors-one-result-type-per-layer.md).

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// Written in two parts, so that the rule does not find itself.
const NESTED: [&str; 2] = [concat!("Ok(", "Err("), concat!("Ok(", "Ok(")];

fn nested_results(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/")) {
        if !file.path.contains("/src/") {
            continue;
        }
        let code = file.code();
        for line in code.lines() {
            if let Some(nested) = NESTED.iter().find(|nested| line.contains(**nested)) {
                complaints.push(format!(
                    "{}: {nested} is a result within a result: {}",
                    file.path,
                    line.trim()
                ));
            }
        }
    }
    complaints
}

#[test]
fn nested_results_are_absent() {
    expect_silence(&nested_results(&files()));
}

#[test]
fn nested_result_check_finds_one() {
    for nested in NESTED {
        let bad = [sample("crates/sinete-bench/src/a.rs", &format!("fn a() {{\n    {nested}b))\n}}\n"))];
        expect_complaint(&nested_results(&bad), "a result within a result");
    }
    let good = [
        sample("crates/sinete-engine/src/a.rs", "fn a() {\n    // Ok(Err(b))\n    Err(b.into())\n}\n"),
        sample("crates/sinete-engine/tests/a.rs", &format!("fn a() {{\n    {}b))\n}}\n", NESTED[0])),
    ];
    expect_silence(&nested_results(&good));
}
