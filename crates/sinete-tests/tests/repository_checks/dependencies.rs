//! One library for cryptography and TLS, no dependency that brings another, and one place for the Rust version.

use super::source_tree::{File, files, root, sample};
use super::{expect_complaint, expect_silence};
use std::process::Command;

/// The packages that `deny.toml` bans.
fn banned(deny: &toml::Table) -> Vec<String> {
    let list = deny.get("bans").and_then(|bans| bans.get("deny")).and_then(toml::Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|entry| entry.get("crate").and_then(toml::Value::as_str))
        .map(str::to_owned)
        .collect()
}

/// The banned packages in a listing with one package to a line, such as `ring v0.17.14`.
fn compiled_in(listing: &str, banned: &[String]) -> Vec<String> {
    let names = listing.lines().filter_map(|line| line.split_whitespace().next());
    let mut banned_names: Vec<_> = names.filter(|name| banned.iter().any(|it| it == name)).collect();
    banned_names.sort_unstable();
    banned_names.dedup();
    banned_names.into_iter().map(|name| format!("{name} is compiled in, and deny.toml bans it")).collect()
}

fn toolchain_files(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.contains("rust-toolchain"))
        .map(|file| format!("{} fixes a toolchain; rust-version says what is needed", file.path))
        .collect()
}

#[test]
fn banned_dependencies_are_not_compiled_in() {
    let deny = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let banned = banned(&deny.parse().unwrap());
    assert!(banned.iter().any(|name| name == "ring"), "the bans were not read");
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--edges", "all", "--prefix", "none", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let listing = String::from_utf8(tree.stdout).unwrap();
    assert!(listing.contains("aws-lc-rs v"), "cargo tree: {}", String::from_utf8_lossy(&tree.stderr));
    expect_silence(&compiled_in(&listing, &banned));
}

#[test]
fn minimum_rust_version_is_declared_in_one_place() {
    expect_silence(&toolchain_files(&files()));
}

#[test]
fn banned_dependency_check_finds_one() {
    let deny = "[bans]\ndeny = [{ crate = \"ring\", reason = \"x\" }]\n".parse().unwrap();
    let banned = banned(&deny);
    expect_silence(&compiled_in("aws-lc-rs v1.19.0\nstring v1.0.0\n", &banned));
    expect_complaint(&compiled_in("ring v0.17.14\nring v0.17.14 (*)\n", &banned), "ring is compiled in");
}

#[test]
fn toolchain_file_check_finds_one() {
    expect_complaint(&toolchain_files(&[sample("rust-toolchain.toml", "")]), "rust-toolchain.toml");
}
