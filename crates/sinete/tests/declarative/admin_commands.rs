//! Tests of API keys, assignments and invitations on the command line.

use crate::machine;
use crate::machine::{Machine, Server};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// A machine on which the document was applied.
fn applied() -> Machine {
    let machine = machine();
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    machine
}

fn key(machine: &Machine, scope: &str) -> String {
    let command = ["admin", "api-key", "--organization", "operator", "--client", "ops", "--scope", scope];
    machine.run(&command).succeeded().out.trim().to_owned()
}

/// The status of a request that carries the key.
fn status(server: &Server, path: &str, key: &str) -> u16 {
    let mut stream = TcpStream::connect(server.public).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn api_key_from_the_cli_is_printed_once_and_works_at_a_running_server() {
    let machine = applied();
    let server = machine.serve();
    let key = key(&machine, "instance:read");
    assert!(key.starts_with("sn_ak_") && key.lines().count() == 1);
    assert_eq!(status(&server, "/manage/organizations", &key), 200);
    assert_eq!(status(&server, "/manage/organizations", "sn_ak_x"), 401);
    assert_eq!(status(&server, "/manage/organizations/acme", &key), 404);
    server.stop().succeeded();
}

#[test]
fn api_key_from_the_cli_never_exceeds_its_holders_permissions() {
    let machine = applied();
    let request_key = |rest: &[&str]| machine.run(&[&["admin", "api-key"], rest].concat());
    let excess_args = ["--organization", "acme", "--client", "robot", "--scope", "members:manage"];
    request_key(&excess_args)
        .ended_with(2)
        .saying("permissions that its holder, you, or the scope")
        .in_one_line();
    let unknown_client_args = ["--organization", "acme", "--client", "nobody", "--scope", "members:read"];
    request_key(&unknown_client_args).ended_with(2).saying("nobody has no role in acme").in_one_line();
    let nowhere = ["--organization", "nowhere", "--client", "robot", "--scope", "members:read"];
    request_key(&nowhere).ended_with(2).saying("the organization nowhere does not exist").in_one_line();
    request_key(&["--organization", "acme", "--scope", "members:read"]).ended_with(2).in_one_line();
    let long = ["--organization", "acme", "--client", "robot", "--scope", "members:read", "--days", "366"];
    request_key(&long).ended_with(2).saying("365 days").in_one_line();
}

#[test]
fn assignment_from_the_cli_admits_an_operator_until_it_is_ended() {
    let machine = applied();
    let server = machine.serve();
    let key = key(&machine, "instance:read organizations:administer");
    assert_eq!(status(&server, "/manage/organizations/acme", &key), 404);
    let assign = |rest: &[&str]| {
        let base_args = ["admin", "assign", "--organization", "acme", "--client", "ops"];
        machine.run(&[&base_args[..], rest].concat())
    };
    assign(&["--reason", ""]).ended_with(2).saying("/reason");
    assign(&["--reason", "Ticket 42", "--hours", "721"]).ended_with(2).saying("within 30 days");
    let id = assign(&["--reason", "Ticket 42"]).succeeded().out;
    assert_eq!(status(&server, "/manage/organizations/acme", &key), 200);
    assert_eq!(
        machine.run(&["admin", "unassign", id.trim()]).succeeded().out,
        format!("{} has ended.\n", id.trim())
    );
    assert_eq!(status(&server, "/manage/organizations/acme", &key), 404);
    machine.run(&["admin", "unassign", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]).ended_with(2).in_one_line();
    server.stop().succeeded();
}

#[test]
fn invitation_from_the_cli_is_a_link_for_an_operator_or_an_email_for_a_member() {
    let machine = applied().with("SINETE_BASE_URL", "https://id.example.com");
    let link = machine.run(&["admin", "invite"]).succeeded().out;
    assert!(link.starts_with("https://id.example.com/accept-invitation?token=sn_bo_"), "{link}");
    assert_eq!(link.lines().count(), 1);
    assert_ne!(machine.run(&["admin", "invite"]).succeeded().out, link);
    let invite = |address: &str, role: &str| {
        machine.run(&["admin", "invite", "--email", address, "--organization", "acme", "--role", role])
    };
    assert!(invite("ana@example.com", "owner").succeeded().out.contains("ana@example.com is queued"));
    invite("ana@example.com", "owner").ended_with(2).saying("is pending").in_one_line();
    invite("ana@example.com,bob@example.com", "owner").ended_with(2).saying("one recipient").in_one_line();
    invite("bob@example.com", "boss").ended_with(2).saying("acme has no role boss").in_one_line();
    machine.run(&["admin", "invite", "--email", "bob@example.com"]).ended_with(2).in_one_line();
}
