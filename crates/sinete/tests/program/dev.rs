//! Tests of `sinete dev`: the demo data, and where it is refused.

use crate::machine::{Ended, Machine, PATIENCE, Server};
use crate::sign_in_on_nodes::{FlowOnNode, ask, held, thrifty};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

fn prepare(machine: &Machine) -> Ended {
    machine.run(&["dev", "--prepare"])
}

/// The value after this name, at its given occurrence.
fn value_after<'a>(text: &'a str, name: &str, occurrence: usize) -> &'a str {
    let line = text.lines().filter(|line| line.trim_start().starts_with(name)).nth(occurrence);
    line.unwrap_or_else(|| panic!("{name} is missing: {text}")).split_whitespace().last().unwrap()
}

fn count(machine: &Machine, table: &str) -> i64 {
    let database = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
    database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

/// Requests a token as the service, and returns the status and body.
fn request_token(node: &Server, secret: &str) -> (u16, Value) {
    let body = "grant_type=client_credentials&resource=https://api.demo.example&scope=notes:write";
    let basic = BASE64_STANDARD.encode(format!("demo-service:{secret}"));
    let mut stream = TcpStream::connect(node.public).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "POST /connect/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic {basic}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_default())
}

#[test]
fn dev_users_sign_in_with_the_printed_passwords_through_the_flow_api() {
    let machine = thrifty();
    let output = prepare(&machine).succeeded().out;
    assert!(output.lines().count() <= 30, "it fits a screen: {output}");
    let node = machine.serve();
    for (email, organizations) in
        [("olivia@demo.example", "demo"), ("miguel@demo.example", "demo"), ("vera@demo.example", "home")]
    {
        let line = output.lines().find(|line| line.contains(email)).unwrap();
        let password = line.split_whitespace().nth(1).unwrap();
        let (mut flow, _) = FlowOnNode::begin(&node, "", json!({"kind": "sign_in"}));
        let (status, _) = flow.says(&node, "password", json!({"email": email, "password": "another one"}));
        assert_eq!(status, 422);
        let (status, body) = flow.says(&node, "password", json!({"email": email, "password": password}));
        assert_eq!((status, &body["stage"]), (200, &json!("signed_in")), "{body}");
        let (status, memberships) = ask(&node, "GET /account/memberships", &held(&body), &Value::Null);
        assert_eq!(status, 200, "{memberships}");
        assert_eq!(memberships["items"].as_array().unwrap().len(), 1, "{memberships}");
        assert!(memberships.to_string().contains(&format!("\"{organizations}\"")), "{memberships}");
    }
    assert_eq!(count(&machine, "membership_roles JOIN roles ON roles.id = role_id WHERE name = 'owner'"), 1);
    node.stop().succeeded();
}

#[test]
fn dev_service_gets_a_token_with_the_printed_secret() {
    let machine = thrifty();
    let output = prepare(&machine).succeeded().out;
    let secret = value_after(&output, "client_secret", 1);
    let node = machine.serve();
    let (status, body) = request_token(&node, secret);
    assert_eq!((status, &body["scope"]), (200, &json!("notes:write")), "{body}");
    // The secret of another client is rejected.
    assert_eq!(request_token(&node, value_after(&output, "client_secret", 0)).0, 401);
    node.stop().succeeded();
}

#[test]
fn dev_run_again_changes_nothing() {
    let machine = thrifty();
    let output = prepare(&machine).succeeded().out;
    let tables = ["accounts", "clients", "client_secrets", "membership_roles", "apis", "security_log"];
    let before = tables.map(|table| count(&machine, table));
    assert_eq!(prepare(&machine).succeeded().out, output);
    assert_eq!(before, tables.map(|table| count(&machine, table)));
    // The same while a server is running.
    let node = machine.serve();
    assert_eq!(prepare(&machine).succeeded().out, output);
    node.stop().succeeded();
    assert!(machine.run(&["log", "verify"]).succeeded().out.starts_with("0 findings"));
}

#[test]
fn dev_serves_and_prints_the_issuer_that_it_serves() {
    let machine = thrifty();
    let node = machine.serve_with(&["dev"]);
    let port = node.public.port();
    let (status, _) = node.get(node.public, "/healthz");
    assert_eq!(status, 200);
    let ended = node.stop().succeeded();
    assert!(ended.out.contains(&format!("Sign in at http://localhost:{port}/sign-in")), "{ended:?}");
    assert!(ended.out.contains("demo-spa") && ended.out.contains("http://localhost:5173/callback"));
}

#[test]
fn dev_is_refused_in_production_and_off_loopback() {
    let refused = |machine: Machine, reason: &str| {
        let before = machine.listing();
        prepare(&machine).ended_with(3).saying(reason).in_one_line();
        machine.run(&["dev"]).ended_with(3).saying(reason);
        assert_eq!(machine.listing(), before, "nothing was written");
    };
    refused(Machine::fit_for_production(), "is not for production");
    refused(Machine::new().with("SINETE_LISTEN", "0.0.0.0:0"), "other machines could reach");
    refused(Machine::new().with("SINETE_BASE_URL", "https://id.example.com"), "other machines could reach");
}
