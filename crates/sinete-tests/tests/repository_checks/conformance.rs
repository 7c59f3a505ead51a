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

/// What a client signs with is made by whoever runs a plan, and kept by them.
fn must_keep_no_key(jwks: &Value, id: &str) {
    let kept = jwks["keys"].as_array().into_iter().flatten();
    assert!(kept.into_iter().all(Value::is_string), "{id} has a key of its own");
}

#[test]
fn conformance_plans_have_a_configuration_and_expected_failures_a_record() {
    let mut clients = toml::Table::new();
    for declared in ["clients.toml", "clients-fapi.toml"] {
        let declared = std::fs::read_to_string(root().join("conformance").join(declared)).unwrap();
        let declared: toml::Table = declared.parse().unwrap();
        clients.extend(declared["clients"].as_table().unwrap().clone());
    }
    let plans = read("plans.json");
    let configured: BTreeSet<&str> =
        plans.as_array().unwrap().iter().map(|plan| plan["configuration"].as_str().unwrap()).collect();
    assert_eq!(configured.len(), 13, "{configured:?}");
    for plan in plans.as_array().unwrap() {
        let configuration = read(plan["configuration"].as_str().unwrap());
        let address = configuration["server"]["discoveryUrl"].as_str().unwrap();
        assert!(address.ends_with("/.well-known/openid-configuration"), "{address}");
        for member in ["client", "client2", "client_secret_post"] {
            let Some(id) = configuration[member]["client_id"].as_str() else { continue };
            let metadata = clients[id]["metadata"].clone();
            let metadata = serde_json::to_value(metadata).unwrap();
            let metadata: sinete_core::oauth::client_metadata::ClientMetadata =
                serde_json::from_value(metadata).unwrap();
            assert!(metadata.validate().is_empty() && metadata.validate_redirect_uris().is_empty(), "{id}");
            let alias = format!("/{}/", configuration["alias"].as_str().unwrap());
            // Who asks a person elsewhere sends nobody anywhere.
            let asks = metadata.backchannel_token_delivery_mode.is_some();
            let leads_back = metadata.redirect_uris.first().is_some_and(|it| it.as_str().contains(&alias));
            assert_eq!((leads_back, metadata.redirect_uris.is_empty()), (!asks, asks), "{id}");
            let told = metadata.backchannel_client_notification_endpoint.as_ref();
            assert!(told.is_none_or(|it| it.contains(&alias)), "{id}");
            must_keep_no_key(&configuration[member]["jwks"], id);
        }
    }
    for list in ["expected-failures.json", "expected-failures-with-pkce.json", "expected-skips.json"] {
        for expected in read(list).as_array().unwrap() {
            let record = expected["record"].as_str().unwrap();
            assert!(root().join(record).exists(), "{record}");
            // The suite compares conditions letter by letter, and counts what is expected and does not happen.
            let module = expected["test-name"].as_str().unwrap();
            let of_a_plan = ["oidcc-", "fapi2-security-profile-final-", "fapi-ciba-id1"];
            let is_of_a_plan = of_a_plan.iter().any(|beginning| module.starts_with(beginning));
            assert!(is_of_a_plan && !module.contains('*'), "{module}");
            assert_ne!(expected["condition"], "*", "{module}");
            assert!(configured.contains(expected["configuration-filename"].as_str().unwrap()), "{module}");
        }
    }
}
