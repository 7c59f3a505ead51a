//! Texts that no file may contain: marks of unfinished work, private paths, and references that a reader cannot look
//! up.

use super::source_tree::{File, files, root, sample};
use super::{expect_complaint, expect_silence};
use std::collections::BTreeSet;

/// The maximum number of lines of a source file. A longer one has two subjects.
const LINES_MAX: usize = 400;

/// Written in two parts, so that the rule does not match this file.
const UNFINISHED: [&str; 7] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("#[ig", "nore"),
    concat!("assert!(tr", "ue)"),
];
const HOME_FOLDERS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("C:\\Us", "ers\\")];
const TRAILERS: [&str; 3] =
    [concat!("co-auth", "ored-by"), concat!("generated w", "ith"), concat!("signed-o", "ff-by")];

fn written_by_us(files: &[File]) -> impl Iterator<Item = &File> {
    files
        .iter()
        .filter(|file| !matches!(file.path.as_str(), "Cargo.lock" | "LICENSE"))
        .filter(|file| !(file.path.starts_with("clients/") && file.path.ends_with("/LICENSE")))
}

fn unfinished(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in written_by_us(files) {
        for mark in UNFINISHED.iter().filter(|mark| file.text.contains(**mark)) {
            complaints.push(format!("{} contains {mark}", file.path));
        }
    }
    complaints
}

/// Paths in a home directory. `checkout` is the folder of this clone.
fn private_paths(files: &[File], checkout: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in written_by_us(files) {
        for folder in HOME_FOLDERS.into_iter().chain([checkout]) {
            // After a letter, it is the middle of another path.
            let starts_there = file.text.match_indices(folder).any(|(index, _)| {
                !file.text[..index].ends_with(|before: char| before.is_alphanumeric() || before == '.')
            });
            if starts_there {
                complaints.push(format!("{} names a folder of one machine: {folder}", file.path));
            }
        }
    }
    complaints
}

/// A document that is mentioned anywhere must be in the repository.
fn missing_documents(files: &[File]) -> Vec<String> {
    let is_part = |character: char| character.is_alphanumeric() || "-_./".contains(character);
    let mut complaints = Vec::new();
    // The checks of documents contain made-up samples.
    for file in written_by_us(files)
        .filter(|file| !file.path.starts_with("crates/sinete-tests/tests/repository_checks/"))
    {
        let document_names: BTreeSet<&str> = file
            .text
            .split(|character| !is_part(character))
            .map(|word| word.trim_end_matches(['.', '/']))
            .filter(|word| word.ends_with(".md") && word.len() > 3)
            .collect();
        for name in document_names {
            let tail = name.trim_start_matches(['.', '/']);
            let is_there = |other: &File| other.path == tail || other.path.ends_with(&format!("/{tail}"));
            if !files.iter().any(is_there) {
                complaints.push(format!("{} names {name}, which is not in the project", file.path));
            }
        }
    }
    complaints
}

/// The reason for a line is next to it or in a decision record; an issue number explains nothing.
fn private_references(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in written_by_us(files) {
        let text = file.text.to_lowercase();
        let numbered = text.match_indices("issue ").any(|(index, word)| {
            let number = text[index + word.len()..].trim_start_matches('#');
            let after = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
            number.len() > after.len() && !after.starts_with('-')
        });
        if numbered {
            complaints.push(format!("{} cites a numbered ticket", file.path));
        }
        for trailer in TRAILERS.iter().filter(|trailer| text.contains(**trailer)) {
            complaints.push(format!("{} contains {trailer:?}", file.path));
        }
    }
    complaints
}

fn too_long(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.is_rust() && file.text.lines().count() > LINES_MAX)
        .map(|file| format!("{} has {} lines, more than {LINES_MAX}", file.path, file.text.lines().count()))
        .collect()
}

#[test]
fn unfinished_work_markers_are_absent() {
    expect_silence(&unfinished(&files()));
}

#[test]
fn private_paths_are_absent() {
    expect_silence(&private_paths(&files(), &format!("{}/", root().to_str().unwrap())));
}

#[test]
fn referenced_documents_exist() {
    expect_silence(&missing_documents(&files()));
}

#[test]
fn private_references_are_absent() {
    expect_silence(&private_references(&files()));
}

#[test]
fn source_files_are_within_the_line_limit() {
    expect_silence(&too_long(&files()));
}

#[test]
fn unfinished_work_check_finds_a_marker() {
    for mark in UNFINISHED {
        let text = format!("fn f() {{ {mark} }}\n");
        expect_complaint(&unfinished(&[sample("crates/sinete/src/a.rs", &text)]), mark);
    }
    expect_silence(&unfinished(&[sample("README.md", "What to do next")]));
}

#[test]
fn private_path_check_finds_one() {
    for folder in HOME_FOLDERS.into_iter().chain(["/build/sinete/"]) {
        let text = format!("see {folder}notes");
        expect_complaint(&private_paths(&[sample("docs/a.md", &text)], "/build/sinete/"), folder);
    }
    let address = format!("https://example.org{}page", HOME_FOLDERS[0]);
    expect_silence(&private_paths(&[sample("docs/a.md", &address)], "/build/sinete/"));
}

#[test]
fn referenced_document_check_finds_a_missing_one() {
    let readme = sample("docs/plan.md", "");
    let source = |text: &str| sample("crates/sinete/src/a.rs", text);
    let check_text = |text: &str| missing_documents(&[readme.clone(), source(text)]);
    expect_silence(&check_text("// See docs/plan.md, plan.md and ../plan.md."));
    expect_complaint(&check_text("// As plot.md says"), "plot.md");
    expect_complaint(&check_text("// See Plan.md"), "Plan.md");
    expect_complaint(&check_text("// See other/plan.md"), "other/plan.md");
}

#[test]
fn private_reference_check_finds_one() {
    let check_text = |text: &str| private_references(&[sample("docs/a.md", text)]);
    expect_complaint(&check_text(concat!("because of Iss", "ue #12")), "ticket");
    expect_complaint(&check_text(concat!("(iss", "ue 7)")), "ticket");
    expect_complaint(&check_text(&format!("{}: somebody", TRAILERS[0])), TRAILERS[0]);
    expect_silence(&check_text("we issue 256-bit secrets"));
}

#[test]
fn line_limit_check_finds_a_long_file() {
    let of = |lines: usize| too_long(&[sample("crates/sinete/src/a.rs", &"x\n".repeat(lines))]);
    expect_silence(&of(LINES_MAX));
    expect_complaint(&of(LINES_MAX + 1), "401 lines");
}
