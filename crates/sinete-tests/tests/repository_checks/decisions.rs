//! Every decision record is in the index and the index lists no other; each record has its context, the decision, the
//! consequences and the test that shows it.

use super::links::cited;
use super::markdown::{links, section};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

const FOLDER: &str = "docs/contribute/decisions/";
const PARTS: [&str; 4] = ["Context", "Decision", "Consequence", "Shown by"];

fn untidy(files: &[File]) -> Vec<String> {
    let index = files.iter().find(|file| file.path == "docs/contribute/decisions/README.md");
    let link_targets: Vec<String> = index
        .map(|index| links(&index.text))
        .unwrap_or_default()
        .into_iter()
        .map(|link| link.target)
        .collect();
    let records: Vec<&File> = files
        .iter()
        .filter(|file| file.path.starts_with(FOLDER) && !file.path.ends_with("/README.md"))
        .collect();
    let mut complaints = Vec::new();
    let mut numbers = Vec::new();
    for record in &records {
        let name = &record.path[FOLDER.len()..];
        let number = name.get(..4).filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
        match number {
            Some(number) if record.text.starts_with(&format!("# {number}: ")) => numbers.push(number),
            _ => complaints.push(format!("{name}: the name and the title begin with the same four digits")),
        }
        match link_targets.iter().filter(|target| *target == name).count() {
            1 => {}
            times => complaints.push(format!("{name} is in the index {times} times")),
        }
        for part in PARTS.iter().filter(|part| section(&record.text, part).trim().is_empty()) {
            complaints.push(format!("{name} has no part {part:?}"));
        }
        let evidence = section(&record.text, "Shown by");
        if !evidence.trim().is_empty() && !links(evidence).iter().any(|link| cited(link).is_some()) {
            complaints.push(format!("{name} names no test that shows it"));
        }
    }
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() != count {
        complaints.push("two decisions share a number".to_owned());
    }
    complaints
}

#[test]
fn decision_records_are_indexed_and_complete() {
    let files = files();
    assert!(files.iter().filter(|file| file.path.starts_with(FOLDER)).count() > 8, "no decisions found");
    expect_silence(&untidy(&files));
}

#[test]
fn decision_record_check_finds_an_incomplete_one() {
    let complete_record = "# 0001: A\n\n## Context\nx\n\n## Decision\nx\n\n## Consequence\nx\n\n## Shown by\n[`t`](../../a.rs)\n";
    let index = sample("docs/contribute/decisions/README.md", "[0001](0001-a.md)");
    let check_record = |record: File| untidy(&[index.clone(), record]);
    expect_silence(&check_record(sample("docs/contribute/decisions/0001-a.md", complete_record)));
    expect_complaint(
        &check_record(sample(
            "docs/contribute/decisions/0001-a.md",
            &complete_record.replace("# 0001", "# 1"),
        )),
        "four digits",
    );
    expect_complaint(
        &check_record(sample("docs/contribute/decisions/0001-b.md", complete_record)),
        "0001-b.md is in the index 0 times",
    );
    for part in PARTS {
        let incomplete_record = complete_record.replace(&format!("## {part}\n"), "## Other\n");
        expect_complaint(
            &check_record(sample("docs/contribute/decisions/0001-a.md", &incomplete_record)),
            part,
        );
    }
    let unshown = complete_record.replace("[`t`](../../a.rs)", "Trust us.");
    expect_complaint(&check_record(sample("docs/contribute/decisions/0001-a.md", &unshown)), "no test");
    let both = sample("docs/contribute/decisions/README.md", "[0001](0001-a.md) [0001](0001-b.md)");
    let twins =
        ["a", "b"].map(|name| sample(&format!("docs/contribute/decisions/0001-{name}.md"), complete_record));
    let complaints = untidy(&[&[both], &twins[..]].concat());
    expect_complaint(&complaints, "share a number");
}
