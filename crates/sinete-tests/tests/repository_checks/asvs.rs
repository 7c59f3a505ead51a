//! The page about the OWASP ASVS is complete: every requirement of the chapters that apply has a line with the right
//! level; a line of level 1 names a test, a line of level 2 a test or a section of a document. Whether the links work
//! is checked with all other links.

use super::links::cited;
use super::markdown::{cells, links};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

const PAGE: &str = "docs/reference/asvs.md";

/// The requirements of version 5.0.0 at level 1, by chapter and section.
const LEVEL_ONE: &[(&str, &[u32])] = &[
    ("6.1", &[1]),
    ("6.2", &[1, 2, 3, 4, 5, 6, 7, 8]),
    ("6.3", &[1, 2]),
    ("6.4", &[1, 2]),
    ("7.2", &[1, 2, 3, 4]),
    ("7.4", &[1, 2]),
    ("10.4", &[1, 2, 3, 4, 5]),
];

/// Those at level 2.
const LEVEL_TWO: &[(&str, &[u32])] = &[
    ("6.1", &[2, 3]),
    ("6.2", &[9, 10, 11, 12]),
    ("6.3", &[3, 4]),
    ("6.4", &[3, 4]),
    ("6.5", &[1, 2, 3, 4, 5]),
    ("6.6", &[1, 2, 3]),
    ("6.8", &[1, 2, 3, 4]),
    ("7.1", &[1, 2, 3]),
    ("7.3", &[1, 2]),
    ("7.4", &[3, 4, 5]),
    ("7.5", &[1, 2]),
    ("7.6", &[1, 2]),
    ("10.1", &[1, 2]),
    ("10.2", &[1, 2]),
    ("10.3", &[1, 2, 3, 4]),
    ("10.4", &[6, 7, 8, 9, 10, 11]),
    ("10.5", &[1, 2, 3, 4, 5]),
    ("10.6", &[1, 2]),
    ("10.7", &[1, 2, 3]),
];

fn required() -> Vec<(String, &'static str)> {
    let of = |list: &[(&str, &[u32])], level: &'static str| -> Vec<_> {
        let each = |(section, numbers): &(&str, &[u32])| -> Vec<_> {
            numbers.iter().map(|number| (format!("{section}.{number}"), level)).collect()
        };
        list.iter().flat_map(each).collect()
    };
    [of(LEVEL_ONE, "1"), of(LEVEL_TWO, "2")].concat()
}

fn incomplete(page: &File, required: &[(String, &str)]) -> Vec<String> {
    let rows: Vec<_> = page.text.lines().filter_map(cells).filter(|row| row.first() != Some(&"Id")).collect();
    let mut complaints = Vec::new();
    for row in rows.iter().filter(|row| row.len() != 5) {
        complaints.push(format!("a row has {} cells instead of five: {}", row.len(), row[0]));
    }
    for (id, level) in required {
        let matching_rows: Vec<_> = rows.iter().filter(|row| row.len() == 5 && row[0] == id).collect();
        let [row] = matching_rows[..] else {
            complaints.push(format!("{id} has {} lines", matching_rows.len()));
            continue;
        };
        let evidence_links = links(row[4]);
        let has_test = evidence_links.iter().any(|link| cited(link).is_some());
        let has_section = evidence_links
            .iter()
            .any(|link| link.target.split_once(".md#").is_some_and(|(_, anchor)| !anchor.is_empty()));
        if row[1] != *level {
            complaints.push(format!("{id} is of level {level}, not {}", row[1]));
        } else if *level == "1" && !has_test {
            complaints.push(format!("{id} is of level 1 and names no test"));
        } else if !has_test && !has_section {
            complaints.push(format!("{id} names neither a test nor the section of a document"));
        }
    }
    for row in rows.iter().filter(|row| !required.iter().any(|(id, _)| row[0] == id)) {
        complaints.push(format!("{} is not a requirement of the chapters that apply", row[0]));
    }
    complaints
}

#[test]
fn asvs_document_has_evidence_for_every_requirement() {
    let files = files();
    let page = files.iter().find(|file| file.path == PAGE).unwrap();
    let required = required();
    assert_eq!(required.len(), 82, "the lists are incomplete");
    expect_silence(&incomplete(page, &required));
}

#[test]
fn asvs_document_check_finds_a_requirement_without_evidence() {
    let check_row = |row: &str, level: &'static str| {
        let page = format!("| Id | Level | Asked | Where | Shown |\n|---|---|---|---|---|\n{row}\n");
        incomplete(&sample(PAGE, &page), &[("6.2.1".to_owned(), level)])
    };
    expect_silence(&check_row("| 6.2.1 | 1 | a | – | [`t`](t.rs) |", "1"));
    expect_silence(&check_row("| 6.2.1 | 2 | a | – | [s](flows.md#passwords) |", "2"));
    expect_complaint(&check_row("| 6.2.1 | 1 | a | – | [s](flows.md#passwords) |", "1"), "names no test");
    expect_complaint(&check_row("| 6.2.1 | 2 | a | – | it works |", "2"), "neither a test nor the section");
    expect_complaint(
        &check_row("| 6.2.1 | 2 | a | – | [s](flows.md) |", "2"),
        "neither a test nor the section",
    );
    expect_complaint(&check_row("| 6.2.1 | 2 | a | – | [`t`](t.rs) |", "1"), "of level 1");
    expect_complaint(&check_row("| 6.2.1 | 1 | a | [`t`](t.rs) |", "1").split_off(1), "has 0 lines");
    let twice = "| 6.2.1 | 1 | a | – | [`t`](t.rs) |\n| 9.9.9 | 1 | a | – | [`t`](t.rs) |";
    expect_complaint(&check_row(twice, "1"), "not a requirement");
}
