//! Two processes on one PostgreSQL database, and 64 racers between them: of one code, and of one refresh token,
//! exactly one is redeemed, and what it was redeemed for is worth nothing afterwards.

#[path = "one_success/prepared.rs"]
mod prepared;

use crate::machine::{Machine, postgres_database};
use prepared::Prepared;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const RACERS: usize = 64;
const ROUNDS: usize = 200;

const INSTANCE: &str = r#"
[organizations.acme]
name = "Acme"

[clients.app]
kind = "application"
organization = "acme"
secret = { file = "app.secret" }
metadata = { client_name = "App", redirect_uris = ["https://app.example/callback"], token_endpoint_auth_method = "client_secret_post" }
"#;

/// A connection that is kept.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn to(node: SocketAddr) -> Self {
        let stream = TcpStream::connect(node).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(BufReader::new(stream))
    }

    fn post(&mut self, path: &str, form: &str) -> (u16, Value) {
        let (kind, length) = ("application/x-www-form-urlencoded", form.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{form}"
        );
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if line.trim_end().is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().unwrap();
            }
            let lower = line.to_ascii_lowercase();
            if let Some(rest) = lower.strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}

/// Racers that wait on their connections, half of them at each node.
struct Field {
    starts: Vec<Sender<String>>,
    arrivals: Receiver<(u16, Value)>,
}

impl Field {
    fn at(nodes: [SocketAddr; 2]) -> Self {
        let (arrive, arrivals) = channel();
        let starts = (0..RACERS).map(|racer| {
            let (start, waits) = channel::<String>();
            let (arrive, node) = (arrive.clone(), nodes[racer % 2]);
            std::thread::spawn(move || {
                let mut connection = Connection::to(node);
                for form in waits {
                    let _ = arrive.send(connection.post("/connect/token", &form));
                }
            });
            start
        });
        Self { starts: starts.collect(), arrivals }
    }

    /// Lets everybody ask the same, and answers with what the one who got something got.
    fn race(&self, form: &str) -> Value {
        for start in &self.starts {
            start.send(form.to_owned()).unwrap();
        }
        let answers: Vec<_> = self.arrivals.iter().take(RACERS).collect();
        let mut won: Vec<_> = answers.iter().filter(|(status, _)| *status == 200).collect();
        assert_eq!(won.len(), 1, "{answers:?}");
        for (status, body) in answers.iter().filter(|(status, _)| *status != 200) {
            assert_eq!((*status, &body["error"]), (400, &Value::from("invalid_grant")), "{body}");
        }
        won.remove(0).1.clone()
    }
}

/// Everything that came of the winner's answer counts for nothing, on either node.
fn must_be_dead(asker: &mut Connection, client: &str, won: &Value) {
    let form = |name: &str, token: &str| format!("{client}&{name}={}", won[token].as_str().unwrap());
    let told = asker.post("/connect/introspect", &form("token", "access_token"));
    assert_eq!(told, (200, serde_json::json!({"active": false})));
    let refresh = format!("grant_type=refresh_token&{}", form("refresh_token", "refresh_token"));
    let (status, refused) = asker.post("/connect/token", &refresh);
    assert_eq!((status, &refused["error"]), (400, &Value::from("invalid_grant")));
}

#[test]
fn of_64_who_redeem_one_code_or_one_refresh_token_on_two_nodes_one_succeeds_and_nothing_of_it_lasts() {
    let address = postgres_database();
    let machines = [(); 2].map(|()| {
        // Whoever wins does not depend on how durable the database is, so any will do.
        let machine = Machine::new()
            .with("SINETE_DATABASE_URL", address.clone())
            .with("SINETE_BASE_URL", prepared::ISSUER)
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key");
        machine.private("instance.key", "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n");
        machine
    });
    let secret = machines[0].run(&["admin", "client-secret"]).succeeded().out;
    machines[0].private("app.secret", &secret);
    machines[0].private("instance.toml", INSTANCE);
    machines[0].run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let [one, other] = [0, 1].map(|place: usize| machines[place].serve());

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let prepared = runtime.block_on(Prepared::at(&address));
    let field = Field::at([one.public, other.public]);
    let mut askers = [one.public, other.public].map(Connection::to);
    let client = format!("client_id=app&client_secret={}", secret.trim());
    for round in 0..ROUNDS {
        let code = runtime.block_on(prepared.code());
        let verifier = prepared::VERIFIER;
        let won = field
            .race(&format!("{client}&grant_type=authorization_code&code={code}&code_verifier={verifier}"));
        must_be_dead(&mut askers[round % 2], &client, &won);

        let token = runtime.block_on(prepared.refresh_token());
        let won = field.race(&format!("{client}&grant_type=refresh_token&refresh_token={token}"));
        must_be_dead(&mut askers[(round + 1) % 2], &client, &won);
    }
    runtime.block_on(prepared.close());
}
