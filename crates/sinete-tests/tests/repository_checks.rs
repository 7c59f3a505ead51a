//! Repository checks: rules that the compiler does not enforce. Each rule is a function from text to complaints. One
//! test runs it on the whole tree and expects none; another runs it on a bad sample and expects one, so that a rule
//! that finds nothing at all is noticed.

mod assurance;
mod asvs;
mod book;
mod build_profiles;
mod caches;
mod conformance;
mod dashboards;
mod decision_titles;
mod decisions;
mod dependencies;
mod documented_lists;
mod documents;
mod layers;
mod links;
mod markdown;
mod migrations;
mod module_cycles;
mod names;
mod nested_results;
mod operations;
mod outbound;
mod permission_literals;
mod recipes;
mod reference_pages;
mod rust_paths;
mod snippets;
mod source_tree;
mod spec_map;
mod sql_statements;
mod test_databases;
mod trust_writes;
mod tuple_parameters;
mod wording;

/// Fails with every complaint, one to a line.
fn expect_silence(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Expects exactly one complaint that contains this text.
fn expect_complaint(complaints: &[String], expected_text: &str) {
    assert!(
        matches!(complaints, [only] if only.contains(expected_text)),
        "expected one complaint about {expected_text:?}, got {complaints:?}"
    );
}
