//! A crate uses only crates of lower layers. The layers are a table in docs/contribute/architecture.md, top layer
//! first; this check reads that table, so that the document and the rule cannot differ.

use super::markdown::{cells, code_spans, section};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use std::collections::{BTreeMap, BTreeSet};

/// Everything `sinete-core` may depend on. A longer list needs a decision record.
const CORE_MAY_USE: [&str; 12] = [
    "base64",
    "compact_str",
    "crc32fast",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "sinete-locales",
    "subtle",
    "thiserror",
    "unicode-normalization",
    "url",
];

/// A row of the table: a crate and the crates it may use.
type CrateLayer = (String, BTreeSet<String>);

fn layers(architecture: &str) -> Vec<CrateLayer> {
    section(architecture, "Layers")
        .lines()
        .filter_map(|line| {
            let row = cells(line)?;
            let name = code_spans(row.first()?).into_iter().next()?;
            Some((name, code_spans(row.get(1)?).into_iter().collect()))
        })
        .collect()
}

/// What a dependency is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Product,
    Tests,
}

/// The workspace crates that a manifest names for this use, on any target.
fn ours(manifest: &toml::Table, r#use: Use) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (key, value) in manifest {
        let Some(table) = value.as_table() else { continue };
        if key.ends_with("dependencies") && (key == "dev-dependencies") == (r#use == Use::Tests) {
            names.extend(table.iter().map(|(name, dependency)| {
                dependency.get("package").and_then(toml::Value::as_str).unwrap_or(name).to_owned()
            }));
        } else if key == "target" {
            names.extend(table.values().filter_map(toml::Value::as_table).flat_map(|it| ours(it, r#use)));
        }
    }
    names.retain(|name| name.starts_with("sinete"));
    names
}

fn manifests(files: &[File]) -> BTreeMap<String, toml::Table> {
    files
        .iter()
        .filter(|file| file.path.ends_with("/Cargo.toml"))
        .filter_map(|file| {
            // The client library is outside the crates of the server.
            let client = (file.path == "clients/rust/Cargo.toml").then_some("sinete-client");
            Some((file.crate_folder().or(client)?.to_owned(), file.text.parse().unwrap()))
        })
        .collect()
}

fn upward(layers: &[CrateLayer], manifests: &BTreeMap<String, toml::Table>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, (name, uses)) in layers.iter().enumerate() {
        let below: BTreeSet<_> = layers[index + 1..].iter().map(|(name, _)| name.clone()).collect();
        for strange in uses.difference(&below) {
            complaints.push(format!(
                "docs/contribute/architecture.md lets {name} use {strange}, which is not below it"
            ));
        }
        match manifests.get(name) {
            None => {
                complaints.push(format!("docs/contribute/architecture.md lists {name}, which is not there"))
            }
            Some(manifest) => {
                for used in ours(manifest, Use::Product).difference(uses) {
                    complaints.push(format!("{name} uses {used}, which its layer does not allow"));
                }
                // Tests may use lower layers that the crate itself does not, never higher ones.
                for used in ours(manifest, Use::Tests).difference(&below) {
                    complaints.push(format!("the tests of {name} use {used}, which is not below it"));
                }
            }
        }
    }
    for name in manifests.keys().filter(|name| layers.iter().all(|(layer_name, _)| layer_name != *name)) {
        complaints.push(format!("{name} has no layer in docs/contribute/architecture.md"));
    }
    complaints
}

fn beyond_the_list(manifest: &toml::Table) -> Vec<String> {
    let used = manifest.get("dependencies").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    used.keys()
        .filter(|name| !CORE_MAY_USE.contains(&name.as_str()))
        .map(|name| format!("sinete-core uses {name}, which is not on its closed list"))
        .collect()
}

/// The only crate that is published for others to depend on.
const PUBLISHED: &str = "sinete-client";

/// Every crate inherits the lints, the license and the minimum Rust version.
fn stray(name: &str, manifest: &toml::Table) -> Vec<String> {
    let inherits = |value: Option<&toml::Value>| {
        value.and_then(|it| it.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
    };
    let package = manifest.get("package");
    let mut complaints = Vec::new();
    for key in ["license", "rust-version", "edition", "version", "publish"] {
        let value = package.and_then(|package| package.get(key));
        let is_right = match (name, key) {
            (PUBLISHED, "publish") => value.and_then(toml::Value::as_bool) == Some(true),
            _ => inherits(value),
        };
        if !is_right {
            complaints.push(format!("{name} does not inherit {key} from the workspace"));
        }
    }
    if !inherits(manifest.get("lints")) {
        complaints.push(format!("{name} does not inherit the lints of the workspace"));
    }
    complaints
}

fn architecture(files: &[File]) -> Vec<CrateLayer> {
    let document = files.iter().find(|file| file.path == "docs/contribute/architecture.md").unwrap();
    let layers = layers(&document.text);
    assert!(layers.len() >= 8, "the table of layers was not found");
    layers
}

/// Only the command line acts without authentication. A request never does.
const COMMAND_LINE_DOORS: [&str; 2] = ["load_command_line_caller", "EventCause::system"];

/// Files that handle requests and call a function that is reserved for the command line.
fn doors_left_open(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    let answers_requests = |file: &&File| {
        ["crates/sinete-http/src/", "crates/sinete-server/src/"].iter().any(|it| file.path.starts_with(it))
    };
    for file in files.iter().filter(answers_requests) {
        for door in COMMAND_LINE_DOORS.iter().filter(|door| file.text.contains(**door)) {
            complaints.push(format!("{} uses {door}, which is reserved for the command line", file.path));
        }
    }
    complaints
}

#[test]
fn command_line_caller_is_not_used_by_http() {
    let files = files();
    let is_defined = |door: &str| {
        let defined = format!("fn {}(", door.rsplit("::").next().unwrap_or(door));
        files
            .iter()
            .any(|file| file.path.starts_with("crates/sinete-engine/src/") && file.text.contains(&defined))
    };
    for door in COMMAND_LINE_DOORS {
        assert!(is_defined(door), "{door} was renamed, so this check finds nothing");
    }
    expect_silence(&doors_left_open(&files));
}

#[test]
fn command_line_caller_check_finds_a_use() {
    let inside = |text| sample("crates/sinete-http/src/management_api/request.rs", text);
    let source_line = "let caller = caller::load_command_line_caller(engine).await?;";
    expect_complaint(&doors_left_open(&[inside(source_line)]), "load_command_line_caller");
    expect_complaint(&doors_left_open(&[inside("let cause = EventCause::system();")]), "EventCause::system");
    expect_silence(&doors_left_open(&[sample("crates/sinete/src/commands/admin.rs", source_line)]));
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let files = files();
    expect_silence(&upward(&architecture(&files), &manifests(&files)));
}

#[test]
fn core_depends_only_on_its_closed_list() {
    expect_silence(&beyond_the_list(&manifests(&files())["sinete-core"]));
}

#[test]
fn crates_inherit_workspace_settings() {
    let manifests = manifests(&files());
    let complaints: Vec<_> = manifests.iter().flat_map(|(name, manifest)| stray(name, manifest)).collect();
    expect_silence(&complaints);
}

#[test]
fn layer_check_finds_an_upward_dependency() {
    let table = "# A\n## Layers\n| Crate | May use | What |\n|---|---|---|\n| `sinete-store` | `sinete-core` | x |\n| `sinete-core` | nothing | x |\n## Next\n| `other` | | |\n";
    let layers = layers(table);
    assert_eq!(layers.len(), 2);
    let tree = |core: &str| {
        let store = "[package]\n[dependencies]\nsinete-core.workspace = true\nserde = \"1\"\n";
        manifests(&[
            sample("crates/sinete-core/Cargo.toml", core),
            sample("crates/sinete-store/Cargo.toml", store),
        ])
    };
    expect_silence(&upward(&layers, &tree("[dependencies]\n")));
    for kind in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
    {
        let core = format!("[{kind}]\nsinete-store.workspace = true\n");
        expect_complaint(&upward(&layers, &tree(&core)), "sinete-store, which");
    }
    let mut with_client = tree("");
    let client = "[dependencies]\nsinete-core.workspace = true\n";
    with_client.extend(manifests(&[sample("clients/rust/Cargo.toml", client)]));
    expect_complaint(&upward(&layers, &with_client), "sinete-client has no layer");
    let apart = [layers.clone(), vec![("sinete-client".to_owned(), BTreeSet::new())]].concat();
    expect_complaint(&upward(&apart, &with_client), "sinete-client uses sinete-core");

    let renamed = "[dependencies]\nshop = { package = \"sinete-store\", path = \"../sinete-store\" }\n";
    expect_complaint(&upward(&layers, &tree(renamed)), "sinete-core uses sinete-store");

    let mut extended_tree = tree("");
    extended_tree.insert("sinete-new".to_owned(), toml::Table::new());
    expect_complaint(&upward(&layers, &extended_tree), "sinete-new has no layer");
    extended_tree.remove("sinete-new");
    extended_tree.remove("sinete-store");
    expect_complaint(&upward(&layers, &extended_tree), "lists sinete-store");
    let twisted = vec![layers[1].clone(), layers[0].clone()];
    expect_complaint(&upward(&twisted, &tree("")), "not below it");
}

#[test]
fn core_dependency_check_finds_a_new_one() {
    let with = |name: &str| format!("[dependencies]\nserde = \"1\"\n{name} = \"1\"\n").parse().unwrap();
    expect_silence(&beyond_the_list(&with("url")));
    expect_complaint(&beyond_the_list(&with("tokio")), "tokio");
}

#[test]
fn workspace_settings_check_finds_a_deviation() {
    let complete_manifest = "[package]\nlicense.workspace = true\nrust-version.workspace = true\nedition.workspace = true\nversion.workspace = true\npublish.workspace = true\n[lints]\nworkspace = true\n";
    expect_silence(&stray("a", &complete_manifest.parse().unwrap()));
    let own_licence = complete_manifest.replace("license.workspace = true", "license = \"MIT\"");
    expect_complaint(&stray("a", &own_licence.parse().unwrap()), "license");
    let no_lints = complete_manifest.replace("[lints]\nworkspace = true\n", "");
    expect_complaint(&stray("a", &no_lints.parse().unwrap()), "lints");
    let published = complete_manifest.replace("publish.workspace = true", "publish = true");
    expect_complaint(&stray("a", &published.parse().unwrap()), "publish");
    expect_silence(&stray(PUBLISHED, &published.parse().unwrap()));
    expect_complaint(&stray(PUBLISHED, &complete_manifest.parse().unwrap()), "publish");
}

#[test]
fn client_libraries_carry_the_project_license() {
    let files = files();
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| &file.text);
    let licence = text("LICENSE").unwrap();
    for package in ["clients/javascript", "clients/rust"] {
        assert_eq!(text(&format!("{package}/LICENSE")), Some(licence), "{package}");
    }
}
