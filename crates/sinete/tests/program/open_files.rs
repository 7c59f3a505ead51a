//! Tests of file descriptor limits: raised as far as possible, with a reserve that idle connections cannot
//! use.

use crate::machine::{Machine, eventually, get, text_of};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

const SERVICE: &str = r#"
[clients.worker]
kind = "service"
verified = true
organization = "operator"
roles = ["operator"]
secret = { env = "WORKER_SECRET" }
metadata = { client_name = "Worker", grant_types = ["client_credentials"], token_endpoint_auth_method = "client_secret_post", scope = "instance:read" }
"#;

/// The status of a token request; `None` without a response.
fn token(address: SocketAddr, secret: &str) -> Option<u16> {
    let body = format!("grant_type=client_credentials&client_id=worker&client_secret={secret}");
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(5)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let length = body.len();
    let head = "POST /connect/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n";
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn open_file_soft_limit_is_raised_to_the_hard_limit() {
    let machine = Machine::new().after("ulimit -Sn 300; ulimit -Hn 1000");
    let server = machine.serve();
    let limits = text_of(Path::new(&format!("/proc/{}/limits", server.process())));
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let numbers: Vec<_> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers, ["1000", "1000"], "{line}");
    server.stop().succeeded();
    // `doctor` compares the configuration with the limit that `serve` will have.
    let output = machine.run(&["doctor"]).out;
    assert!(
        output.contains("may open 1000 files") && output.contains("limits.connections is 16384"),
        "{output}"
    );
    let fits = machine.with("SINETE_LIMITS_CONNECTIONS", "500").run(&["doctor"]).out;
    assert!(!fits.contains("may open"), "{fits}");
}

#[test]
fn open_file_limit_of_256_with_800_idle_connections_keeps_health_and_tokens_available() {
    // The test process needs descriptors for the connections too.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let machine = Machine::new();
    let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
    let secret = secret.trim();
    let machine = machine.with("WORKER_SECRET", secret).after("ulimit -n 256");
    machine.file("service.toml", SERVICE, 0o644);
    machine.run(&["apply", "-f", "service.toml", "--yes"]).succeeded();
    let server = machine.serve();
    assert_eq!(token(server.public, secret), Some(200));
    let silent: Vec<_> = (0..800).map(|_| TcpStream::connect(server.public)).collect();
    assert!(silent.iter().filter(|stream| stream.is_ok()).count() > 700, "the system took most of them");
    for _ in 0..5 {
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert_eq!(get(server.admin, path).0, 200, "{path}");
        }
    }
    // The idle connections are closed by the server's timeouts alone.
    eventually("that tokens are issued again", || token(server.public, secret) == Some(200));
    for _ in 0..20 {
        assert_eq!(token(server.public, secret), Some(200));
    }
    drop(silent);
    let log = server.stop().succeeded().err;
    assert!(!log.contains("no connection could be accepted"), "no descriptor was ever missing: {log}");
    assert!(log.contains("leaves fewer connections"), "{log}");
}
