//! Tests of key commands: generate, import, list, rotate, revoke, re-encrypt.

use crate::machine::{Machine, text_of};
use sinete_core::limits::KEYS_REFRESH_INTERVAL;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;

fn listed(machine: &Machine) -> Vec<serde_json::Value> {
    let list: serde_json::Value =
        serde_json::from_str(&machine.run(&["keys", "list", "--json"]).succeeded().out).unwrap();
    list.as_array().unwrap().iter().filter(|key| key["purpose"] == "tokens").cloned().collect()
}

/// A machine that is ready for production except for its signing keys.
fn without_keys() -> Machine {
    Machine::fit_for_production().without("SINETE_SIGNING_KEYS")
}

#[test]
fn keys_generate_makes_production_start() {
    let machine = without_keys();
    machine.run(&["serve"]).ended_with(3);
    let output = machine.run(&["keys", "generate"]).succeeded().out;
    assert_eq!(output.matches("is the signing key").count(), 2, "{output}");
    assert!(machine.run(&["keys", "generate"]).succeeded().out.contains("All required keys exist"));
    let server = machine.serve();
    let published = server.get(server.public, "/.well-known/jwks.json").1;
    for key in listed(&machine) {
        assert_eq!((&key["phase"], &key["source"]), (&"signing".into(), &"database".into()));
        assert!(published.contains(key["kid"].as_str().unwrap()));
    }
    server.stop().succeeded();
}

#[test]
fn keys_commands_without_a_database_create_none() {
    let machine = Machine::new();
    for arguments in [&["keys", "list"][..], &["keys", "revoke", "x"], &["keys", "reseal"]] {
        machine.run(arguments).ended_with(2).saying("there is no database at").in_one_line();
    }
    assert_eq!(machine.listing(), Vec::<String>::new());
}

#[test]
fn keys_rotate_announces_the_new_key_first_and_revoke_removes_one() {
    let machine = without_keys();
    machine.run(&["keys", "generate", "--algorithm", "ES256"]).succeeded();
    let old = listed(&machine)[0]["kid"].as_str().unwrap().to_owned();
    let rotated = machine.run(&["keys", "rotate", "--algorithm", "ES256"]).succeeded().out;
    assert!(rotated.contains(&format!("takes over from {old} at ")), "{rotated}");
    // A running server has not loaded it yet.
    let when = format!("Running servers publish it within {} seconds", KEYS_REFRESH_INTERVAL.seconds());
    assert!(rotated.contains(&when) && !rotated.contains("is published"), "{rotated}");
    machine
        .run(&["keys", "rotate", "--algorithm", "ES256"])
        .ended_with(2)
        .saying("is announced")
        .in_one_line();
    machine
        .run(&["keys", "rotate", "--algorithm", "RS256"])
        .ended_with(2)
        .saying("there is no RS256 key yet");
    let phases = |machine: &Machine| -> Vec<String> {
        let mut phases: Vec<_> =
            listed(machine).iter().map(|key| key["phase"].as_str().unwrap().to_owned()).collect();
        phases.sort();
        phases
    };
    assert_eq!(phases(&machine), ["announced", "signing"]);
    assert!(machine.run(&["keys", "revoke", &old]).succeeded().out.contains("signs in its place"));
    assert_eq!(phases(&machine), ["signing", "withdrawn"]);
    machine.run(&["keys", "revoke", &old]).ended_with(2).saying("is already withdrawn");
    machine.run(&["keys", "revoke", "nobody"]).ended_with(2).saying("there is no signing key nobody");
    assert!(machine.run(&["keys", "list"]).succeeded().out.contains("withdrawn"));
}

/// One id in 64 begins with a hyphen and must not be taken for an option.
#[test]
fn keys_revoke_accepts_a_kid_that_begins_with_a_hyphen() {
    let machine = without_keys();
    machine.run(&["keys", "generate", "--algorithm", "ES256"]).succeeded();
    for kid in ["-6Tq", "--Tq", "-hV", "-"] {
        machine
            .run(&["keys", "revoke", kid])
            .ended_with(2)
            .saying(&format!("there is no signing key {kid}"))
            .in_one_line();
    }
    machine
        .run(&["log", "verify", "--export", "absent.jsonl", "--key", "-6Tq"])
        .ended_with(1)
        .saying("absent.jsonl cannot be read");
    assert!(machine.run(&["keys", "revoke", "--help"]).succeeded().out.contains("keys list"));
}

#[test]
fn keys_import_accepts_a_key_once_and_never_a_development_key() {
    let machine = without_keys();
    machine.run(&["keys", "import", "ES256.pem"]).succeeded();
    machine.run(&["keys", "import", "ES256.pem"]).ended_with(2).saying("already exists");
    machine.run(&["keys", "import", "RS256.pem"]).ended_with(2).saying("state whether it is RS256 or PS256");
    machine.run(&["keys", "import", "RS256.pem", "--algorithm", "PS256"]).succeeded();
    let mut algorithms: Vec<_> =
        listed(&machine).iter().map(|key| key["algorithm"].as_str().unwrap().to_owned()).collect();
    algorithms.sort();
    assert_eq!(algorithms, ["ES256", "PS256"]);
    let development =
        SigningKey::generate_development(SigningAlgorithm::EdDsa, &sinete::os::OsEntropy).unwrap();
    machine.private("development.pem", &development.to_pem().unwrap());
    machine.run(&["keys", "import", "development.pem"]).ended_with(3).saying("development key").in_one_line();
    machine.private(
        "public.jwk",
        r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#,
    );
    machine
        .run(&["keys", "import", "public.jwk"])
        .ended_with(3)
        .saying("from a public document")
        .in_one_line();
    machine.run(&["keys", "import", "absent.pem"]).ended_with(2).saying("absent.pem cannot be read");
}

#[test]
fn keys_generate_writes_owner_only_files_that_serve_can_use() {
    let machine = without_keys();
    let output = machine.run(&["keys", "generate", "--folder", "keys"]).succeeded().out;
    assert!(output.contains("keys/es256.pem") && output.contains("keys/rs256.pem"), "{output}");
    let pem = text_of(&machine.path("keys/es256.pem"));
    machine.run(&["keys", "generate", "--folder", "keys"]).ended_with(2).saying("is there already");
    assert_eq!(text_of(&machine.path("keys/es256.pem")), pem);
    let machine = machine.with("SINETE_SIGNING_KEYS", "keys/es256.pem,keys/rs256.pem");
    machine.serve().stop().succeeded();
}

#[test]
fn instance_key_is_replaced_without_losing_encrypted_data() {
    let machine = without_keys();
    machine.run(&["keys", "generate"]).succeeded();
    let old = text_of(&machine.path("instance.key"));
    let new = machine.run(&["keys", "instance-key"]).succeeded().out;
    machine.private("instance.key", &new);
    machine.run(&["keys", "list"]).ended_with(3).saying("the instance key is the wrong one").in_one_line();
    machine.private("instance.key", &format!("{new}{old}"));
    let output = machine.run(&["keys", "reseal"]).succeeded().out;
    assert!(output.contains("2 secrets were encrypted anew"), "{output}");
    machine.private("instance.key", &new);
    machine.serve().stop().succeeded();
}
