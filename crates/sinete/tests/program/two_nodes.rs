//! Tests of two processes on one PostgreSQL database: what is disabled on one is rejected by the other at the
//! next request, and enabling it takes effect as well.

use crate::machine::{Machine, PATIENCE, Server, patient, postgres_database};
use serde_json::{Value, json};
use sinete::os::{OsEntropy, SystemClock};
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::{JsonDocument, Store, StoreAccess, WriteBatch, accounts, organizations};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The maximum time until the other node's response reflects a change.
const NOTICED_WITHIN: Duration = Duration::from_secs(1);

const INSTANCE: &str = r#"
[organizations.acme]
name = "Acme"

[organizations.acme.roles.clerk]
permissions = ["members:read"]

[clients.ops]
kind = "service"
organization = "operator"
roles = ["operator"]
secret = { file = "ops.secret" }
metadata = { client_name = "Operations", grant_types = ["client_credentials"] }

[clients.boss]
kind = "service"
organization = "acme"
roles = ["owner"]
secret = { file = "boss.secret" }
metadata = { client_name = "Boss", grant_types = ["client_credentials"] }

[clients.robot]
kind = "agent"
organization = "acme"
roles = ["clerk"]
purpose = "Counts the members"
verified = true
secret = { file = "robot.secret" }
metadata = { client_name = "Robot", grant_types = ["client_credentials"], scope = "members:read", token_endpoint_auth_method = "client_secret_post" }

[clients.portal]
kind = "application"
organization = "acme"
metadata = { client_name = "Portal", redirect_uris = ["https://portal.example/callback"], scope = "openid", token_endpoint_auth_method = "none" }
"#;

/// The holder of a key.
struct Holder(String);

impl Holder {
    fn of(machine: &Machine, organization: &str, client: &str, scope: &str) -> Self {
        let command =
            ["admin", "api-key", "--organization", organization, "--client", client, "--scope", scope];
        Self(machine.run(&command).succeeded().out.trim().to_owned())
    }

    /// The same client with an access token from this node.
    fn with_token(node: &Server, client: &str, secret: &str, scope: &str) -> Self {
        let body =
            format!("grant_type=client_credentials&client_id={client}&client_secret={secret}&scope={scope}");
        let mut stream = TcpStream::connect(node.public).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /connect/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        Self(body["access_token"].as_str().unwrap_or_else(|| panic!("no token: {answer}")).to_owned())
    }

    fn ask(&self, node: &Server, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask_at(node.public, &format!("{method} {path}"), None, body)
    }

    /// Sends a request, with `If-Match` if a version is given.
    fn ask_at(
        &self,
        node: SocketAddr,
        request_line: &str,
        expected_version: Option<i64>,
        body: &Value,
    ) -> (u16, Value) {
        let mut stream = TcpStream::connect(node).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let if_match =
            expected_version.map(|version| format!("If-Match: \"{version}\"\r\n")).unwrap_or_default();
        write!(
            stream,
            "{request_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n{if_match}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.0,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// The status of listing the members, which must arrive in time. There is no delay before the request,
    /// because changes on the other node must take effect at once.
    #[expect(clippy::disallowed_methods, reason = "measures how long the other node takes to notice")]
    fn looks(&self, node: &Server) -> u16 {
        let started_at = Instant::now();
        let (status, _) = self.ask(node, "GET", "/manage/organizations/acme/members", &Value::Null);
        assert!(started_at.elapsed() < NOTICED_WITHIN, "it took {:?}", started_at.elapsed());
        status
    }
}

/// An agent with an API key and an access token.
struct Robot([Holder; 2]);

impl Robot {
    /// The status of listing the members, which must be the same for both.
    fn looks(&self, node: &Server) -> u16 {
        let [key, token] = [0, 1].map(|index: usize| self.0[index].looks(node));
        assert_eq!(key, token, "a key and a token of one agent have different results");
        key
    }
}

/// Two machines of one instance, and the client secret of its robot.
pub fn two_machines() -> ([Machine; 2], String) {
    let (machines, secret, _) = prepared();
    (machines, secret)
}

/// The same, with the database URL.
fn two_machines_at() -> ([Machine; 2], String) {
    let (machines, _, address) = prepared();
    (machines, address)
}

fn prepared() -> ([Machine; 2], String, String) {
    let address = postgres_database();
    let machines = [(); 2].map(|()| {
        let machine = Machine::fit_for_production().with("SINETE_DATABASE_URL", address.clone());
        machine.private("instance.key", "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n");
        machine
    });
    // Nodes of one instance share their signing keys.
    for algorithm in [SigningAlgorithm::Es256, SigningAlgorithm::Rs256] {
        let name = format!("{algorithm}.pem");
        machines[1].private(&name, &std::fs::read_to_string(machines[0].path(&name)).unwrap());
    }
    let mut secret = String::new();
    for client in ["ops", "boss", "robot"] {
        secret = machines[0].run(&["admin", "client-secret"]).succeeded().out;
        machines[0].private(&format!("{client}.secret"), &secret);
    }
    machines[0].private("instance.toml", INSTANCE);
    machines[0].run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    (machines, secret.trim().to_owned(), address)
}

#[test]
fn organization_membership_agent_or_role_disabled_on_one_node_is_refused_by_the_other() {
    let (machines, secret) = two_machines();
    let [one, other] = [0, 1].map(|index: usize| machines[index].serve());
    let owners = "organization:read members:read members:manage roles:read roles:manage clients:read clients:manage agents:manage";
    let boss = Holder::of(&machines[0], "acme", "boss", owners);
    let key = Holder::of(&machines[0], "acme", "robot", "members:read");
    let robot = Robot([key, Holder::with_token(&one, "robot", &secret, "members:read")]);
    let ops = Holder::of(&machines[0], "operator", "ops", "organizations:administer");
    let assign_command =
        ["admin", "assign", "--organization", "acme", "--client", "ops", "--reason", "a trial"];
    machines[0].run(&assign_command).succeeded();
    let acme = |below: &str| format!("/manage/organizations/acme{below}");
    assert_eq!((robot.looks(&one), robot.looks(&other)), (200, 200));

    // A suspended organization can be read but not changed.
    let reason = json!({"reason": "a trial"});
    assert_eq!(ops.ask(&one, "POST", &acme("/suspend"), &reason).0, 200);
    assert_eq!(robot.looks(&other), 200);
    let clerk = json!({"name": "late"});
    assert_eq!(
        boss.ask(&other, "POST", &acme("/roles"), &clerk).1["type"],
        "urn:sinete:problem:organization_suspended"
    );
    assert_eq!(ops.ask(&other, "POST", &acme("/restore"), &reason).0, 200);
    assert_eq!(boss.ask(&one, "POST", &acme("/roles"), &clerk).0, 201);

    // A membership is disabled.
    let robot_client = boss.ask(&one, "GET", &acme("/clients/robot"), &Value::Null).1;
    let member = acme(&format!("/members/{}", robot_client["membership"].as_str().unwrap()));
    assert_eq!(boss.ask(&one, "POST", &format!("{member}/disable"), &Value::Null).0, 200);
    assert_eq!(robot.looks(&other), 401);
    assert_eq!(boss.ask(&other, "POST", &format!("{member}/enable"), &Value::Null).0, 200);
    assert_eq!(robot.looks(&one), 200);

    // An agent is disabled.
    assert_eq!(boss.ask(&one, "POST", &acme("/clients/robot/disable"), &Value::Null).0, 200);
    assert_eq!(robot.looks(&other), 401);
    assert_eq!(boss.ask(&other, "POST", &acme("/clients/robot/enable"), &Value::Null).0, 200);
    assert_eq!(robot.looks(&one), 200);

    // A role is removed from the member and assigned again.
    let role = robot_client["roles"][0]["id"].as_str().unwrap();
    let roles_body = boss.ask(&one, "GET", &acme("/roles"), &Value::Null).1;
    let late = roles_body["items"].as_array().unwrap().iter().find(|role| role["name"] == "late").unwrap();
    for (roles, answer) in [(json!([late["id"]]), 403), (json!([role]), 200)] {
        let version = boss.ask(&one, "GET", &member, &Value::Null).1["version"].as_i64().unwrap();
        let new_roles = json!({"roles": roles});
        assert_eq!(boss.ask_at(one.public, &format!("PUT {member}/roles"), Some(version), &new_roles).0, 200);
        assert_eq!(robot.looks(&other), answer);
    }

    // The role is deleted.
    let role = acme(&format!("/roles/{role}"));
    assert_eq!(boss.ask_at(one.public, &format!("DELETE {role}"), Some(1), &Value::Null).0, 204);
    assert_eq!(robot.looks(&other), 403);
    for node in [one, other] {
        node.stop().succeeded();
    }
}

/// Creates a member directly in the database.
fn person(address: &str) -> MembershipId {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = Store::open(&address.parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
        let (now, nothing) = (SystemClock.now(), JsonDocument::from_value(&json!({})).unwrap());
        let acme = organizations::find_organization_by_slug(&store, &"acme".parse().unwrap(), now)
            .await
            .unwrap()
            .unwrap()
            .id;
        let roles = roles::list_roles(&store, acme).await.unwrap();
        let role = roles.iter().find(|role| role.role.name() == "member").unwrap().id;
        let (account, id) = (AccountId::mint(now, &OsEntropy), MembershipId::mint(now, &OsEntropy));
        let new = NewMembership {
            id,
            organization: acme,
            holder: &MembershipHolder::User(account),
            profile: &nothing,
            external_id: None,
            created_at: now,
        };
        let steps =
            [accounts::create_account(account, None, &nothing, now), memberships::create_membership(&new)];
        let batch =
            WriteBatch::new().with_statements(steps).with_statement(memberships::add_role(id, role, now));
        store.commit(batch).await.unwrap().into_result().unwrap();
        store.close().await;
        id
    })
}

#[test]
fn api_key_assignment_and_impersonation_revoked_on_one_node_are_refused_by_the_other() {
    let (machines, address) = two_machines_at();
    let [one, other] = [0, 1].map(|index: usize| machines[index].serve());
    let boss = Holder::of(&machines[0], "acme", "boss", "api_keys:manage members:read webhooks:manage");
    let scope = "instance:read instance:operate organizations:administer accounts:impersonate";
    let ops = Holder::of(&machines[0], "operator", "ops", scope);
    let acme = |below: &str| format!("/manage/organizations/acme{below}");

    // An API key.
    let key = Holder::of(&machines[0], "acme", "robot", "members:read");
    assert_eq!(key.looks(&other), 200);
    let api_keys = boss.ask(&one, "GET", &acme("/api-keys"), &Value::Null).1;
    let newest = api_keys["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(boss.ask(&one, "DELETE", &acme(&format!("/api-keys/{newest}")), &Value::Null).0, 204);
    assert_eq!(key.looks(&other), 401);

    // An assignment.
    let assign_command =
        ["admin", "assign", "--organization", "acme", "--client", "ops", "--reason", "a trial"];
    machines[0].run(&assign_command).succeeded();
    assert_eq!(ops.ask(&other, "GET", &acme(""), &Value::Null).0, 200);
    let end = |ops: &Holder| {
        let assignments = ops.ask(&one, "GET", "/manage/assignments?organization=acme", &Value::Null).1;
        let newest =
            assignments["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
        assert_eq!(ops.ask(&one, "DELETE", &format!("/manage/assignments/{newest}"), &Value::Null).0, 204);
    };
    end(&ops);
    assert_eq!(ops.ask(&other, "GET", &acme(""), &Value::Null).0, 404);

    // An impersonation.
    let member = person(&address).to_string();
    machines[0].run(&[&assign_command[..], &["--as", &member]].concat()).succeeded();
    let assignments = ops.ask(&one, "GET", "/manage/assignments?organization=acme", &Value::Null).1;
    let assignment =
        assignments["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/manage/assignments/{assignment}/impersonate");
    let (status, issued) = ops.ask(&one, "POST", &path, &json!({"client": "portal", "scope": "openid"}));
    assert_eq!(status, 200, "{issued}");
    let holder = Holder(issued["access_token"].as_str().unwrap().to_owned());
    let (status, body) = holder.ask(&other, "GET", "/connect/userinfo", &Value::Null);
    assert_eq!((status, body["sub"].as_str()), (200, Some(member.as_str())));

    // SCIM disables and enables the member.
    let directory = Holder::of(&machines[0], "acme", "boss", "scim:provision organization:read");
    for (active, answer) in [("False", 401), ("True", 200)] {
        let turned = json!({"Operations": [{"op": "Replace", "path": "active", "value": active}]});
        assert_eq!(directory.ask(&one, "PATCH", &format!("/scim/v2/Users/{member}"), &turned).0, 200);
        assert_eq!(holder.ask(&other, "GET", "/connect/userinfo", &Value::Null).0, answer);
    }
    end(&ops);
    assert_eq!(holder.ask(&other, "GET", "/connect/userinfo", &Value::Null).0, 401);

    // In production, webhooks over plain http are rejected.
    let plain = json!({"address": "http://example.com/events"});
    assert_eq!(boss.ask(&one, "POST", &acme("/webhooks"), &plain).0, 422);
    let secure = json!({"address": "https://example.com/events", "kinds": ["role.removed"]});
    assert_eq!(boss.ask(&one, "POST", &acme("/webhooks"), &secure).0, 201);
    for node in [one, other] {
        node.stop().succeeded();
    }
}
