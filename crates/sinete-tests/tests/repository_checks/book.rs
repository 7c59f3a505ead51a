//! The documents are one book: `docs/SUMMARY.md` lists every page once and in six parts, a page has one title, its diagrams are of a
//! kind that mermaid draws, and the words a reader searches for are in the title or a heading of the page that explains them. That
//! links and anchors resolve is checked with all other links.

use super::markdown::{fenced_as, links, prose};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

const FOLDER: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";
const PARTS: [&str; 6] = ["Start", "Guides", "Protocols", "Operate", "Reference", "Contribute"];
const DIAGRAMS: [&str; 5] = ["sequenceDiagram", "flowchart ", "stateDiagram-v2", "erDiagram", "classDiagram"];

/// What readers search for, and the page that must have it in its title or in a heading.
const SEARCHED: &[(&str, &str)] = &[
    ("rate limit", "docs/operate/rate-limiting-and-lockout.md"),
    ("audit log", "docs/operate/security-log.md"),
    ("dynamic client registration", "docs/protocols/dynamic-client-registration.md"),
    ("token introspection", "docs/protocols/introspection.md"),
    ("gdpr", "docs/operate/gdpr.md"),
    ("multi-tenancy", "docs/guides/b2b-organization.md"),
];

/// Words of docs/contribute/terminology.md that no page needs.
const AVOIDED: [&str; 4] = ["whoever", "mend", "mended", "comes to nothing"];
/// Pages whose text is that of the program, and the one that lists the words.
const QUOTING: [&str; 4] = [
    "docs/reference/commands.md",
    "docs/reference/configuration.md",
    "docs/reference/errors.md",
    "docs/contribute/terminology.md",
];

fn pages(files: &[File]) -> impl Iterator<Item = &File> {
    files
        .iter()
        .filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".md") && file.path != SUMMARY)
}

fn unlisted(files: &[File]) -> Vec<String> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        return vec![format!("{SUMMARY} is missing")];
    };
    let link_targets: Vec<String> = links(&summary.text).into_iter().map(|link| link.target).collect();
    let mut complaints = Vec::new();
    for page in pages(files) {
        let target = &page.path[FOLDER.len()..];
        let times = link_targets.iter().filter(|link_target| *link_target == target).count();
        if times != 1 {
            let line = format!("- [{}]({target})", title(page).unwrap_or("…"));
            complaints.push(format!("{SUMMARY} lists {target} {times} times; it needs one line: {line}"));
        }
    }
    let parts: Vec<&str> = summary.text.lines().skip(1).filter_map(|line| line.strip_prefix("# ")).collect();
    if parts != PARTS {
        complaints.push(format!("{SUMMARY} has the parts {parts:?}, not {PARTS:?}"));
    }
    complaints
}

fn title(page: &File) -> Option<&str> {
    page.text.lines().next()?.strip_prefix("# ")
}

fn headings(page: &File) -> impl Iterator<Item = &str> {
    prose(&page.text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim())
}

fn poor_pages(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for page in pages(files) {
        if title(page).is_none() {
            complaints.push(format!("{}: the first line is no title", page.path));
        }
        let titles = prose(&page.text).filter(|line| line.starts_with("# ")).count();
        if titles > 1 {
            complaints.push(format!("{} has {titles} titles", page.path));
        }
        for diagram in fenced_as(&page.text, "mermaid") {
            if !DIAGRAMS.iter().any(|kind| diagram.starts_with(kind)) {
                complaints.push(format!("{}: a diagram begins with none of {DIAGRAMS:?}", page.path));
            }
        }
        if page.text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 != 0 {
            complaints.push(format!("{}: a fenced block is not closed", page.path));
        }
    }
    complaints
}

fn not_found_by_search(files: &[File]) -> Vec<String> {
    SEARCHED
        .iter()
        .filter(|(words, path)| {
            let page = files.iter().find(|file| file.path == *path);
            !page.is_some_and(|page| headings(page).any(|it| it.to_lowercase().contains(words)))
        })
        .map(|(words, path)| format!("{path} has no heading with the words {words:?}"))
        .collect()
}

/// Whether the line contains these words as whole words.
fn says(line: &str, words: &str) -> bool {
    let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    line.match_indices(words).any(|(index, _)| {
        !is_letter(line[..index].chars().next_back())
            && !is_letter(line[index + words.len()..].chars().next())
    })
}

/// Complaints about avoided words. Rows of routes repeat texts of the server, and decision records have their own
/// check.
fn avoided_words(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    let is_checked = |page: &&File| {
        !QUOTING.contains(&page.path.as_str()) && !page.path.starts_with("docs/contribute/decisions/")
    };
    for page in pages(files).filter(is_checked) {
        for line in prose(&page.text).filter(|line| !line.starts_with("| `")).map(str::to_lowercase) {
            for words in AVOIDED.iter().filter(|words| says(&line, words)) {
                complaints
                    .push(format!("{} contains {words:?}: see docs/contribute/terminology.md", page.path));
            }
        }
    }
    complaints
}

#[test]
fn book_pages_use_the_words_of_the_terminology() {
    expect_silence(&avoided_words(&files()));
}

#[test]
fn book_summary_lists_every_page_once() {
    let files = files();
    assert!(pages(&files).count() > 200, "the pages were not found");
    expect_silence(&unlisted(&files));
}

#[test]
fn book_pages_have_a_title_and_diagrams_that_can_be_drawn() {
    expect_silence(&poor_pages(&files()));
}

#[test]
fn book_search_words_are_in_the_heading_of_the_right_page() {
    expect_silence(&not_found_by_search(&files()));
}

#[test]
fn book_check_finds_unlisted_and_poor_pages() {
    let parts = PARTS.map(|part| format!("# {part}\n")).concat();
    let summary = |lines: &str| sample(SUMMARY, &format!("# Summary\n{parts}{lines}"));
    let page = |text: &str| sample("docs/start/a.md", text);
    expect_silence(&unlisted(&[summary("- [A](start/a.md)\n"), page("# A\n")]));
    expect_complaint(&unlisted(&[summary(""), page("# A\n")]), "- [A](start/a.md)");
    expect_complaint(&unlisted(&[sample(SUMMARY, "# Summary\n# Start\n")]), "has the parts");
    expect_complaint(&unlisted(&[page("# A\n")]), "is missing");

    expect_silence(&poor_pages(&[page("# A\n\n```mermaid\nflowchart LR\n  a --> b\n```\n")]));
    expect_complaint(&poor_pages(&[page("A\n")]), "no title");
    expect_complaint(&poor_pages(&[page("# A\n# B\n")]), "2 titles");
    expect_complaint(&poor_pages(&[page("# A\n```mermaid\ngraph\n```\n")]), "begins with none");
    expect_complaint(&poor_pages(&[page("# A\n```sh\nls\n")]), "not closed");

    expect_silence(&avoided_words(&[page("# A\n\nRecommended.\n| `GET /a` | Whoever |\n")]));
    expect_complaint(&avoided_words(&[page("# A\n\nWhoever asks.\n")]), "whoever");
    expect_complaint(&avoided_words(&[page("# A\n\nThat comes to nothing.\n")]), "comes to nothing");

    let (words, path) = SEARCHED[0];
    let others = SEARCHED[1..].iter().map(|(words, path)| sample(path, &format!("# {words}\n")));
    let with = |text: String| others.clone().chain([sample(path, &text)]).collect::<Vec<_>>();
    expect_silence(&not_found_by_search(&with(format!("# Limits\n\n## The {words}s\n"))));
    expect_complaint(&not_found_by_search(&with("# Limits\n".to_owned())), words);
}
