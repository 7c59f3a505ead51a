//! Tests of `sinete import`: killed halfway, run again, without duplicates.

use crate::machine::{Machine, eventually};
use std::io::Write as _;
use std::path::Path;

const PEOPLE: usize = 1_200;

fn line(number: usize) -> String {
    format!(
        "{{\"id\": \"{number}\", \"email\": \"person{number}@example.com\", \"email_verified\": true, \
         \"password_hash\": \"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\"}}\n"
    )
}

fn count(database: &Path, table: &str) -> i64 {
    let database = rusqlite::Connection::open(database).unwrap();
    database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn import_killed_and_run_again_creates_no_duplicates() {
    let machine = Machine::new();
    let server = machine.serve();
    let database = machine.path("sinete-data/sinete.db");
    let command = ["import", "-", "--source", "old-shop", "--trust-addresses"];

    // The process is killed after half of the accounts.
    let mut killed = machine.start(&command);
    let mut input = killed.stdin.take().unwrap();
    for number in 0..PEOPLE / 2 {
        input.write_all(line(number).as_bytes()).unwrap();
    }
    input.flush().unwrap();
    eventually("some are imported", || count(&database, "identities") > 20);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = count(&database, "identities");
    assert!(before < PEOPLE as i64, "{before}");
    for table in ["accounts", "contacts", "credentials", "memberships", "membership_roles"] {
        assert_eq!(count(&database, table), before, "no account is partly imported: {table}");
    }

    let all: String = (0..PEOPLE).map(line).collect();
    machine.private("people.jsonl", &all);
    let repeat_command = ["import", "people.jsonl", "--source", "old-shop", "--trust-addresses"];
    let foreseen = machine.run(&[&repeat_command[..], &["--dry-run"]].concat()).succeeded().out;
    let rest = PEOPLE as i64 - before;
    assert!(
        foreseen.starts_with(&format!("{rest} would be imported, {before} were here already, 0 refused."))
    );
    assert_eq!(count(&database, "accounts"), before, "a dry run changes nothing");
    let output = machine.run(&repeat_command).succeeded().out;
    assert!(
        output.starts_with(&format!("{rest} imported, {before} were here already, 0 refused.")),
        "{output}"
    );
    let output = machine.run(&repeat_command).succeeded().out;
    assert!(output.starts_with(&format!("0 imported, {PEOPLE} were here already, 0 refused.")), "{output}");
    for table in ["accounts", "identities", "contacts", "credentials", "memberships", "membership_roles"] {
        assert_eq!(count(&database, table), PEOPLE as i64, "{table}");
    }
    assert_eq!(count(&database, "contacts WHERE verified_at IS NOT NULL"), PEOPLE as i64);
    assert_eq!(count(&database, "security_log WHERE kind = 'account.imported'"), PEOPLE as i64);
    assert_eq!(count(&database, "security_log WHERE kind = 'import.finished'"), 1);
    server.stop().succeeded();
    assert!(machine.run(&["log", "verify"]).succeeded().out.starts_with("0 findings"));
}

#[test]
fn import_reports_invalid_users_by_line_and_imports_the_others() {
    let machine = Machine::new();
    machine.serve().stop().succeeded();
    let lines = [
        line(1),
        "nonsense\n".to_owned(),
        line(1),
        "{\"email\": \"ana@example.com\", \"password_hash\": \"5f4dcc3b5aa765d61d8327deb882cf99\"}\n"
            .to_owned(),
        "{\"email\": \"rui@example.com\", \"password_hash\": \
         \"$2b$20$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\"}\n"
            .to_owned(),
        "{\"email\": \"who@example\", \"nam\": 1}\n".to_owned(),
        line(2),
    ];
    machine.private("people.jsonl", &lines.concat());
    let ended = machine.run(&["import", "people.jsonl", "--source", "shop"]).ended_with(1);
    assert!(ended.out.starts_with("2 imported, 0 were here already, 5 refused."), "{ended:?}");
    for expected_line in [
        "line 2: the line is not JSON",
        "line 3: the address is in the export twice",
        "line 4: unsupported password hash",
        "line 5: the password hash is too expensive to verify: a bcrypt cost above 14",
        "line 6: unknown field `nam`",
        "5 were refused",
    ] {
        assert!(ended.err.contains(expected_line), "{expected_line}: {}", ended.err);
    }
    assert_eq!(count(&machine.path("sinete-data/sinete.db"), "accounts"), 2);
    // A truncated document is reported, and the accounts before the truncation are kept.
    machine.private(
        "realm.json",
        "{\"realm\": \"x\", \"users\": [{\"id\": \"1\", \"email\": \"k@example.com\"}, {",
    );
    let keycloak = ["import", "realm.json", "--from", "keycloak", "--source", "keycloak"];
    machine.run(&keycloak).ended_with(1).saying("the export ends early");
    assert_eq!(count(&machine.path("sinete-data/sinete.db"), "accounts"), 3);
    for (wrong, reason) in [
        (&["import", "absent.jsonl", "--source", "x"][..], "absent.jsonl cannot be read"),
        (&["import", "people.jsonl", "--source", "Old Shop"], "the name of a source must be"),
        (
            &["import", "people.jsonl", "--source", "x", "--organization", "acme"],
            "the organization acme does not exist",
        ),
        (&["import", "people.jsonl", "--source", "x", "--role", "boss"], "home has no role boss"),
        (&["import", "people.jsonl", "--source", "x", "--role", "owner"], "cannot give the role owner"),
        (
            &["import", "people.jsonl", "--source", "x", "--organization", "operator", "--role", "operator"],
            "cannot create operators",
        ),
        (
            &["import", "people.jsonl", "--source", "x", "--firebase-parameters", "people.jsonl"],
            "cannot be used",
        ),
    ] {
        machine.run(wrong).ended_with(2).saying(reason);
    }
}
