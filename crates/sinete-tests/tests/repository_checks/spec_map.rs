//! The map of the specification is true: a test shows everything that it does not call open. Whether its links work and
//! its tests exist is checked with all other links.

use super::links::cited;
use super::markdown::{cells, links};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

fn rows(map: &str) -> Vec<Vec<&str>> {
    map.lines().filter_map(cells).filter(|row| row.first() != Some(&"Requirement")).collect()
}

fn unproven(map: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for row in rows(&map.text) {
        let [requirement, lives, evidence] = row[..] else {
            complaints.push(format!("a row has {} cells instead of three: {}", row.len(), row[0]));
            continue;
        };
        let is_open = evidence == "open";
        let has_test = links(evidence).iter().any(|link| cited(link).is_some());
        if !is_open && !has_test {
            complaints.push(format!("{requirement:?} is neither open nor shown by a test"));
        }
        if !is_open && links(lives).is_empty() {
            complaints.push(format!("{requirement:?} has a test and names no code"));
        }
    }
    complaints
}

#[test]
fn spec_map_entries_have_a_test_or_are_open() {
    let files = files();
    let map = files.iter().find(|file| file.path == "docs/contribute/spec-map.md").unwrap();
    assert!(rows(&map.text).len() > 50, "the map was not read");
    expect_silence(&unproven(map));
}

#[test]
fn spec_map_check_finds_a_claim_without_a_test() {
    let check_row = |row: &str| {
        unproven(&sample(
            "docs/contribute/spec-map.md",
            &format!("| Requirement | Implemented in | Tested by |\n|---|---|---|\n{row}\n"),
        ))
    };
    expect_silence(&check_row("| a | – | open |"));
    expect_silence(&check_row("| a | [b](b.rs) | [`t`](t.rs); open: c |"));
    expect_complaint(&check_row("| a | [b](b.rs) | it works |"), "neither open nor shown");
    expect_complaint(&check_row("| a | [b](b.rs) | open, mostly |"), "neither open nor shown");
    expect_complaint(&check_row("| a | – | [`t`](t.rs) |"), "names no code");
    expect_complaint(&check_row("| a | open |"), "2 cells");
}
