//! Races of 64 requests to two processes on one PostgreSQL database: of everything that can be used once,
//! exactly one use succeeds.

#[path = "single_use_races/connection.rs"]
pub mod connection;
#[path = "single_use_races/credentials.rs"]
mod credentials;
#[path = "single_use_races/grants.rs"]
pub mod grants;

use crate::machine::{Machine, Server, postgres_database};
use connection::{Connection, Request};
use credentials::{Once, Proofs};
use grants::Prepared;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};

const RACERS: usize = 64;

/// The instance key of both nodes.
const INSTANCE_KEY: &str = "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8";

/// An organization with a client.
pub const INSTANCE: &str = r#"
[organizations.acme]
name = "Acme"

[clients.app]
kind = "application"
organization = "acme"
secret = { file = "app.secret" }
metadata = { client_name = "App", redirect_uris = ["https://app.example/callback"], token_endpoint_auth_method = "client_secret_post", grant_types = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba"] }
"#;

/// The number of races for each kind; `SINETE_TEST_ROUNDS` overrides it, as in
/// `SINETE_TEST_ROUNDS=200 ./scripts/test raced_by_64`.
fn rounds(usually: usize) -> usize {
    #[expect(clippy::disallowed_methods, reason = "the number of rounds is chosen for each run")]
    let result = std::env::var("SINETE_TEST_ROUNDS");
    result.map_or(usually, |rounds| rounds.parse().expect("SINETE_TEST_ROUNDS is a number"))
}

/// Two nodes with one key on one database, with its URL and the client secret.
fn two_nodes() -> (String, [Machine; 2], [Server; 2], String) {
    // The winner does not depend on durability, so commits need not wait for the disk.
    let address = format!("{}?options=-c%20synchronous_commit%3Doff", postgres_database());
    let machines = [(); 2].map(|()| {
        let machine = Machine::new()
            .with("SINETE_DATABASE_URL", address.clone())
            .with("SINETE_BASE_URL", grants::ISSUER)
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key");
        machine.private("instance.key", &format!("{INSTANCE_KEY}\n"));
        machine
    });
    let secret = machines[0].run(&["admin", "client-secret"]).succeeded().out;
    machines[0].private("app.secret", &secret);
    machines[0].private("instance.toml", INSTANCE);
    machines[0].run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let nodes = [0, 1].map(|index: usize| machines[index].serve());
    (address, machines, nodes, secret.trim().to_owned())
}

/// The racing connections, half of them to each node.
struct Field {
    starts: Vec<Sender<Request>>,
    arrivals: Receiver<(u16, Value)>,
}

impl Field {
    fn at(nodes: [SocketAddr; 2]) -> Self {
        let (arrive, arrivals) = channel();
        let starts = (0..RACERS).map(|racer| {
            let (start, waits) = channel::<Request>();
            let (arrive, node) = (arrive.clone(), nodes[racer % 2]);
            std::thread::spawn(move || {
                let mut connection = Connection::to(node);
                for request in waits {
                    let _ = arrive.send(connection.send(&request));
                }
            });
            start
        });
        Self { starts: starts.collect(), arrivals }
    }

    /// Sends all requests at once. Returns the winning response and the others.
    fn race(&self, requests: impl IntoIterator<Item = Request>) -> (Value, Vec<(u16, Value)>) {
        let mut request_count = 0;
        for (start, request) in self.starts.iter().zip(requests) {
            start.send(request).unwrap();
            request_count += 1;
        }
        assert_eq!(request_count, RACERS);
        let answers = self.arrivals.iter().take(RACERS);
        let (mut won, lost): (Vec<_>, Vec<_>) = answers.partition(|(status, _)| *status == 200);
        assert_eq!(won.len(), 1, "{won:?} {lost:?}");
        (won.remove(0).1, lost)
    }

    /// The same at the token endpoint, with the same form in all requests.
    fn redeem(&self, form: &str) -> Value {
        let request = Request::form("/connect/token", form);
        let (won, lost) = self.race(std::iter::repeat_n(request, RACERS));
        for (status, body) in lost {
            assert_eq!((status, &body["error"]), (400, &Value::from("invalid_grant")), "{body}");
        }
        won
    }
}

/// Asserts that everything from the winner's response is invalid on both nodes.
fn must_be_dead(connection: &mut Connection, client: &str, won: &Value) {
    let form = |name: &str, token: &str| format!("{client}&{name}={}", won[token].as_str().unwrap());
    let response = connection.send(&Request::form("/connect/introspect", &form("token", "access_token")));
    assert_eq!(response, (200, serde_json::json!({"active": false})));
    let refresh = format!("grant_type=refresh_token&{}", form("refresh_token", "refresh_token"));
    let (status, refused) = connection.send(&Request::form("/connect/token", &refresh));
    assert_eq!((status, &refused["error"]), (400, &Value::from("invalid_grant")));
}

#[test]
fn authorization_code_and_refresh_token_raced_by_64_requests_on_two_nodes_succeed_once() {
    let (address, _machines, [one, other], secret) = two_nodes();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let prepared = runtime.block_on(Prepared::at(&address));
    let field = Field::at([one.public, other.public]);
    let mut askers = [one.public, other.public].map(Connection::to);
    let client = format!("client_id=app&client_secret={secret}");
    for round in 0..rounds(60) {
        let code = runtime.block_on(prepared.code());
        let verifier = grants::VERIFIER;
        let won = field
            .redeem(&format!("{client}&grant_type=authorization_code&code={code}&code_verifier={verifier}"));
        must_be_dead(&mut askers[round % 2], &client, &won);

        let token = runtime.block_on(prepared.refresh_token());
        let won = field.redeem(&format!("{client}&grant_type=refresh_token&refresh_token={token}"));
        must_be_dead(&mut askers[(round + 1) % 2], &client, &won);

        if round % 2 == 0 {
            let code = runtime.block_on(prepared.device_code());
            let grant = "urn:ietf:params:oauth:grant-type:device_code";
            let won = field.redeem(&format!("{client}&grant_type={grant}&device_code={code}"));
            must_be_dead(&mut askers[round % 2], &client, &won);

            let request = runtime.block_on(prepared.approval());
            let grant = "urn:openid:params:grant-type:ciba";
            let won = field.redeem(&format!("{client}&grant_type={grant}&auth_req_id={request}"));
            must_be_dead(&mut askers[round % 2], &client, &won);
        }
    }
    runtime.block_on(prepared.close());
}

#[test]
fn single_use_credentials_and_invitations_raced_by_64_requests_on_two_nodes_succeed_once() {
    let (address, _machines, [one, other], _) = two_nodes();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut proofs = runtime.block_on(Proofs::at(&address));
    let field = Field::at([one.public, other.public]);
    let mut sessions = 0;
    for _ in 0..rounds(30) {
        for once in Once::ALL {
            let requests = runtime.block_on(proofs.prepare(once));
            let (won, lost) = field.race(requests);
            assert_eq!(won["stage"], once.leads_to(), "{once:?}: {won}");
            for (status, body) in lost {
                // Wrong stage, already used, outdated flow token, too many attempts, or no database
                // connection available.
                assert!([404, 409, 422, 429, 503].contains(&status), "{once:?}: {status} {body}");
            }
            sessions += i64::from(once.leads_to() == "signed_in");
        }
    }
    // Rejected requests left nothing behind.
    assert_eq!(runtime.block_on(proofs.sessions()), sessions);
    runtime.block_on(proofs.close());
}
