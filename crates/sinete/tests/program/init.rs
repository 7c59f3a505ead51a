//! Tests of `sinete init`: the configuration that it writes, and what it refuses.

use crate::machine::{Ended, Machine, text_of};
use std::os::unix::fs::PermissionsExt as _;

const ISSUER: [&str; 2] = ["--base-url", "https://id.example.com"];
const WRITTEN: [&str; 4] =
    ["sinete.toml", "sinete-keys/es256.pem", "sinete-keys/instance.key", "sinete-keys/rs256.pem"];

fn init(machine: &Machine, rest: &[&str]) -> Ended {
    machine.run(&[&["init", "--yes"], &ISSUER[..], rest].concat())
}

#[test]
fn init_writes_a_configuration_that_serves_in_production_behind_a_proxy() {
    let machine = Machine::new();
    let output = init(&machine, &["--name", "Padaria \"da\" Esquina"]).succeeded().out;
    assert!(output.contains("Nothing keeps this instance from production"), "{output}");
    assert!(output.contains("Left to do:\n  1. Keep a copy of "), "{output}");
    assert!(output.contains("forward https://id.example.com to http://127.0.0.1:8080"), "{output}");
    for name in WRITTEN {
        let mode = std::fs::metadata(machine.path(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o600, "{name}");
        assert!(output.contains(name), "{output}");
    }
    assert!(!machine.path("sinete-data").exists(), "the database is made when the server starts");
    let settings = machine.run(&["config", "check"]).succeeded().out;
    for setting in ["production", "127.0.0.1, ::1", "Padaria \"da\" Esquina", "https://id.example.com"] {
        assert!(
            settings.lines().any(|line| line.contains(setting) && line.contains("sinete.toml:")),
            "{settings}"
        );
    }
    // The description of a key comes from the table.
    let text = text_of(&machine.path("sinete.toml"));
    let line = text.lines().position(|line| line == "mode = \"production\"").unwrap();
    let above: Vec<_> = text.lines().take(line).collect();
    assert!(
        above[above.len() - 2].starts_with("# The mode of the instance. Development generates"),
        "{text}"
    );

    let server = machine.serve();
    let (status, discovery) = server.get(server.public, "/.well-known/openid-configuration");
    assert_eq!(status, 200);
    assert!(discovery.contains("\"issuer\":\"https://id.example.com\""), "{discovery}");
    let (status, keys) = server.get(server.public, "/.well-known/jwks.json");
    assert!(status == 200 && keys.contains("ES256") && keys.contains("RS256"), "{keys}");
    server.stop().succeeded();
    let link = machine.run(&["admin", "invite"]).succeeded().out;
    assert!(link.starts_with("https://id.example.com/accept-invitation?token="), "{link}");
}

#[test]
fn init_accepts_every_answer_as_an_option() {
    let machine = Machine::new();
    let options = [
        "--database",
        "postgres://sinete@db.invalid/sinete?sslmode=verify-full",
        "--proxy",
        "10.0.0.0/8",
        "--proxy",
        "192.0.2.7",
        "--listen",
        "10.1.2.3:8000",
        "--mail-server",
        "smtps://mail.invalid",
        "--mail-user",
        "sinete",
        "--keys",
        "secrets",
    ];
    let output = init(&machine, &options).succeeded().out;
    // The files stay in spite of the findings, which are the remaining steps.
    assert!(output.contains("the database cannot be reached"), "{output}");
    assert!(output.contains("secrets/mail.password, with mode 0600"), "{output}");
    let machine = machine.without("SINETE_LISTEN");
    let settings = machine.run(&["config", "check"]).succeeded().out;
    for setting in [
        "10.0.0.0/8, 192.0.2.7",
        "10.1.2.3:8000",
        "smtps://mail.invalid",
        "Sinete <no-reply@id.example.com>",
        "secrets/mail.password",
        "secrets/instance.key",
    ] {
        assert!(settings.contains(setting), "{setting} is missing: {settings}");
    }
    let machine = Machine::new();
    init(&machine, &["--certificate", "chain.pem", "--certificate-key", "key.pem"]).succeeded();
    let settings = machine.without("SINETE_LISTEN").run(&["config", "check"]).succeeded().out;
    assert!(settings.contains("0.0.0.0:443") && settings.contains("/chain.pem"), "{settings}");
}

#[test]
fn init_never_replaces_a_file() {
    for name in WRITTEN {
        let machine = Machine::new();
        std::fs::create_dir(machine.path("sinete-keys")).unwrap();
        machine.private(name, "mine");
        let ended =
            init(&machine, &[]).ended_with(2).saying("exists and is not replaced; nothing was written");
        assert!(ended.complaint().contains(name), "{ended:?}");
        assert_eq!(text_of(&machine.path(name)), "mine");
        let others = WRITTEN.iter().filter(|other| **other != name && machine.path(other).exists());
        assert_eq!(others.count(), 0, "{name}");
    }
    let machine = Machine::new();
    init(&machine, &[]).succeeded();
    let before = WRITTEN.map(|name| text_of(&machine.path(name)));
    init(&machine, &["--keys", "elsewhere"]).ended_with(2).saying("sinete.toml exists").in_one_line();
    assert_eq!(before, WRITTEN.map(|name| text_of(&machine.path(name))));
    assert!(!machine.path("elsewhere").exists());
}

#[test]
fn init_names_the_invalid_option_and_writes_nothing() {
    let machine = Machine::new();
    let wrong = |rest: &[&str], reason: &str| {
        let ended = machine.run(&[&["init"], rest].concat()).ended_with(2).saying(reason).in_one_line();
        assert_eq!(machine.listing(), Vec::<String>::new(), "{ended:?}");
    };
    wrong(&[], "--base-url: is missing");
    wrong(&["--base-url", "http://id.example.com"], "--base-url: \"http://id.example.com\" is not https");
    wrong(&["--base-url", "id.example.com"], "--base-url: \"id.example.com\" is not an address");
    wrong(&["--base-url", "https://id.example.com/?x=1"], "must not have a query");
    wrong(&[&ISSUER[..], &["--proxy", "nginx"]].concat(), "--proxy: \"nginx\" is neither an IP address");
    wrong(&[&ISSUER[..], &["--mail-server", "mail.example.com"]].concat(), "--mail-server: ");
    wrong(&[&ISSUER[..], &["--database", "mysql://db/x"]].concat(), "--database: ");
    wrong(&[&ISSUER[..], &["--certificate", "chain.pem"]].concat(), "--certificate-key");
    wrong(&[&ISSUER[..], &["--mail-from", "x@example.com"]].concat(), "--mail-server");
}
