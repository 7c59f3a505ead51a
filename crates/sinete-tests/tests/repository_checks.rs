//! Repository checks: rules that no compiler enforces. Each rule is a function that is given text and returns complaints;
//! one test gives it the whole tree and expects silence, another gives it a bad sample and expects a
//! complaint, so that a rule cannot go blind unnoticed.

mod assurance;
mod asvs;
mod book;
mod build_profiles;
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
mod names;
mod operations;
mod outbound;
mod reference_pages;
mod snippets;
mod source_tree;
mod spec_map;
mod sql_statements;
mod trust_writes;
mod wording;

/// Fails with every complaint at once, one to a line.
fn expect_silence(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Expects exactly one complaint, about the right thing.
fn expect_complaint(complaints: &[String], about: &str) {
    assert!(
        matches!(complaints, [only] if only.contains(about)),
        "expected one complaint about {about:?}, heard {complaints:?}"
    );
}
