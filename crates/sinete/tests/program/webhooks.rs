//! Tests of webhooks: the delivering process is killed, and every event is still delivered, in order and with
//! its id.

use crate::machine::{Machine, PATIENCE, Server, eventually, postgres_database};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const INSTANCE: &str = r#"
[organizations.acme]
name = "Acme"

[clients.boss]
kind = "service"
organization = "acme"
roles = ["owner"]
secret = { file = "boss.secret" }
metadata = { client_name = "Boss", grant_types = ["client_credentials"] }
"#;

/// The number of events.
const EVENTS: usize = 20;
/// The request that gets no response: the node is killed while it waits.
const HELD: usize = 7;

/// A webhook endpoint that records ids and leaves one request without a response.
struct Listener {
    address: SocketAddr,
    told: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let event_ids = Arc::new(Mutex::new(Vec::new()));
        let (shared_ids, count) = (Arc::clone(&event_ids), Arc::new(AtomicUsize::new(0)));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (shared_ids, count) = (Arc::clone(&shared_ids), Arc::clone(&count));
                std::thread::spawn(move || answer(stream.unwrap(), &shared_ids, &count));
            }
        });
        Self { address, told: event_ids }
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, event_ids: &Mutex<Vec<String>>, count: &AtomicUsize) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let Ok(read @ 1..) = stream.read(&mut piece) else { return };
        text.extend_from_slice(&piece[..read]);
        let request_text = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = request_text.split_once("\r\n\r\n") else { continue };
        let find_header = |name: &str| {
            let prefix = format!("{name}: ");
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix(&prefix).map(str::to_owned))
        };
        if body.len() >= find_header("content-length").and_then(|it| it.parse().ok()).unwrap_or(0) {
            event_ids.lock().unwrap().push(find_header("webhook-id").unwrap());
            break;
        }
    }
    if count.fetch_add(1, Ordering::SeqCst) + 1 == HELD {
        // Until the client is gone.
        let _ = stream.read(&mut piece);
        return;
    }
    let _ = stream.write_all(b"HTTP/1.1 204 Taken\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}

pub fn ask(node: &Server, key: &str, request_line: &str, body: &Value) -> Value {
    let mut stream = TcpStream::connect(node.public).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    write!(
        stream,
        "{request_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 20"), "{request_line}: {answer}");
    serde_json::from_str(body).unwrap()
}

/// A machine with an organization and an owner's API key.
pub fn furnished(machine: Machine) -> (Machine, String) {
    let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
    machine.private("boss.secret", &secret);
    machine.private("instance.toml", INSTANCE);
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let scope = "webhooks:manage roles:manage audit:read";
    let command = ["admin", "api-key", "--organization", "acme", "--client", "boss", "--scope", scope];
    let key = machine.run(&command).succeeded().out.trim().to_owned();
    (machine, key)
}

/// Kills the delivering node, lets another continue, and checks the received events.
fn tell_and_kill(node: Server, key: &str, another: impl FnOnce() -> Server) {
    let listener = Listener::start();
    let address = format!("http://{}/events", listener.address);
    let acme = "/manage/organizations/acme";
    let webhook = json!({"address": address, "kinds": ["role.created"]});
    ask(&node, key, &format!("POST {acme}/webhooks"), &webhook);
    for number in 0..EVENTS {
        ask(&node, key, &format!("POST {acme}/roles"), &json!({"name": format!("role-{number}")}));
    }
    eventually("the request that is never answered", || listener.told().len() >= HELD);
    node.signal("KILL");
    drop(node);
    let in_flight = listener.told()[HELD - 1].clone();
    let other = another();
    let is_repeated = |event_ids: &[String]| event_ids.iter().filter(|id| **id == in_flight).count() > 1;
    eventually("the event is delivered again", || is_repeated(&listener.told()));
    let audit_log = ask(&other, key, &format!("GET {acme}/audit?kind=role.created&limit=200"), &Value::Null);
    let events =
        audit_log["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned());
    let events: Vec<String> = events.collect();
    assert_eq!(events.len(), EVENTS);
    eventually("that everything arrives", || events.iter().all(|id| listener.told().contains(id)));
    let mut first_times = Vec::new();
    for id in listener.told() {
        if !first_times.contains(&id) {
            first_times.push(id);
        }
    }
    assert_eq!(first_times, events);
    other.stop().succeeded();
}

#[test]
fn webhook_events_arrive_in_order_after_the_delivering_node_was_killed() {
    let (machine, key) = furnished(Machine::new());
    tell_and_kill(machine.serve(), &key, || machine.serve());
}

#[test]
fn webhook_delivery_continues_on_another_node_after_one_was_killed() {
    let address = postgres_database();
    let instance_key = "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n";
    let machine = || {
        let machine = Machine::new()
            .with("SINETE_DATABASE_URL", address.clone())
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key");
        machine.private("instance.key", instance_key);
        machine
    };
    let (one, key) = furnished(machine());
    let (two, first) = (machine(), one.serve());
    // The other node is already running and delivers too.
    let second = two.serve();
    tell_and_kill(first, &key, || second);
}
