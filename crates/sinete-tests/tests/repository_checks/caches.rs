//! Every cache states what it holds, what confirms an entry before it is used, and when an entry is dropped.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// What the doc comment of a cache must contain, each on a line of its own.
const STATEMENTS: [&str; 3] = ["/// - Holds: ", "/// - Confirmed by: ", "/// - Dropped: "];

/// The name of the cache that a line defines. A generic type is a building block, and no cache yet.
fn defined_cache(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
    let defined = line.strip_prefix("struct ").or(line.strip_prefix("type "))?;
    let name = &defined[..defined.find(|it: char| !it.is_alphanumeric()).unwrap_or(defined.len())];
    let is_generic = defined[name.len()..].starts_with('<');
    (name.ends_with("Cache") && !is_generic).then_some(name)
}

fn complaints(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product()) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let Some(name) = defined_cache(line) else { continue };
            let above = lines[..index].iter().rev();
            let comment: Vec<&&str> =
                above.take_while(|it| it.starts_with("///") || it.starts_with("#[")).collect();
            for statement in STATEMENTS {
                if !comment.iter().any(|it| it.starts_with(statement)) {
                    complaints.push(format!("{}: {name} does not say `{}`", file.path, statement.trim()));
                }
            }
        }
    }
    complaints
}

#[test]
fn caches_state_what_they_hold_and_what_confirms_and_drops_it() {
    let files = files();
    let product = files.iter().filter(|file| file.is_product());
    let count = product.flat_map(|file| file.text.lines()).filter_map(defined_cache).count();
    assert!(count >= 10, "only {count} caches were found");
    expect_silence(&complaints(&files));
}

#[test]
fn cache_check_finds_a_cache_without_its_statements() {
    let stated =
        "/// Keys.\n///\n/// - Holds: keys.\n/// - Confirmed by: their age.\n/// - Dropped: when full.\n";
    let defined = "#[derive(Default)]\npub(crate) struct KeyCache(Vec<u8>);\n";
    let check = |text: String| complaints(&[sample("crates/sinete/src/keys.rs", &text)]);
    expect_silence(&check(format!("{stated}{defined}")));
    expect_silence(&check("struct BoundedCache<V>(Vec<V>);\n".to_owned()));
    assert_eq!(check(defined.to_owned()).len(), STATEMENTS.len());
    for statement in STATEMENTS {
        let without: String = stated
            .lines()
            .filter(|line| !line.starts_with(statement))
            .map(|line| format!("{line}\n"))
            .collect();
        let expected_text = format!("KeyCache does not say `{}`", statement.trim());
        expect_complaint(&check(format!("{without}{defined}")), &expected_text);
    }
}
