//! Tests of serving: start, exclusive database access, and shutdown.

use crate::machine::{Machine, eventually, postgres_database};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::migrate::MigrationProgress;
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreOptions, migrate};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc;

#[test]
fn serve_without_configuration_is_a_complete_development_instance() {
    let machine = Machine::new();
    let server = machine.serve();
    let address = format!("http://localhost:{}", server.public.port());
    assert_eq!(server.get(server.public, "/healthz"), (200, "{\"status\":\"ok\"}".to_owned()));
    assert_eq!(server.get(server.admin, "/readyz"), (200, "{\"status\":\"ready\"}".to_owned()));
    assert!(server.get(server.public, "/").1.contains("<html"), "screens are on");
    let figures = server.get(server.admin, "/metrics").1;
    assert!(figures.contains("sinete_http_requests_total"));
    let metric_names = sinete_server::telemetry::METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>();
    let reported_names = figures.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    assert!(
        reported_names.clone().count() > 5 && reported_names.clone().all(|name| metric_names.contains(&name)),
        "{figures}"
    );
    eventually("every algorithm has a key", || {
        let keys = server.get(server.public, "/.well-known/jwks.json").1;
        ["ES256", "RS256", "PS256", "EdDSA"].iter().all(|name| keys.contains(name))
    });
    let ended = server.stop().succeeded();
    assert!(ended.out.contains(&format!("Sinete is ready at {address} for development")), "{}", ended.out);
    for line in [format!("console  {address}/console"), format!("mail     {address}/dev/mail")] {
        assert!(ended.out.contains(&line), "{line}: {}", ended.out);
    }
    for (name, mode) in
        [("sinete-data", 0o700), ("sinete-data/sinete.db", 0o600), ("sinete-data/instance.key", 0o600)]
    {
        let permissions = std::fs::metadata(machine.path(name)).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o777, mode, "{name}");
    }
    assert_eq!(machine.listing(), ["sinete-data"]);
}

#[test]
fn development_instance_without_operators_prints_a_bootstrap_link() {
    let machine = Machine::new();
    let started = |machine: &Machine| machine.serve().stop().succeeded().out;
    let link = |output: &str| {
        let line = output.lines().find(|line| line.contains("token=sn_bo_"));
        line.map(|line| line.trim().to_owned())
    };
    let (first, second) = (started(&machine), started(&machine));
    assert!(first.contains("This instance has no operator yet"), "{first}");
    let links = [&first, &second].map(|output| link(output).unwrap());
    assert_ne!(links[0], links[1], "each start prints its own");
    // A machine with a role cannot sign in; in production, the first operator requires the command line.
    let production = Machine::fit_for_production();
    assert_eq!(link(&started(&production)), None);
    let invitation = production.run(&["admin", "invite"]).succeeded().out;
    assert!(
        invitation.starts_with("https://id.example.com/") && invitation.contains("token=sn_bo_"),
        "{invitation}"
    );
}

#[test]
fn bootstrap_instructions_without_screens_contain_the_request_to_send() {
    let machine = Machine::new().with("SINETE_SCREENS_ENABLED", "false");
    let server = machine.serve();
    let invitation = machine.run(&["admin", "invite"]).succeeded().out;
    let (_, rest) = invitation.split_once(" -d '").unwrap();
    let (body, address) = rest.split_once("' ").unwrap();
    assert!(address.trim().ends_with("/flows"), "{invitation}");
    let mut stream = TcpStream::connect(server.public).unwrap();
    let length = body.len();
    let request = format!(
        "POST /flows HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201") && answer.contains("\"details\""), "{answer}");
    let output = server.stop().succeeded().out;
    assert!(output.contains("This instance has no operator yet") && output.contains("curl -H"), "{output}");
    assert!(!output.contains("accept-invitation") && !invitation.contains("accept-invitation"), "{output}");
    assert!(!output.contains("/console") && output.contains("/dev/mail"), "{output}");
}

#[test]
fn signing_keys_that_are_generated_persist_across_restarts() {
    let machine = Machine::new();
    let keys = |machine: &Machine| {
        let server = machine.serve();
        eventually("every algorithm has a key", || {
            server.get(server.public, "/.well-known/jwks.json").1.contains("PS256")
        });
        let keys = server.get(server.public, "/.well-known/jwks.json").1;
        server.stop().succeeded();
        keys
    };
    assert_eq!(keys(&machine), keys(&machine));
}

#[test]
fn server_start_and_stop_are_recorded_in_the_security_log() {
    let machine = Machine::new();
    machine.serve().stop().succeeded();
    let exported = machine.run(&["log", "export"]).succeeded().out;
    for kind in ["instance.created", "server.started", "server.stopped", "signing_key.generated"] {
        assert!(exported.contains(&format!("\"{kind}\"")), "{kind}");
    }
    assert!(machine.run(&["log", "verify"]).succeeded().out.starts_with("0 findings in "));
}

#[test]
fn second_server_on_one_sqlite_file_is_refused() {
    let machine = Machine::new();
    let server = machine.serve();
    machine.run(&["serve"]).ended_with(1).saying("in use by another process").in_one_line();
    assert_eq!(server.get(server.public, "/healthz").0, 200);
    server.stop().succeeded();
    machine.serve().stop().succeeded();
}

#[test]
fn shutdown_waits_for_requests_in_progress() {
    let server = Machine::new().serve();
    let mut slow = TcpStream::connect(server.public).unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").unwrap();
    eventually("the connection is accepted", || {
        server.get(server.admin, "/metrics").1.contains("sinete_http_connections{listener=\"public\"} 1")
    });
    server.signal("TERM");
    eventually("no more connections are accepted", || TcpStream::connect(server.public).is_err());
    slow.write_all(b"Connection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut server = server;
    let ended = server.ended().succeeded();
    assert!(ended.err.contains("drained"), "{}", ended.err);
}

#[test]
fn sigint_stops_the_server() {
    let mut server = Machine::new().serve();
    server.signal("INT");
    server.ended().succeeded();
}

#[test]
fn production_instance_serves_and_logs_json() {
    let server = Machine::fit_for_production().serve();
    assert_eq!(server.get(server.admin, "/readyz").0, 200);
    let ended = server.stop().succeeded();
    for line in ended.err.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["timestamp"].is_string() && line["level"].is_string());
    }
    assert!(ended.out.starts_with("Sinete is ready at https://id.example.com, listening on 127.0.0.1:"));
}

#[test]
fn production_instance_can_be_configured_by_environment_alone() {
    let machine = Machine::fit_for_production();
    let pem = |name: &str| std::fs::read_to_string(machine.path(name)).unwrap();
    let (keys, instance_key) = (pem("ES256.pem") + &pem("RS256.pem"), pem("instance.key"));
    let bare = Machine::new()
        .with("SINETE_MODE", "production")
        .with("SINETE_BASE_URL", "https://id.example.com")
        .with("SINETE_INSTANCE_KEY", instance_key.trim())
        .with("SINETE_SIGNING_KEY", keys);
    let server = bare.serve();
    assert_eq!(server.get(server.admin, "/readyz").0, 200);
    server.stop().succeeded();
}

#[test]
fn second_signal_stops_the_server_at_once() {
    let mut server = Machine::new().serve();
    let mut slow = TcpStream::connect(server.public).unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
    eventually("the connection is accepted", || {
        server.get(server.admin, "/metrics").1.contains("sinete_http_connections{listener=\"public\"} 1")
    });
    server.signal("TERM");
    eventually("no more connections are accepted", || TcpStream::connect(server.public).is_err());
    server.signal("TERM");
    server.ended().ended_with(1).saying("because of a second signal");
}

#[test]
fn sighup_reloads_the_signing_keys() {
    let machine = Machine::fit_for_production();
    let server = machine.serve();
    let published = || server.get(server.public, "/.well-known/jwks.json").1;
    let new = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    assert!(!published().contains(new.kid()));
    machine.private("ES256.pem", &new.to_pem().unwrap());
    server.signal("HUP");
    eventually("the new key is published", || published().contains(new.kid()));
    let published_jwks = published();
    let development =
        SigningKey::generate_development(SigningAlgorithm::Es256, &sinete::os::OsEntropy).unwrap();
    let (real, marked) = (new.to_pem().unwrap(), development.to_pem().unwrap());
    // Each is rejected for its own reason, in a separate line.
    for (contents, mode, reason) in [
        ("nonsense", 0o600, "cannot be used"),
        (marked.as_str(), 0o600, "is a development key"),
        (real.as_str(), 0o644, "can be read by others"),
    ] {
        machine.file("ES256.pem", contents, mode);
        server.signal("HUP");
        server.says(reason);
        assert_eq!(published(), published_jwks, "what is unsafe changes nothing");
    }
    server.stop().succeeded();
}

#[test]
fn outdated_schema_is_refused_when_migrate_on_start_is_off() {
    let machine = Machine::new().with("SINETE_DATABASE__MIGRATE_ON_START", "false");
    machine.run(&["serve"]).ended_with(3).saying("run `sinete migrate` first").in_one_line();
    machine.run(&["keys", "generate"]).ended_with(3).saying("run `sinete migrate` first").in_one_line();
    let migrated = machine.run(&["migrate"]).succeeded().out;
    assert!(migrated.contains("1 (people)") && migrated.contains("6 (security_log)"), "{migrated}");
    assert!(machine.run(&["migrate"]).succeeded().out.contains("is up to date."));
    machine.serve().stop().succeeded();
}

#[test]
fn nodes_start_together_on_an_empty_postgres_database() {
    let address = postgres_database();
    let machines = [(); 2].map(|()| {
        let machine = Machine::fit_for_production().with("SINETE_DATABASE_URL", address.clone());
        machine.private("instance.key", "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n");
        machine
    });
    std::thread::scope(|scope| {
        let nodes: Vec<_> = machines.iter().map(|machine| scope.spawn(|| machine.serve())).collect();
        let nodes: Vec<_> = nodes.into_iter().map(|node| node.join().unwrap()).collect();
        for node in &nodes {
            assert_eq!(node.get(node.admin, "/readyz").0, 200);
        }
        for node in nodes {
            node.stop().succeeded();
        }
    });
    let verified = machines[0].run(&["log", "verify"]).succeeded().out;
    assert!(verified.starts_with("0 findings in "), "{verified}");
    machines[0].run(&["doctor"]).succeeded();
}

/// Delays another node before each migration in turn.
#[test]
fn node_starts_while_another_is_in_the_middle_of_the_migrations() {
    for (version, name, _) in migrate::MIGRATIONS.iter().skip(1) {
        let address = postgres_database();
        let (reached, is_there) = mpsc::channel();
        let (go_on, waits) = mpsc::channel::<()>();
        let slow = std::thread::spawn({
            let address: DatabaseAddress = address.parse().unwrap();
            let version = *version;
            move || {
                let mut hold = move |progress: MigrationProgress| {
                    if progress.next.is_some_and(|next| next.version == version) {
                        reached.send(()).unwrap();
                        waits.recv().unwrap();
                    }
                };
                let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let store = Store::open(&address, &StoreOptions::new(StoreAccess::AlongsideServer))
                        .await
                        .unwrap();
                    let now = sinete::os::SystemClock.now();
                    let applied = migrate::apply_pending_migrations(&store, now, &mut hold).await.unwrap();
                    store.close().await;
                    applied
                })
            }
        });
        is_there.recv().unwrap();
        let machine = Machine::fit_for_production().with("SINETE_DATABASE_URL", address);
        let server = machine.serve();
        assert_eq!(server.get(server.admin, "/readyz").0, 200, "held before {version} ({name})");
        go_on.send(()).unwrap();
        let applied = u32::try_from(slow.join().unwrap()).unwrap();
        assert_eq!(applied, version - 1, "the server did the rest");
        server.stop().succeeded();
    }
}
