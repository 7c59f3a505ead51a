//! Build profiles: `release` is light to build, published binaries are built with `dist`.

use super::source_tree::root;
use super::{expect_complaint, expect_silence};

const PUBLISHED_BY: &str = "deploy/Containerfile";

fn complaints(manifest: &str, container_file: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let setting =
        |profile: &str, key: &str| manifest["profile"].get(profile)?.get(key).map(ToString::to_string);
    let expected = [
        ("release", "lto", "\"off\""),
        ("dist", "opt-level", "3"),
        ("dist", "lto", "\"fat\""),
        ("dist", "codegen-units", "1"),
    ];
    let wrong = expected
        .into_iter()
        .filter(|(profile, key, value)| setting(profile, key).as_deref() != Some(value))
        .map(|(profile, key, value)| format!("profile {profile}: {key} is not {value}"));
    let unpublished = (!container_file.contains("cargo build --profile dist"))
        .then(|| format!("{PUBLISHED_BY} does not build with the profile dist"));
    wrong.chain(unpublished).collect()
}

#[test]
fn published_binaries_are_built_with_the_dist_profile() {
    let text = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    expect_silence(&complaints(&text("Cargo.toml"), &text(PUBLISHED_BY)));
}

#[test]
fn dist_profile_check_finds_a_lost_optimization() {
    let manifest =
        "[profile.release]\nlto = \"off\"\n[profile.dist]\nopt-level = 3\nlto = \"fat\"\ncodegen-units = 1\n";
    let published = "RUN cargo build --profile dist\n";
    expect_silence(&complaints(manifest, published));
    expect_complaint(&complaints(&manifest.replace("\"fat\"", "false"), published), "dist: lto");
    expect_complaint(&complaints(&manifest.replace("= 3", "= 2"), published), "dist: opt-level");
    expect_complaint(&complaints(manifest, "RUN cargo build --release\n"), "profile dist");
}
