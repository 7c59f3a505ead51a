//! Client libraries: ours, and published ones of other ecosystems. openid-client for Node.js and Authlib for Python run
//! everything from discovery to logout, and scim2-tester checks SCIM. `./scripts/test` installs all of them.

mod administration;
mod guards;
mod services;

use crate::both_engines;
use crate::harness::world::World;
use serde_json::Value;
use sinete_core::oauth::authorize::consent::ClientConsentMode;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::client_trust::{ClientEditor, RevokedClientTrust};
use sinete_store::JsonDocument;
use sinete_store::oauth::clients;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

/// The path of a library's script.
fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(name).display().to_string()
}

/// A file of our JavaScript library.
fn javascript(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("clients/javascript");
    folder.join(path).display().to_string()
}

#[expect(clippy::disallowed_methods, reason = "the test command sets the folder of the library")]
fn node_modules() -> String {
    std::env::var("SINETE_TEST_NODE_MODULES")
        .expect("SINETE_TEST_NODE_MODULES is not set: run ./scripts/test")
}

#[expect(clippy::disallowed_methods, reason = "the test command sets the folder of the library")]
fn python_modules() -> String {
    std::env::var("SINETE_TEST_PYTHON_MODULES")
        .expect("SINETE_TEST_PYTHON_MODULES is not set: run ./scripts/test")
}

/// An operator verifies the client and skips consent for it.
async fn trust(world: &World, id: &str) {
    let engine = world.server.engine();
    let client = clients::find_client(engine.store(), &id.parse().unwrap()).await.unwrap().unwrap();
    let metadata: ClientMetadata = client.metadata.parse().unwrap();
    let metadata = ClientMetadata { consent: ClientConsentMode::Implied, ..metadata };
    let trust = RevokedClientTrust::from_change(ClientEditor::Verifier, &metadata, &metadata);
    let changed = clients::ClientChange {
        name: &client.name,
        purpose: "",
        owner: None,
        scope: &client.scope,
        metadata: &JsonDocument::from_value(&metadata).unwrap(),
        trust,
    };
    let verified = clients::set_client_verified(&client.id, client.version, Some(engine.now()));
    let changed = clients::change_client(&client.id, client.version + 1, &changed, engine.now());
    world.apply_statements(std::iter::once(verified).chain(changed)).await;
}

/// Acts as the user while a library runs, and returns what the library reports.
async fn drive(world: &World, mut command: Command) -> Vec<String> {
    let tenant = world.create_organization("acme").await;
    let membership = world.create_member(&tenant, &["member"]).await;
    let browser = world.create_member_browser(&tenant, membership).await;
    command.env("SINETE_ISSUER", world.server.issuer.as_str());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut library = command.spawn().unwrap();
    let mut input = library.stdin.take().unwrap();
    let mut lines = BufReader::new(library.stdout.take().unwrap()).lines();
    let mut completed_steps = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        let (keyword, value) = line.split_once(' ').unwrap();
        let answer = match keyword {
            "registered" => {
                trust(world, value).await;
                "trusted".to_owned()
            }
            "authorize" | "logout" => {
                let session = format!("Session {}", browser.token);
                let answer = world.http.get(value).header("authorization", session).send().await.unwrap();
                let location = answer.headers().get("location").map(|it| it.to_str().unwrap().to_owned());
                let status = answer.status();
                location.unwrap_or_else(|| format!("nowhere: {status}"))
            }
            "done" => {
                completed_steps = value.split(' ').map(str::to_owned).collect();
                break;
            }
            _ => panic!("{line}"),
        };
        input.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    }
    let ended = library.wait_with_output().await.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    completed_steps
}

/// Every feature that the discovery document announces.
async fn everything(world: &World) -> Vec<&'static str> {
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    let steps = [
        ("discovery", "issuer"),
        ("registration", "registration_endpoint"),
        ("par", "pushed_authorization_request_endpoint"),
        ("authorize", "authorization_endpoint"),
        ("token", "token_endpoint"),
        ("refresh", "token_endpoint"),
        ("userinfo", "userinfo_endpoint"),
        ("introspect", "introspection_endpoint"),
        ("revoke", "revocation_endpoint"),
        ("logout", "end_session_endpoint"),
    ];
    steps.into_iter().filter(|(_, member)| document.get(member).is_some()).map(|(step, _)| step).collect()
}

both_engines!(
    openid_client_for_node_completes_every_flow,
    openid_client_for_node_completes_every_flow_with_dpop,
    authlib_for_python_completes_every_public_client_flow,
    scim2_tester_for_python_reports_no_errors
);

async fn openid_client_for_node_completes_every_flow(world: &World) {
    let mut node = Command::new("node");
    node.arg(script("openid_client.cjs")).env("NODE_PATH", node_modules());
    assert_eq!(drive(world, node).await, everything(world).await);
}

async fn openid_client_for_node_completes_every_flow_with_dpop(world: &World) {
    let mut node = Command::new("node");
    node.arg(script("openid_client.cjs")).env("NODE_PATH", node_modules()).env("SINETE_DPOP", "1");
    assert_eq!(drive(world, node).await, everything(world).await);
}

async fn authlib_for_python_completes_every_public_client_flow(world: &World) {
    let mut python = Command::new("/usr/bin/python3");
    python.arg(script("authlib_client.py"));
    let mut expected = everything(world).await;
    expected.retain(|step| !["par", "introspect", "logout"].contains(step));
    assert_eq!(drive(world, python).await, expected);
}

async fn scim2_tester_for_python_reports_no_errors(world: &World) {
    let directory = world.create_scim_client(&world.create_organization("acme").await).await;
    let mut python = Command::new("/usr/bin/python3");
    python.arg(script("scim_tester.py")).env("PYTHONPATH", python_modules());
    python.env("SINETE_ISSUER", world.server.issuer.as_str()).env("SINETE_KEY", &directory.secret);
    let ended = python.kill_on_drop(true).output().await.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
    let good: usize = stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(good >= 118, "{stdout}");
}
