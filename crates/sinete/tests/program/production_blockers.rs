//! Tests that production refuses to start while anything is unsafe, and names every reason with its fix.

use crate::machine::{Machine, text_of};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::platform::signing_keys;
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreOptions, WriteBatch, migrate};

/// Asserts that production does not start for this reason only, and nothing is written.
#[track_caller]
fn is_refused(machine: &Machine, reason: &str) {
    let before = machine.listing();
    let ended = machine.run(&["serve"]).ended_with(3).saying(reason);
    let lines: Vec<_> = ended.complaint().lines().collect();
    assert_eq!(lines[0], "sinete: production cannot start, for one reason", "{ended:#?}");
    assert!(lines[1].contains("; ") && lines.len() == 2, "no remedy: {ended:#?}");
    assert_eq!(machine.listing(), before);
    machine.run(&["doctor"]).ended_with(3);
}

fn production() -> Machine {
    Machine::fit_for_production()
}

#[test]
fn issuer_without_tls_blocks_production() {
    let machine = production().with("SINETE_BASE_URL", "http://id.example.com");
    is_refused(&machine, "the issuer http://id.example.com is not https");
    is_refused(&production().without("SINETE_BASE_URL"), "the issuer http://localhost:0 is not https");
}

#[test]
fn missing_signing_keys_block_production() {
    let machine = production().without("SINETE_SIGNING_KEYS");
    let ended = machine.run(&["serve"]).ended_with(3);
    let ended = ended.saying("there is no signing key for ES256").saying("there is no signing key for RS256");
    assert!(ended.err.contains("sinete keys generate --algorithm RS256"), "{}", ended.err);
    is_refused(&production().with("SINETE_SIGNING_KEYS", "ES256.pem"), "there is no signing key for RS256");
}

#[test]
fn unreadable_list_blocks_production() {
    let machine = production().with("SINETE_PASSWORDS_BREACHED_FILE", "absent.txt");
    is_refused(&machine, "passwords.breached_file cannot be used: absent.txt: ");
    let machine = production().with("SINETE_ALERTS_GEOIP_FILE", "ES256.pem");
    is_refused(&machine, "alerts.geoip_file cannot be used: ES256.pem: ");
}

/// A development key without its marking line.
fn bare_development_key(algorithm: SigningAlgorithm) -> String {
    let key = SigningKey::generate_development(algorithm, &sinete::os::OsEntropy).unwrap();
    let pem = key.to_pem().unwrap();
    let bare: Vec<_> = pem.lines().skip_while(|line| !line.starts_with("-----BEGIN")).collect();
    assert!(!bare.join("\n").to_lowercase().contains("development"));
    bare.join("\n") + "\n"
}

#[test]
fn development_key_blocks_production_even_as_a_bare_pem() {
    for algorithm in [SigningAlgorithm::Es256, SigningAlgorithm::Rs256] {
        let machine = production();
        let name = format!("{algorithm}.pem");
        machine.private(&name, &bare_development_key(algorithm));
        is_refused(&machine, &format!("the signing key {name} is a development key"));
    }
    let machine = production().with("SINETE_SIGNING_KEYS", "RS256.pem");
    let machine = machine.with("SINETE_SIGNING_KEY", bare_development_key(SigningAlgorithm::Es256));
    is_refused(&machine, "the signing key 1 in signing.key is a development key");
}

#[test]
fn key_recorded_as_a_development_key_blocks_production() {
    let machine = production();
    let key = SigningKey::parse(&text_of(&machine.path("ES256.pem")), None).unwrap();
    std::fs::create_dir(machine.path("sinete-data")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let address = DatabaseAddress::Sqlite(machine.path("sinete-data/sinete.db"));
        let store = Store::open(&address, &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
        let now = Timestamp::from_seconds(1_800_000_000);
        migrate::apply_pending_migrations(&store, now, &mut |_| ()).await.unwrap();
        let remember = signing_keys::record_development_key(key.kid(), now);
        store.commit(WriteBatch::new().with_statement(remember)).await.unwrap().into_result().unwrap();
        store.close().await;
    });
    is_refused(&machine, "the signing key ES256.pem is a development key");
}

#[test]
fn database_of_a_development_instance_blocks_production() {
    let machine = production();
    let development = machine.without("SINETE_MODE").without("SINETE_SIGNING_KEYS");
    development.serve().stop().succeeded();
    let production = development.with("SINETE_MODE", "production");
    let ended = production.run(&["serve"]).ended_with(3);
    assert!(ended.err.matches("in the database is a development key").count() >= 3, "{}", ended.err);
}

#[test]
fn weak_rsa_key_blocks_production() {
    let machine = production();
    machine.private("RS256.pem", include_str!("weak-rsa-1024.pem"));
    let ended = machine.run(&["serve"]).ended_with(3);
    ended.saying("the signing key RS256.pem cannot be used: the RSA key is too weak: it has 1024 bits");
}

#[test]
fn signing_key_readable_by_others_blocks_production() {
    for mode in [0o640, 0o604, 0o644] {
        let machine = production();
        machine.file("ES256.pem", &text_of(&machine.path("ES256.pem")), mode);
        let reason = format!("ES256.pem (a signing key) can be read by others than its owner, mode {mode:o}");
        is_refused(&machine, &reason);
    }
    let machine = production();
    machine.file("instance.key", &text_of(&machine.path("instance.key")), 0o640);
    is_refused(&machine, "instance.key (the instance key) can be read by others than its owner");
}

#[test]
fn signing_key_from_a_public_document_blocks_production() {
    let machine = production();
    machine.private(
        "ES256.pem",
        r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#,
    );
    is_refused(&machine, "the signing key ES256.pem is an example from a public document");
}

#[test]
fn instance_key_missing_or_publicly_known_blocks_production() {
    let without = || production().without("SINETE_INSTANCE_KEY_FILE");
    is_refused(&without(), "there is no instance key");
    let documented = sinete::config::keys::INSTANCE_KEY.entry.example.trim_matches('"');
    is_refused(&without().with("SINETE_INSTANCE_KEY", documented), "the example of our documentation");
    let machine = production().with("SINETE_INSTANCE_KEY_FILE", "absent.key");
    is_refused(&machine, "the instance key cannot be used: absent.key");
}

#[test]
fn instance_key_generated_in_development_blocks_production() {
    let development = Machine::new();
    development.serve().stop().succeeded();
    let machine = production();
    let generated = text_of(&development.path("sinete-data/instance.key"));
    machine.private("instance.key", &generated);
    is_refused(&machine, "was generated beside the data it protects");
}

#[test]
fn instance_key_other_than_the_databases_blocks_production() {
    let machine = production();
    machine.serve().stop().succeeded();
    let other = machine.run(&["keys", "instance-key"]).succeeded().out;
    machine.private("instance.key", &other);
    is_refused(&machine, "the instance key is not the one this database was used with");
}

#[test]
fn unreachable_database_blocks_production() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let machine = production().with("SINETE_DATABASE_URL", format!("postgres://a:hunter2@{closed}/sinete"));
    is_refused(&machine, "the database cannot be reached");
    assert!(!machine.run(&["serve"]).err.contains("hunter2"));
}

#[test]
fn schema_reduced_by_a_newer_program_blocks_production() {
    let machine = production();
    machine.serve().stop().succeeded();
    let add_migration = |version: u32, name: &str, also: &str| {
        let database = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
        let newer = "INSERT INTO schema_migrations SELECT ?1, ?2, checksum, applied_at FROM schema_migrations LIMIT 1";
        database.execute(newer, rusqlite::params![version, name]).unwrap();
        database.execute_batch(also).unwrap();
    };
    // A newer version added a migration: this version still serves, also after a restart.
    add_migration(998, "later", "ALTER TABLE accounts ADD COLUMN later TEXT; CREATE TABLE later (id BIGINT)");
    let server = machine.serve();
    assert_eq!(server.get(server.public, "/.well-known/openid-configuration").0, 200);
    server.stop().succeeded();
    machine.run(&["migrate"]).succeeded();
    add_migration(999, "contract_since_0998_later", "");
    let migration_count = sinete_store::migrate::MIGRATIONS.len();
    is_refused(&machine, &format!("the schema is at version 999 and this program knows {migration_count}"));
}

#[test]
fn postgres_with_asynchronous_commit_blocks_production() {
    let database = crate::machine::postgres_database();
    let machine =
        production().with("SINETE_DATABASE_URL", format!("{database}?options=-c%20synchronous_commit%3Doff"));
    is_refused(&machine, "synchronous_commit");
}

#[test]
fn secrets_file_readable_by_others_blocks_production() {
    let machine = production().without("SINETE_INSTANCE_KEY_FILE");
    let key = text_of(&machine.path("instance.key"));
    machine.file("sinete.toml", &format!("instance_key = \"{}\"\n", key.trim()), 0o644);
    is_refused(&machine, "sinete.toml (instance_key) can be read by others than its owner");
    machine.private("sinete.toml", &format!("instance_key = \"{}\"\n", key.trim()));
    machine.serve().stop().succeeded();
}

#[test]
fn unusable_tls_certificate_blocks_production() {
    let machine = production().with("SINETE_TLS__CERTIFICATE", "c.pem").with("SINETE_TLS__KEY", "ES256.pem");
    is_refused(&machine, "the certificate cannot be used: c.pem cannot be read");
}

#[test]
fn production_blockers_are_all_reported_at_once() {
    let machine = production()
        .without("SINETE_BASE_URL")
        .without("SINETE_INSTANCE_KEY_FILE")
        .with("SINETE_DATABASE_URL", "postgres://a@127.0.0.1:1/sinete");
    machine.file("ES256.pem", &bare_development_key(SigningAlgorithm::Es256), 0o644);
    machine.private("RS256.pem", include_str!("weak-rsa-1024.pem"));
    let ended = machine.run(&["serve"]).ended_with(3);
    let complaint = ended.complaint();
    assert!(complaint.starts_with("sinete: production cannot start, for 7 reasons\n"), "{complaint}");
    for reason in [
        "the issuer http://localhost:0 is not https",
        "there is no instance key",
        "ES256.pem is a development key",
        "RS256.pem cannot be used: the RSA key is too weak",
        "there is no signing key for RS256",
        "the database cannot be reached",
        "ES256.pem (a signing key) can be read by others",
    ] {
        assert!(
            complaint.lines().any(|line| line.contains(reason) && line.contains("; ")),
            "{reason}: {complaint}"
        );
    }
}

#[test]
fn doctor_reports_production_blockers_as_json() {
    let machine = Machine::new();
    machine.run(&["doctor"]).succeeded();
    let ended = machine.run(&["doctor", "--production", "--json"]).ended_with(3);
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (report["mode"].as_str(), report["production_ready"].as_bool()),
        (Some("development"), Some(false))
    );
    let findings = report["findings"].as_array().unwrap();
    let blockers: Vec<_> = findings.iter().filter(|finding| finding["verdict"] == "blocker").collect();
    for check in ["issuer", "instance_key", "signing_keys"] {
        assert!(blockers.iter().any(|finding| finding["check"] == check), "{check}");
    }
    assert!(blockers.iter().all(|finding| finding["remedy"].is_string()));
    assert_eq!(machine.listing(), Vec::<String>::new(), "looking changes nothing");

    let fit = production();
    let ended = fit.run(&["doctor", "--json"]).succeeded();
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(report["production_ready"], true);
    assert!(fit.run(&["doctor"]).succeeded().out.contains("Nothing keeps this instance from production"));
}
