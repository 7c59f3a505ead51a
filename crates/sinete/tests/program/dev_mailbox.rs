//! Tests of the development mailbox: available on the local machine only, never in production.

use crate::machine::{Machine, Server, eventually};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

fn ask(server: &Server, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.public).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

#[test]
fn dev_mailbox_shows_sent_messages_as_json_and_as_a_page() {
    let machine = Machine::new();
    let server = machine.serve();
    let command =
        ["admin", "invite", "--email", "ana@example.com", "--organization", "home", "--role", "member"];
    machine.run(&command).succeeded();
    eventually("the mail arrives", || {
        ask(&server, "/dev/mail", "Host: localhost:1\r\n").1.contains("ana@example.com")
    });
    let (status, messages) = ask(&server, "/dev/mail", "Host: 127.0.0.1\r\n");
    assert!(
        status == 200 && messages.contains("application/json") && messages.contains("sn_in_"),
        "{messages}"
    );
    let (_, rest) = messages.split_once("\"id\":\"").unwrap();
    let one = format!("/dev/mail/{}", rest.split('"').next().unwrap());
    let (status, message) = ask(&server, &one, "Host: [::1]:8080\r\n");
    assert!(status == 200 && message.contains("\"html\":"), "{message}");
    let reads = "Host: localhost\r\nAccept: text/html\r\n";
    let (status, page) = ask(&server, "/dev/mail", reads);
    assert!(status == 200 && page.contains(&format!("href=\"{one}\"")), "{page}");
    let (status, page) = ask(&server, &one, reads);
    assert!(status == 200 && page.contains("sandbox") && page.contains("<!doctype html>"), "{page}");

    // DNS rebinding and forwarded requests get no access.
    for strange in [
        "Host: evil.example\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: 127.0.0.1.evil.example\r\n",
        "Host: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n",
        "Host: localhost\r\nForwarded: for=203.0.113.9\r\n",
    ] {
        assert_eq!(ask(&server, "/dev/mail", strange).0, 404, "{strange}");
        assert_eq!(ask(&server, &one, strange).0, 404, "{strange}");
    }
    assert_eq!(ask(&server, "/dev/mail/nonsense", "Host: localhost\r\n").0, 404);
    let ended = server.stop().succeeded();
    assert!(ended.err.contains(&format!("read_at={one}")) && !ended.err.contains("sn_in_"), "{}", ended.err);
}

#[test]
fn dev_mailbox_does_not_exist_in_production() {
    let machine = Machine::fit_for_production();
    let server = machine.serve();
    assert_eq!(ask(&server, "/dev/mail", "Host: localhost\r\n").0, 404);
    server.stop().succeeded();
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(
        output.contains("no mail is sent") && output.contains("set mail.server and mail.from"),
        "{output}"
    );
}
