//! The operations documents are true: they explain every metric and no other, the program accepts the configurations,
//! and systemd accepts the unit.

use super::markdown::fenced_as;
use super::source_tree::{File, files, root};
use super::{expect_complaint, expect_silence};
use sinete::config::Config;
use sinete::config::environment::Environment;
use sinete_server::telemetry::METRICS;
use std::collections::BTreeSet;
use std::process::Command;

const OPERATIONS: &str = "docs/operate/metrics.md";
const MANIFESTS: &str = "deploy/kubernetes/sinete.yaml";
const UNIT: &str = "deploy/systemd/sinete.service";

/// The names of metrics in a text.
fn figures(text: &str) -> BTreeSet<&str> {
    let is_part = |character: char| character.is_ascii_lowercase() || character == '_';
    text.split(|character| !is_part(character)).filter(|word| word.starts_with("sinete_")).collect()
}

fn unexplained(exported: &BTreeSet<&str>, document: &str) -> Vec<String> {
    let explained = figures(document);
    let missing = exported.difference(&explained).map(|name| format!("{OPERATIONS} does not explain {name}"));
    let gone = explained
        .difference(exported)
        .map(|name| format!("{OPERATIONS} explains {name}, which is not a metric"));
    missing.chain(gone).collect()
}

/// Complaints about metrics outside the one list that is compared with the document.
fn counted_elsewhere(files: &[File]) -> Vec<String> {
    let product = files.iter().filter(|file| file.is_product() && file.path.ends_with(".rs"));
    let elsewhere = product.filter(|file| !file.path.ends_with("sinete-server/src/telemetry.rs"));
    elsewhere
        .filter(|file| {
            ["counter!(", "gauge!(", "histogram!("].iter().any(|macro_call| file.code().contains(macro_call))
        })
        .map(|file| format!("{} records a metric that is not in the list of metrics", file.path))
        .collect()
}

/// The configuration in a Kubernetes manifest.
fn embedded(manifests: &str) -> String {
    let after = manifests.split("sinete.toml: |\n").nth(1).unwrap_or_default();
    let lines = after.lines().take_while(|line| line.starts_with("    "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The error of the program about a configuration, if there is one.
fn unloadable(origin: &str, configuration: &str) -> Option<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), configuration).unwrap();
    let loaded = Config::load(Some(file.path()), &Environment::from_pairs(Vec::<(&str, &str)>::new()));
    loaded.err().map(|problems| format!("{origin}: {problems}"))
}

#[test]
fn metrics_are_all_documented() {
    let exported: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
    expect_silence(&unexplained(&exported, &text(OPERATIONS)));
    expect_silence(&counted_elsewhere(&files()));
}

#[test]
fn metrics_document_check_finds_a_missing_or_unknown_one() {
    let exported = BTreeSet::from(["sinete_http_panics_total"]);
    expect_silence(&unexplained(&exported, "`sinete_http_panics_total{a=\"b\"}`"));
    expect_complaint(&unexplained(&exported, ""), "does not explain");
    let both = "sinete_http_panics_total sinete_http_gone_total";
    expect_complaint(&unexplained(&exported, both), "is not a metric");
    let elsewhere = super::source_tree::sample("crates/sinete/src/x.rs", "fn x() { counter!(\"y\"); }");
    expect_complaint(&counted_elsewhere(&[elsewhere]), "records a metric");
}

#[test]
fn documented_production_configurations_are_valid() {
    let mut configurations = vec![(MANIFESTS.to_owned(), embedded(&text(MANIFESTS)))];
    for page in ["docs/operate/production.md", "docs/operate/proxy-nginx.md", "docs/operate/proxy-caddy.md"] {
        configurations
            .extend(fenced_as(&text(page), "toml").into_iter().map(|block| (page.to_owned(), block)));
    }
    assert!(
        configurations.len() >= 4 && configurations.iter().all(|(_, block)| block.contains("base_url")),
        "{configurations:?}"
    );
    let complaints = configurations.iter().filter_map(|(origin, block)| unloadable(origin, block));
    expect_silence(&complaints.collect::<Vec<_>>());
    expect_complaint(
        &unloadable("x", "trusted_proxy = 1\n").into_iter().collect::<Vec<_>>(),
        "trusted_proxy",
    );
}

#[test]
fn systemd_unit_is_valid_where_systemd_is_available() {
    let unit = text(UNIT);
    let hardening_options =
        ["ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet=\n", "DynamicUser=yes"];
    assert!(hardening_options.iter().all(|line| unit.contains(line)), "{UNIT} lacks a hardening option");
    // The program need not be installed where the tests run.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("sinete.service");
    std::fs::write(&copy, unit.replace("/usr/local/bin/sinete", "/bin/true")).unwrap();
    let Ok(judged) = Command::new("systemd-analyze").arg("verify").arg(&copy).output() else { return };
    let stderr_text = String::from_utf8_lossy(&judged.stderr);
    let about_it: Vec<_> = stderr_text.lines().filter(|line| line.contains("sinete.service")).collect();
    assert!(about_it.is_empty(), "{about_it:?}");
}
