//! Every link in every document works. If the text of a link is a name in code quotes and its target is a source file,
//! the file must define that name, so that a renamed test or function is noticed wherever it is cited.

use super::markdown::{Link, anchors, links};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

const DEFINITIONS: [&str; 9] =
    ["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type ", "mod ", "macro_rules! "];

/// Whether the source defines the name.
fn defines(source: &str, name: &str) -> bool {
    DEFINITIONS.iter().any(|keyword| {
        let definition = format!("{keyword}{name}");
        source.match_indices(&definition).any(|(index, _)| {
            let next = source[index + definition.len()..].chars().next();
            !next.is_some_and(|character| character.is_alphanumeric() || character == '_')
        })
    })
}

/// The name that a link cites, if its text is one: the last part of `Store::commit` or `serve()`.
pub fn cited(link: &Link) -> Option<&str> {
    let path = link.text.strip_prefix('`')?.strip_suffix('`')?.trim_end_matches("()");
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_')
    };
    let is_source = link.target.split('#').next().is_some_and(|path| path.ends_with(".rs"));
    path.rsplit("::").next().filter(|name| is_name(name) && is_source)
}

/// The target of a relative link as a path from the root; `None` if it is outside the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn problem(files: &[File], from: &File, link: &Link) -> Option<String> {
    if link.target.contains("://") || link.target.starts_with("mailto:") {
        return None;
    }
    let (target, anchor) =
        link.target.split_once('#').map_or((link.target.as_str(), None), |(t, a)| (t, Some(a)));
    let path = if target.is_empty() { Some(from.path.clone()) } else { resolve(&from.path, target) };
    let complaint = |reason: &str| Some(format!("{}: the link to {} {reason}", from.path, link.target));
    let Some(path) = path else { return complaint("leaves the project") };
    let Some(target_file) = files.iter().find(|file| file.path == path) else {
        let is_folder =
            path.is_empty() || files.iter().any(|file| file.path.starts_with(&format!("{path}/")));
        return if is_folder { None } else { complaint("has no target") };
    };
    match anchor {
        Some(_) if target_file.is_rust() => return complaint("counts lines, which move"),
        Some(anchor) if !anchors(&target_file.text).iter().any(|heading_anchor| heading_anchor == anchor) => {
            return complaint("names no heading");
        }
        _ => {}
    }
    match cited(link) {
        Some(name) if !defines(&target_file.text, name) => {
            complaint(&format!("cites {name}, which is not there"))
        }
        _ => None,
    }
}

fn dead_links(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.ends_with(".md"))
        .flat_map(|file| links(&file.text).into_iter().filter_map(move |link| problem(files, file, &link)))
        .collect()
}

#[test]
fn document_links_resolve_and_find_what_they_cite() {
    expect_silence(&dead_links(&files()));
}

#[test]
fn document_link_check_finds_a_dead_link() {
    let check_link = |link: &str| {
        dead_links(&[
            sample("docs/a.md", link),
            sample("docs/decisions/README.md", "# All of them\n"),
            sample("crates/sinete/src/boot.rs", "pub async fn refuse() {}\npub struct Blocker;\n"),
            sample("README.md", ""),
        ])
    };
    for fine in [
        "[a](decisions/README.md#all-of-them)",
        "[a](decisions/)",
        "[a](../README.md)",
        "[a](https://example.org/x.md)",
        "[`boot::refuse`](../crates/sinete/src/boot.rs) [`Blocker`](../crates/sinete/src/boot.rs)",
        "[`boot.rs`](../crates/sinete/src/boot.rs)",
    ] {
        expect_silence(&check_link(fine));
    }
    expect_complaint(&check_link("[a](b.md)"), "has no target");
    expect_complaint(&check_link("[a](../../b.md)"), "leaves the project");
    expect_complaint(&check_link("[a](decisions/README.md#none)"), "names no heading");
    expect_complaint(&check_link("[a](../crates/sinete/src/boot.rs#L1)"), "counts lines");
    expect_complaint(&check_link("[`refuse_all`](../crates/sinete/src/boot.rs)"), "cites refuse_all");
    expect_complaint(&check_link("[`ref`](../crates/sinete/src/boot.rs)"), "cites ref");
}
