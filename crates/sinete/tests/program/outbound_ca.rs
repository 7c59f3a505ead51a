//! Tests of `outbound.ca_file`: webhooks reach a server whose certificate is from an own CA, if that CA is trusted.

use crate::machine::{Machine, PATIENCE, eventually};
use crate::smtp_server::certificates;
use crate::webhooks::{ask, furnished};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A webhook endpoint with TLS. Counts the requests that it receives.
fn start_endpoint(tls: Arc<ServerConfig>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("localhost:0").unwrap();
    let (port, received) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&received);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&tls)).unwrap(), stream);
            // A client that does not trust the certificate ends the handshake here.
            let Ok(1..) = stream.read(&mut [0; 16_384]) else { continue };
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(b"HTTP/1.1 204 Taken\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    (port, received)
}

/// Creates a webhook and one event, and returns the result of the last delivery attempt once `is_done`.
fn deliver(machine: Machine, port: u16, mut is_done: impl FnMut(&Value) -> bool) {
    let (machine, key) = furnished(machine);
    let node = machine.serve();
    let webhooks = "/manage/organizations/acme/webhooks";
    let webhook = json!({"address": format!("https://localhost:{port}/events"), "kinds": ["role.created"]});
    let id =
        ask(&node, &key, &format!("POST {webhooks}"), &webhook)["webhook"]["id"].as_str().unwrap().to_owned();
    ask(&node, &key, "POST /manage/organizations/acme/roles", &json!({"name": "auditor"}));
    eventually("the delivery", || {
        is_done(&ask(&node, &key, &format!("GET {webhooks}/{id}/attempts"), &Value::Null))
    });
    node.stop().succeeded();
}

#[test]
fn outbound_ca_file_is_trusted_for_webhooks() {
    let (tls, authority) = certificates();
    let (port, received) = start_endpoint(tls);
    let machine = Machine::new().with("SINETE_OUTBOUND_CA_FILE", "ca.pem");
    machine.private("ca.pem", &authority);
    deliver(machine, port, |_| received.load(Ordering::SeqCst) == 1);
}

#[test]
fn outbound_tls_server_of_an_unknown_ca_receives_nothing() {
    let (tls, _) = certificates();
    let (port, received) = start_endpoint(tls);
    deliver(Machine::new(), port, |attempts| {
        attempts["items"].as_array().unwrap().iter().any(|attempt| attempt["status"].is_null())
    });
    assert_eq!(received.load(Ordering::SeqCst), 0);
}

#[test]
fn outbound_ca_file_without_a_certificate_is_reported_at_startup() {
    let machine = Machine::new().with("SINETE_OUTBOUND_CA_FILE", "ca.pem");
    machine.private("ca.pem", "no certificate\n");
    machine.run(&["serve"]).ended_with(2).saying("outbound.ca_file");
}
