//! Tests of a backup made under load and restored elsewhere: all data is there, users can sign in, and
//! nothing issued or renewed after the backup is valid.

use crate::backup::Load;
use crate::machine::{Machine, eventually, postgres_database, text_of};
use crate::single_use_races::INSTANCE;
use crate::single_use_races::connection::{Connection, Request};
use crate::single_use_races::grants::{self, Prepared};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const PERSON: &str = "{\"email\": \"ana@example.com\", \"email_verified\": true, \"password_hash\": \
    \"$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5\"}\n";

/// Sets up a client and a user with a password, and returns the client secret.
pub fn furnished(machine: &Machine) -> String {
    let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
    machine.private("app.secret", &secret);
    machine.private("instance.toml", INSTANCE);
    machine.private("people.jsonl", PERSON);
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    machine.run(&["import", "people.jsonl", "--source", "x", "--trust-addresses"]).succeeded();
    format!("client_id=app&client_secret={}", secret.trim())
}

/// Redeems a code or a refresh token.
fn redeemed(connection: &mut Connection, client: &str, name: &str, secret: &str) -> (u16, Value) {
    let kind = if name == "code" { "authorization_code" } else { "refresh_token" };
    let verifier = grants::VERIFIER;
    let form = format!("{client}&grant_type={kind}&{name}={secret}&code_verifier={verifier}");
    connection.send(&Request::form("/connect/token", &form))
}

#[track_caller]
fn refused(answer: &(u16, Value)) {
    assert_eq!((answer.0, &answer.1["error"]), (400, &Value::from("invalid_grant")), "{answer:?}");
}

/// Signs Ana in through the API.
fn signs_in(connection: &mut Connection) {
    let start = Request::json("/flows", "", &json!({"kind": "sign_in", "session": "token"}));
    let (status, flow) = connection.send(&start);
    assert_eq!(status, 201, "{flow}");
    let headers = format!("Authorization: Flow {}\r\n", flow["flow_token"].as_str().unwrap());
    let body = json!({"email": "ana@example.com", "password": "Hello world!"});
    let path = format!("/flows/{}/password", flow["id"].as_str().unwrap());
    let (status, response_body) = connection.send(&Request::json(&path, &headers, &body));
    assert_eq!((status, &response_body["stage"]), (200, &Value::from("signed_in")), "{response_body}");
}

fn rows(manifest: &Path) -> BTreeMap<String, u64> {
    let manifest: Value = serde_json::from_str(&text_of(manifest)).unwrap();
    serde_json::from_value(manifest["rows"].clone()).unwrap()
}

fn rows_in(database: &Path, tables: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let database = rusqlite::Connection::open(database).unwrap();
    let count = |table: &String| {
        let statement = format!("SELECT count(*) FROM {table}");
        let rows: i64 = database.query_row(&statement, [], |row| row.get(0)).unwrap();
        (table.clone(), rows.unsigned_abs())
    };
    tables.keys().map(count).collect()
}

/// Another machine with only the backup and the instance key.
fn elsewhere(machine: &Machine) -> Machine {
    let other = Machine::new().with("SINETE_BASE_URL", grants::ISSUER);
    for name in ["b.db", "b.db.manifest.json"] {
        std::fs::copy(machine.path(name), other.path(name)).unwrap();
    }
    other.private("instance.key", &text_of(&machine.path("sinete-data/instance.key")));
    other.with("SINETE_INSTANCE_KEY_FILE", "instance.key")
}

#[test]
fn restored_backup_is_complete_signs_users_in_and_rejects_newer_tokens() {
    let machine = Machine::new().with("SINETE_BASE_URL", grants::ISSUER);
    let client = furnished(&machine);
    let server = machine.serve();
    let database = machine.path("sinete-data/sinete.db");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let prepared = runtime.block_on(Prepared::at(&format!("sqlite://{}", database.display())));
    let load = Load::on(&database);
    eventually("something is written", || load.so_far() > 50);
    let (old_code, old_token) =
        (runtime.block_on(prepared.code()), runtime.block_on(prepared.refresh_token()));
    machine.run(&["backup", "--output", "b.db"]).succeeded();
    // After the backup, something is issued and something existing is renewed.
    let mut connection = Connection::to(server.public);
    let (status, renewed) = redeemed(&mut connection, &client, "refresh_token", &old_token);
    assert_eq!(status, 200, "{renewed}");
    let newer_token = renewed["refresh_token"].as_str().unwrap().to_owned();
    let newer_code = runtime.block_on(prepared.code());
    load.end();
    runtime.block_on(prepared.close());
    server.stop().succeeded();

    let other = elsewhere(&machine);
    let output = other.run(&["restore", "b.db"]).succeeded().out;
    assert!(output.contains("all users sign in again"), "{output}");
    let expected_rows = rows(&machine.path("b.db.manifest.json"));
    let mut restored = rows_in(&other.path("sinete-data/sinete.db"), &expected_rows);
    // The restore event is the only new row.
    if let Some(count) = restored.get_mut("security_log") {
        *count = (*count).min(expected_rows["security_log"]);
    }
    assert_eq!(restored, expected_rows);
    let server = other.serve();
    let mut connection = Connection::to(server.public);
    for (name, secret) in [
        ("code", &newer_code),
        ("refresh_token", &newer_token),
        // Copies of what was renewed or used since the backup are invalid too.
        ("code", &old_code),
        ("refresh_token", &old_token),
    ] {
        refused(&redeemed(&mut connection, &client, name, secret));
    }
    signs_in(&mut connection);
    server.stop().succeeded();
    assert!(other.run(&["log", "verify"]).succeeded().out.starts_with("0 findings"));

    // With `--moved`, nothing is revoked.
    let moved = elsewhere(&machine);
    moved.run(&["restore", "--moved", "b.db"]).succeeded();
    let server = moved.serve();
    let mut connection = Connection::to(server.public);
    refused(&redeemed(&mut connection, &client, "refresh_token", &newer_token));
    assert_eq!(redeemed(&mut connection, &client, "refresh_token", &old_token).0, 200);
}

#[test]
fn postgres_copy_restored_with_other_tools_has_its_grants_revoked_by_admin_restored() {
    let address = postgres_database();
    let machine =
        Machine::new().with("SINETE_DATABASE_URL", address.clone()).with("SINETE_BASE_URL", grants::ISSUER);
    let client = furnished(&machine);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let prepared = runtime.block_on(Prepared::at(&address));
    let (code, token) = (runtime.block_on(prepared.code()), runtime.block_on(prepared.refresh_token()));
    runtime.block_on(prepared.close());
    let output = machine.run(&["admin", "restored", "--taken-at", "2026-11-15T00:00:00Z"]).succeeded().out;
    assert!(output.contains("every grant is revoked"), "{output}");
    let server = machine.serve();
    let mut connection = Connection::to(server.public);
    refused(&redeemed(&mut connection, &client, "code", &code));
    refused(&redeemed(&mut connection, &client, "refresh_token", &token));
    signs_in(&mut connection);
    server.stop().succeeded();
    assert!(machine.run(&["log", "verify"]).succeeded().out.starts_with("0 findings"));
}

/// The folder of the newest installed PostgreSQL programs.
pub fn postgres_programs() -> String {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut folders: Vec<_> = installed.map(|entry| entry.unwrap().path().join("bin")).collect();
    folders.sort();
    let newest = folders.into_iter().rev().find(|folder| folder.join("pg_dump").exists());
    newest.map_or_else(|| "/usr/bin".to_owned(), |folder| folder.display().to_string())
}

#[test]
fn postgres_scripts_back_up_and_restore_and_refuse_damaged_or_used_targets() {
    let (address, empty) = (postgres_database(), postgres_database());
    let machine = Machine::new()
        .with("SINETE_DATABASE_URL", address.clone())
        .with("SINETE_BASE_URL", grants::ISSUER)
        .with("SINETE_INSTANCE_KEY_FILE", "instance.key");
    let key = machine.run(&["keys", "instance-key"]).succeeded().out;
    machine.private("instance.key", &key);
    let client = furnished(&machine);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let prepared = runtime.block_on(Prepared::at(&address));
    let token = runtime.block_on(prepared.refresh_token());
    runtime.block_on(prepared.close());
    let server = machine.serve();
    let script = |name: &str, arguments: &[&str]| {
        let folder = Path::new(env!("CARGO_BIN_EXE_sinete")).parent().unwrap();
        let path = format!("{}:{}:/usr/bin:/bin", folder.display(), postgres_programs());
        machine.script(&format!("{}/../../scripts/{name}", env!("CARGO_MANIFEST_DIR")), arguments, &path)
    };
    let output = script("backup-postgres", &[&address, "b.dump"]).succeeded().out;
    assert!(output.contains("b.dump holds"), "{output}");
    script("backup-postgres", &[&address, "b.dump"]).ended_with(2).saying("is there already");
    server.stop().succeeded();

    script("restore-postgres", &["b.dump", &address]).ended_with(3).saying("is not empty");
    let dump = std::fs::read(machine.path("b.dump")).unwrap();
    std::fs::write(machine.path("b.dump"), &dump[..dump.len() / 2]).unwrap();
    script("restore-postgres", &["b.dump", &empty]).ended_with(4).saying("is damaged");
    std::fs::write(machine.path("b.dump"), &dump).unwrap();
    let output = script("restore-postgres", &["b.dump", &empty]).succeeded().out;
    assert!(output.contains("0 findings") && output.contains("every grant is revoked"), "{output}");
    let restored = machine.with("SINETE_DATABASE_URL", empty);
    let server = restored.serve();
    let mut connection = Connection::to(server.public);
    refused(&redeemed(&mut connection, &client, "refresh_token", &token));
    signs_in(&mut connection);
}
