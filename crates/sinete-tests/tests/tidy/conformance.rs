//! The configuration for the conformance suite is whole: each plan has its file, each client of a file is declared,
//! and each failure that is expected has a record that says why.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("conformance").join(name)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_expected_failure_has_a_record_and_every_plan_its_configuration() {
    let declared = std::fs::read_to_string(root().join("conformance/clients.toml")).unwrap();
    let declared: toml::Table = declared.parse().unwrap();
    let clients = declared["clients"].as_table().unwrap();
    let plans = read("plans.json");
    let configured: BTreeSet<&str> =
        plans.as_array().unwrap().iter().map(|plan| plan["configuration"].as_str().unwrap()).collect();
    assert_eq!(configured.len(), 6, "{configured:?}");
    for plan in plans.as_array().unwrap() {
        let configuration = read(plan["configuration"].as_str().unwrap());
        let address = configuration["server"]["discoveryUrl"].as_str().unwrap();
        assert!(address.ends_with("/.well-known/openid-configuration"), "{address}");
        for member in ["client", "client2", "client_secret_post"] {
            let Some(id) = configuration[member]["client_id"].as_str() else { continue };
            let metadata = clients[id]["metadata"].clone();
            let metadata = serde_json::to_value(metadata).unwrap();
            let metadata: sinete_core::client::metadata::ClientMetadata =
                serde_json::from_value(metadata).unwrap();
            assert!(metadata.faults().is_empty() && metadata.redirect_faults().is_empty(), "{id}");
            let alias = configuration["alias"].as_str().unwrap();
            assert!(metadata.redirect_uris[0].as_str().contains(&format!("/{alias}/")), "{id}");
        }
    }
    for list in ["expected-failures.json", "expected-failures-with-pkce.json", "expected-skips.json"] {
        for expected in read(list).as_array().unwrap() {
            let record = expected["record"].as_str().unwrap();
            assert!(root().join(record).exists(), "{record}");
            // The suite compares conditions letter by letter, and counts what is expected and does not happen.
            let module = expected["test-name"].as_str().unwrap();
            assert!(module.starts_with("oidcc-") && !module.contains('*'), "{module}");
            assert_ne!(expected["condition"], "*", "{module}");
            assert!(configured.contains(expected["configuration-filename"].as_str().unwrap()), "{module}");
        }
    }
}
