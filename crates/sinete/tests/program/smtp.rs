//! Tests of e-mail delivery through a real server: encrypted, to one recipient, at least once.

use crate::machine::{Machine, Server, eventually, postgres_database};
use crate::smtp_server::{MailServer, Speaks, Taken};
use std::collections::BTreeMap;
use std::time::Duration;

const INSTANCE: &str = "[organizations.acme]\nname = \"Acme \\\"Bcc: x\\\" <b>\"\n";

/// A machine with an organization that sends e-mail through the server.
fn machine(server: &MailServer, scheme: &str) -> Machine {
    let machine = Machine::new();
    machine.private("ca.pem", &server.authority);
    machine.private("mail.password", "correct horse\n");
    machine.private("instance.toml", INSTANCE);
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    machine
        .with("SINETE_MAIL_SERVER", format!("{scheme}://localhost:{}", server.port))
        .with("SINETE_MAIL_FROM", "Sinete <no-reply@example.com>")
        .with("SINETE_MAIL_USER", "sinete")
        .with("SINETE_MAIL_PASSWORD_FILE", "mail.password")
        .with("SINETE_MAIL_CA_FILE", "ca.pem")
}

fn invite(machine: &Machine, address: &str) {
    let command = ["admin", "invite", "--email", address, "--organization", "acme", "--role", "member"];
    machine.run(&command).succeeded();
}

fn login() -> Option<(&'static str, &'static str)> {
    Some(("sinete", "correct horse"))
}

fn arrives(server: &MailServer, many: usize) -> Vec<Taken> {
    eventually("the mail arrives", || server.taken().len() >= many);
    server.taken()
}

#[test]
fn smtp_encrypts_before_sending_and_addresses_one_recipient() {
    for (speaks, scheme) in [(Speaks::StartTls, "smtp"), (Speaks::Tls, "smtps")] {
        let mail = MailServer::start(speaks, login());
        let machine = machine(&mail, scheme);
        let server = machine.serve();
        invite(&machine, "Ana@Example.com");
        let [email] = &arrives(&mail, 1)[..] else { panic!("one mail") };
        assert!(email.was_encrypted, "{speaks:?}");
        assert_eq!((email.user.as_deref(), email.from.as_str()), (Some("sinete"), "no-reply@example.com"));
        assert_eq!(email.recipients, ["Ana@example.com"]);
        assert_eq!(email.header("To"), "Ana@example.com");
        assert_eq!(email.header("From"), "Sinete <no-reply@example.com>");
        assert!(email.header("Message-ID").ends_with("@example.com>"), "{}", email.data);
        assert_eq!(email.header("Auto-Submitted"), "auto-generated");
        assert!(email.header("Content-Type").starts_with("multipart/alternative"));
        for header_name in ["Bcc", "Cc", "Reply-To"] {
            assert_eq!(email.header(header_name), "", "{}", email.data);
        }
        for line in mail.said_openly() {
            assert!(["EHLO", "STARTTLS"].contains(&line.split(' ').next().unwrap()), "{line}");
        }
        let ended = server.stop().succeeded();
        assert!(!ended.err.contains("Ana@") && !ended.err.contains("sn_in_"), "{}", ended.err);
    }
}

#[test]
fn smtp_server_without_encryption_receives_nothing() {
    let mail = MailServer::start(Speaks::Plain, None);
    let machine = machine(&mail, "smtp");
    let server = machine.serve();
    invite(&machine, "ana@example.com");
    eventually("it was tried", || mail.said_openly().iter().any(|line| line.starts_with("EHLO")));
    server.says("a message was not sent");
    for line in mail.said_openly() {
        assert!(["EHLO", "STARTTLS", "QUIT"].contains(&line.split(' ').next().unwrap()), "{line}");
    }
    assert!(mail.taken().is_empty());
    server.stop().succeeded();
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(output.contains("mail cannot be delivered"), "{output}");
    // Unencrypted delivery is allowed only in development, to the local machine.
    let open = |mode: &str, host: &str| {
        let machine = Machine::new().with("SINETE_MODE", mode).with("SINETE_MAIL_FROM", "a@example.com");
        machine.with("SINETE_MAIL_SERVER", format!("smtp-plain://{host}:25")).run(&["config", "check"])
    };
    open("development", "127.0.0.1").succeeded();
    open("development", "mail.example.com").ended_with(2).saying("mail would not be encrypted");
    open("production", "127.0.0.1").ended_with(2).saying("mail would not be encrypted");
}

#[test]
fn smtp_server_with_an_untrusted_certificate_receives_nothing() {
    let (mail, other) = (MailServer::start(Speaks::Tls, login()), MailServer::start(Speaks::Tls, login()));
    let machine = machine(&mail, "smtps");
    machine.private("ca.pem", &other.authority);
    let server = machine.serve();
    invite(&machine, "ana@example.com");
    server.says("a message was not sent");
    assert!(mail.taken().is_empty());
    server.stop().succeeded();
    machine.private("ca.pem", &mail.authority);
    assert!(
        machine.run(&["doctor"]).succeeded().out.contains("accepts mail from Sinete <no-reply@example.com>")
    );
}

#[test]
fn email_that_failed_is_sent_after_a_restart_with_the_right_password() {
    let mail = MailServer::start(Speaks::StartTls, login());
    let machine = machine(&mail, "smtp");
    machine.private("mail.password", "wrong\n");
    let server = machine.serve();
    invite(&machine, "ana@example.com");
    invite(&machine, "bob@example.com");
    server.says("the mail server answered 535");
    assert!(mail.taken().is_empty());
    server.stop().succeeded();
    machine.private("mail.password", "correct horse\n");
    let server = machine.serve();
    let mut to: Vec<_> = arrives(&mail, 2).into_iter().flat_map(|email| email.recipients).collect();
    to.sort();
    assert_eq!(to, ["ana@example.com", "bob@example.com"]);
    server.stop().succeeded();
}

#[test]
fn email_to_a_refused_recipient_is_dropped_and_a_busy_server_is_retried() {
    let mail = MailServer::start(Speaks::StartTls, login());
    let machine = machine(&mail, "smtp");
    mail.answer_with(550);
    let server = machine.serve();
    invite(&machine, "nobody@example.com");
    eventually("the message is given up", || {
        machine.run(&["log", "export"]).out.contains("\"message.given_up\"")
    });
    mail.answer_with(451);
    invite(&machine, "ana@example.com");
    server.says("the mail server answered 451");
    mail.answer_with(0);
    assert_eq!(arrives(&mail, 1)[0].recipients, ["ana@example.com"]);
    let ended = server.stop().succeeded();
    // The server's response contained the recipient; the log does not.
    assert!(
        ended.err.contains("the mail server answered 550") && !ended.err.contains("nobody@"),
        "{}",
        ended.err
    );
}

#[test]
fn email_delivery_survives_a_killed_node_without_loss_or_duplicates_under_another_id() {
    const MESSAGES: usize = 24;
    let mail = MailServer::start(Speaks::StartTls, login());
    let database = postgres_database();
    let first = machine(&mail, "smtp").with("SINETE_DATABASE_URL", database.clone());
    first.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let key = std::fs::read_to_string(first.path("sinete-data/instance.key")).unwrap();
    let second = machine(&mail, "smtp").with("SINETE_DATABASE_URL", database);
    std::fs::write(second.path("sinete-data/instance.key"), key).unwrap();
    for number in 0..MESSAGES {
        invite(&first, &format!("person{number}@example.com"));
    }
    mail.think_for(Duration::from_millis(150));
    let [one, other] = [&first, &second].map(Machine::serve);
    eventually("some mail arrives", || mail.taken().len() >= 4);
    kill(&one);
    mail.think_for(Duration::ZERO);
    // The claim of the killed node expires, and the message is claimed again.
    let arrived = |mail: &MailServer| {
        let mut message_ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for email in mail.taken() {
            message_ids.entry(email.recipients.join(",")).or_default().push(email.header("Message-ID"));
        }
        message_ids
    };
    eventually("that every message arrives", || arrived(&mail).len() == MESSAGES);
    let message_ids = arrived(&mail);
    for (recipient, mut ids) in message_ids {
        ids.dedup();
        assert_eq!(ids.len(), 1, "{recipient} received messages with several ids");
    }
    other.stop().succeeded();
}

fn kill(server: &Server) {
    server.signal("KILL");
    // A killed process logs nothing, so its port is polled.
    eventually("the node is gone", || std::net::TcpStream::connect(server.public).is_err());
}
