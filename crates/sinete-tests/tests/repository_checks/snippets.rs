//! Snippets of the documents are valid: JSON is JSON, TOML is TOML, and what `sinete apply` takes is parsed by the code that parses it
//! there.

use super::markdown::fenced_as;
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use serde_json::Value;
use sinete_core::administration::declarative::DeclarativeConfig;

/// The members of a declarative document; a snippet with no others is one.
const DECLARATIVE: [&str; 4] = ["organizations", "apis", "clients", "webhooks"];

fn invalid_json(snippet: &str) -> Option<String> {
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    let is_valid = is_json(snippet) || snippet.lines().filter(|line| !line.trim().is_empty()).all(is_json);
    (!is_valid).then(|| "is no JSON, neither as a whole nor line by line".to_owned())
}

fn invalid_toml(snippet: &str) -> Option<String> {
    let table: toml::Table = match snippet.parse() {
        Ok(table) => table,
        Err(error) => return Some(format!("is no TOML: {}", error.message())),
    };
    if table.is_empty() || !table.keys().all(|key| DECLARATIVE.contains(&key.as_str())) {
        return None;
    }
    let document = serde_json::to_value(&table).unwrap();
    let errors = DeclarativeConfig::parse(&document).err()?;
    Some(format!("cannot be applied: {errors:?}"))
}

fn invalid_snippets(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for page in files.iter().filter(|file| file.path.ends_with(".md")) {
        let json = fenced_as(&page.text, "json").into_iter().filter_map(|it| Some((invalid_json(&it)?, it)));
        let toml = fenced_as(&page.text, "toml").into_iter().filter_map(|it| Some((invalid_toml(&it)?, it)));
        for (reason, snippet) in json.chain(toml) {
            let first = snippet.lines().next().unwrap_or_default();
            complaints.push(format!("{}: the snippet that begins with {first:?} {reason}", page.path));
        }
    }
    complaints
}

#[test]
fn document_snippets_are_valid() {
    expect_silence(&invalid_snippets(&files()));
}

#[test]
fn document_snippet_check_finds_an_invalid_one() {
    let check_snippet = |language: &str, text: &str| {
        invalid_snippets(&[sample("docs/a.md", &format!("# A\n```{language}\n{text}\n```\n"))])
    };
    for (language, fine) in [
        ("json", "{\"a\": \"…\"}"),
        ("json", "{\"a\": 1}\n{\"a\": 2}"),
        ("toml", "base_url = \"https://id.example.com\""),
        ("toml", "[organizations.acme]\nname = \"Acme\""),
        ("text", "{"),
    ] {
        expect_silence(&check_snippet(language, fine));
    }
    expect_complaint(&check_snippet("json", "{\"a\": …}"), "no JSON");
    expect_complaint(&check_snippet("toml", "a ="), "no TOML");
    expect_complaint(&check_snippet("toml", "[organizations.acme]\nnom = \"Acme\""), "cannot be applied");
}
