//! The commands in the documents exist, and the change log has a section for the next change.

use super::markdown::{code_spans, fenced, prose, section};
use super::source_tree::{File, files, root, sample};
use super::{expect_complaint, expect_silence};

/// The reference of all commands. The program prints it, and a test of the program compares it.
const REFERENCE: &str = "docs/reference/commands.md";
/// Pages that the program prints with a command which the reference leaves out.
const PRINTED: [&str; 2] = [REFERENCE, "docs/reference/errors.md"];

/// The complaint about a command line whose program or subcommand does not exist.
fn cannot_be_typed(files: &[File], line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("$ ");
    let mut words = line.split_whitespace().skip_while(|word| word.contains('='));
    let command = words.next()?;
    if let Some(path) = command.strip_prefix("./").or_else(|| command.starts_with(".ci/").then_some(command))
    {
        let exists = files.iter().any(|file| file.path == path && file.text.starts_with("#!"));
        return (!exists && path.contains('/')).then(|| format!("{command} is not a script of this project"));
    }
    let arguments: Vec<&str> = words.collect();
    match command {
        "sinete" => unknown_command(files, &arguments),
        "cargo" => {
            let index = arguments.iter().position(|word| matches!(*word, "-p" | "--package"))?;
            let package = arguments.get(index + 1)?;
            let name_line = format!("name = \"{package}\"");
            let exists = files.iter().any(|file| {
                file.path.ends_with("Cargo.toml") && file.text.lines().any(|line| line == name_line)
            });
            (!exists).then(|| format!("there is no crate {package}"))
        }
        _ => None,
    }
}

/// The complaint about a subcommand that the reference does not have, with its parents: `log`, `log verify`.
fn unknown_command(files: &[File], arguments: &[&str]) -> Option<String> {
    let reference = files.iter().find(|file| file.path == REFERENCE)?;
    let is_word = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let mut path = String::from("sinete");
    for word in arguments.iter().take_while(|word| !word.starts_with('-')).take_while(is_word) {
        // What follows a command without subcommands is an argument.
        if path != "sinete" && !reference.text.contains(&format!("\n## `{path} ")) {
            break;
        }
        path = format!("{path} {word}");
        if !reference.text.contains(&format!("\n## `{path}`\n")) {
            return Some(format!("there is no command {path}"));
        }
    }
    None
}

fn untypable(files: &[File], document: &File) -> Vec<String> {
    // Decision records are not guides; what looks like a command there may be a label.
    let is_guide = !document.path.starts_with("docs/contribute/decisions/");
    let inline_commands = prose(&document.text).filter(|_| is_guide).flat_map(code_spans);
    let fenced_commands = fenced(&document.text).into_iter().map(str::to_owned);
    fenced_commands
        .chain(inline_commands)
        .filter_map(|line| cannot_be_typed(files, &line))
        .map(|complaint| format!("{}: {complaint}", document.path))
        .collect()
}

/// The README has the two commands of the quick start and the Rust version they need.
fn unpromised(readme: &File, workspace: &toml::Table) -> Vec<String> {
    let lines = fenced(&readme.text);
    let mut complaints = Vec::new();
    for promised in ["cargo run --release", "./scripts/test"] {
        if !lines.iter().any(|line| line.trim_start_matches("$ ") == promised) {
            complaints.push(format!("the README does not show {promised:?}"));
        }
    }
    let package = workspace.get("workspace").and_then(|it| it.get("package"));
    let rust = package.and_then(|it| it.get("rust-version")).and_then(toml::Value::as_str).unwrap_or("?");
    if !readme.text.contains(&format!("Rust {rust}")) {
        complaints.push(format!("the README does not say that it needs Rust {rust}"));
    }
    complaints
}

fn without_unreleased(changelog: &str) -> Vec<String> {
    let body = section(changelog, "[Unreleased]");
    let says_something = body.contains("\n### ") && body.contains("\n- ");
    if says_something { Vec::new() } else { vec!["CHANGELOG.md has no [Unreleased] section".to_owned()] }
}

fn find<'a>(files: &'a [File], path: &str) -> &'a File {
    files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path} is missing"))
}

#[test]
fn documented_commands_exist() {
    let files = files();
    let taught =
        files.iter().filter(|file| file.path.ends_with(".md") && !PRINTED.contains(&file.path.as_str()));
    expect_silence(&taught.flat_map(|document| untypable(&files, document)).collect::<Vec<_>>());
}

#[test]
fn readme_contains_the_two_commands_and_the_required_rust_version() {
    let files = files();
    let workspace = find(&files, "Cargo.toml").text.parse().unwrap();
    expect_silence(&unpromised(find(&files, "README.md"), &workspace));
}

#[test]
fn scripts_are_executable() {
    use std::os::unix::fs::PermissionsExt as _;
    for script in ["scripts/test", ".ci/run"] {
        let mode = root().join(script).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{script} cannot be executed");
    }
}

#[test]
fn changelog_has_an_unreleased_section() {
    expect_silence(&without_unreleased(&find(&files(), "CHANGELOG.md").text));
}

#[test]
fn documented_command_check_finds_an_unknown_one() {
    let tree = [
        sample("scripts/test", "#!/usr/bin/env bash\n"),
        sample(REFERENCE, "# All\n\n## `sinete serve`\n\n## `sinete log`\n\n## `sinete log verify`\n"),
        sample("crates/sinete-core/Cargo.toml", "name = \"sinete-core\""),
    ];
    let check_line =
        |line: &str| untypable(&tree, &sample("README.md", &format!("Text.\n```sh\n{line}\n```\n")));
    for fine in [
        "./scripts/test",
        "$ sinete serve --help",
        "SINETE_MODE=production sinete serve",
        "sinete log verify --head FILE",
        "sinete serve something",
        "cargo test -p sinete-core",
    ] {
        expect_silence(&check_line(fine));
    }
    expect_complaint(&check_line("./scripts/tset"), "./scripts/tset");
    expect_complaint(&check_line("A=b sinete sevre"), "sinete sevre");
    expect_complaint(&check_line("$ sinete log verfy"), "sinete log verfy");
    expect_complaint(&check_line("cargo test -p sinete-cor"), "sinete-cor");
    expect_complaint(&untypable(&tree, &sample("README.md", "Run `sinete sevre`.\n")), "sinete sevre");
}

#[test]
fn readme_check_finds_a_missing_command() {
    let workspace = "[workspace.package]\nrust-version = \"1.95\"\n".parse().unwrap();
    let complete_readme = "Needs Rust 1.95.\n```sh\ncargo run --release\n./scripts/test\n```\n";
    let check_readme = |text: &str| unpromised(&sample("README.md", text), &workspace);
    expect_silence(&check_readme(complete_readme));
    expect_complaint(&check_readme(&complete_readme.replace(" --release", "")), "cargo run --release");
    expect_complaint(&check_readme(&complete_readme.replace("scripts/test", "run")), "./scripts/test");
    expect_complaint(&check_readme(&complete_readme.replace("1.95", "1.90")), "Rust 1.95");
}

#[test]
fn changelog_check_finds_a_missing_section() {
    expect_silence(&without_unreleased("# C\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n"));
    expect_complaint(
        &without_unreleased("# C\n\n## [Unreleased]\n\n## [1.0.0]\n\n### Added\n\n- A.\n"),
        "no [Unr",
    );
    expect_complaint(&without_unreleased("# C\n"), "no [Unreleased]");
}
