//! Tests of valid documents: applied once and twice, exported, pruned.

use crate::machine::{Machine, postgres_database, text_of};
use crate::{DOCUMENT, machine};

const APPLY: &[&str] = &["apply", "-f", "instance.toml", "--yes"];

/// The number of rows in a table.
fn rows(machine: &Machine, table: &str) -> i64 {
    let connection = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn apply_twice_changes_nothing_the_second_time() {
    for machine in [machine(), machine().with("SINETE_DATABASE_URL", postgres_database())] {
        let first = machine.run(APPLY).succeeded().out;
        let expected = "+ organization acme\n~ organization operator\n    /name: \"Operators\" → \"Acme staff\"\n\
            + api invoices\n+ role clerk of acme\n+ client ops\n+ client portal\n+ client robot\n\
            + webhook siem\n+ webhook events of acme\n9 changes made.\n";
        assert_eq!(first, expected);
        let export = machine.run(&["export"]).succeeded().out;
        let log = machine.run(&["export", "--json"]).succeeded().out;
        for options in [&[][..], &["--prune"], &["--plan"]] {
            let output = machine.run(&[APPLY, options].concat()).succeeded().out;
            assert_eq!(output, "The instance matches the document.\n");
        }
        assert_eq!(machine.run(&["export"]).succeeded().out, export);
        assert_eq!(machine.run(&["export", "--json"]).succeeded().out, log);
        assert!(!export.contains("sn_cs_") && export.contains("digest = ") && !export.contains("whsec_"));
        assert_eq!(export.matches("digest = ").count(), 2, "{export}");
    }
}

#[cfg(unix)]
#[test]
fn export_output_is_owner_only_and_never_follows_a_symbolic_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let machine = machine();
    machine.run(APPLY).succeeded();
    let printed = machine.run(&["export"]).succeeded().out;
    let victim = machine.file("victim", "mine", 0o644);
    symlink(&victim, machine.path("out.toml")).unwrap();
    // The second run replaces the file of the first.
    for _ in 0..2 {
        machine.run(&["export", "--output", "out.toml"]).succeeded();
        let metadata = std::fs::symlink_metadata(machine.path("out.toml")).unwrap();
        assert!(metadata.is_file() && metadata.permissions().mode() & 0o7777 == 0o600, "{metadata:?}");
        assert_eq!(text_of(&machine.path("out.toml")), printed);
    }
    assert_eq!(text_of(&victim), "mine");
}

#[test]
fn apply_defines_an_api_and_a_client_that_owns_the_operator_organization_in_one_document() {
    let owned = DOCUMENT
        .replace("{ organizations = [\"acme\"] }", "\"all\"")
        .replace("[webhooks.siem]", "[clients.boss]\nkind = \"service\"\norganization = \"operator\"\nroles = [\"owner\"]\nsecret = { file = \"boss.secret\" }\nmetadata = { client_name = \"Boss\", grant_types = [\"client_credentials\"] }\n\n[webhooks.siem]");
    for machine in [machine(), machine().with("SINETE_DATABASE_URL", postgres_database())] {
        machine.private("boss.secret", &machine.run(&["admin", "client-secret"]).succeeded().out);
        machine.file("instance.toml", &owned, 0o644);
        let first = machine.run(APPLY).succeeded().out;
        assert!(first.contains("+ client boss") && first.ends_with("10 changes made.\n"), "{first}");
        assert_eq!(machine.run(APPLY).succeeded().out, "The instance matches the document.\n");
    }
}

#[test]
fn apply_records_every_change_as_made_by_the_command_line() {
    let machine = machine();
    machine.run(APPLY).succeeded();
    let connection = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
    let kinds = |table: &str| -> Vec<String> {
        let sql = format!(
            "SELECT kind FROM {table} WHERE actor_kind = 'system' AND kind NOT LIKE 'instance%' ORDER BY kind"
        );
        let mut statement = connection.prepare(&sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let expected = [
        "api.changed",
        "api.created",
        "client.created",
        "client.created",
        "client.created",
        "organization.changed",
        "organization.created",
        "role.created",
        "webhook.created",
        "webhook.created",
    ];
    assert_eq!(kinds("audit"), expected);
    // The two built-in organizations are created as well.
    assert_eq!(kinds("security_log").len(), expected.len() + 2);
}

#[test]
fn export_applied_to_another_instance_recreates_the_same_configuration() {
    let source_machine = machine();
    source_machine.run(APPLY).succeeded();
    for (format, machine) in [
        (&["export"][..], Machine::new()),
        (&["export", "--json"], Machine::new()),
        (&["export"], Machine::new().with("SINETE_DATABASE_URL", postgres_database())),
    ] {
        let exported = source_machine.run(format).succeeded().out;
        machine.file("copy", &exported, 0o644);
        machine.run(&["apply", "-f", "copy", "--yes"]).succeeded();
        assert_eq!(machine.run(format).succeeded().out, exported);
        assert_eq!(
            machine.run(&["apply", "-f", "copy", "--plan", "--prune"]).succeeded().out.lines().count(),
            1
        );
    }
    source_machine.run(&["export", "--output", "written.toml"]).succeeded();
    assert_eq!(
        text_of(&source_machine.path("written.toml")),
        source_machine.run(&["export"]).succeeded().out
    );
}

#[test]
fn apply_plan_writes_nothing_and_lists_the_changes() {
    let machine = machine();
    machine.run(&["apply", "-f", "instance.toml", "--plan"]).ended_with(2).saying("there is no database");
    assert!(!machine.path("sinete-data").exists());
    machine.run(APPLY).succeeded();
    let changed = DOCUMENT
        .replace("name = \"Acme\"", "name = \"Acme Ltd\"")
        .replace("[clients.portal]", "[clients.gate]");
    machine.file("instance.toml", &changed, 0o644);
    let before = (machine.run(&["export"]).out, rows(&machine, "security_log"), rows(&machine, "audit"));
    let planned = machine.run(&["apply", "-f", "instance.toml", "--plan", "--prune"]).succeeded().out;
    let expected =
        "~ organization acme\n    /name: \"Acme\" → \"Acme Ltd\"\n+ client gate\n- client portal\n";
    assert_eq!(planned, expected);
    // Neither does an apply that was not confirmed.
    machine.run(&["apply", "-f", "instance.toml"]).ended_with(2).saying("add --yes").in_one_line();
    let after = (machine.run(&["export"]).out, rows(&machine, "security_log"), rows(&machine, "audit"));
    assert_eq!(before, after);
}

#[test]
fn apply_removes_unmentioned_resources_only_with_prune() {
    let machine = machine();
    machine.run(APPLY).succeeded();
    machine.file(
        "less.toml",
        "[organizations.acme]\nname = \"Acme\"\nsettings = { least_assurance = \"aal2\" }\n",
        0o644,
    );
    let less = ["apply", "-f", "less.toml", "--yes"];
    assert_eq!(machine.run(&less).succeeded().out, "The instance matches the document.\n");
    let pruned = machine.run(&[&less[..], &["--prune"]].concat()).succeeded().out;
    // Resources of organizations that are not listed are kept.
    let expected = "- webhook siem-example\n- webhook acme-example of acme\n- client portal\n- client robot\n\
        - role clerk of acme\n- api invoices\n6 changes made.\n";
    assert_eq!(pruned, expected);
    let export = machine.run(&["export"]).succeeded().out;
    assert!(export.contains("[clients.ops") && !export.contains("portal") && !export.contains("invoices"));
}

#[test]
fn apply_reports_a_new_client_secret_without_printing_it() {
    let machine = machine();
    machine.run(APPLY).succeeded();
    let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
    let machine = machine.with("ROBOT_SECRET", secret.trim());
    let changed = machine.run(APPLY).succeeded().out;
    assert_eq!(changed, "~ client robot\n    /secret: another one\n1 change made.\n");
    // The earlier secret stays valid for a while.
    assert_eq!(rows(&machine, "client_secrets WHERE client_id = 'robot' AND expires_at IS NULL"), 1);
    assert_eq!(rows(&machine, "client_secrets WHERE client_id = 'robot'"), 2);
    assert_eq!(machine.run(APPLY).succeeded().out, "The instance matches the document.\n");
}

#[test]
fn apply_adds_a_new_webhook_secret_beside_the_current_one() {
    let machine = machine();
    machine.run(APPLY).succeeded();
    let secret = machine.run(&["admin", "webhook-secret"]).succeeded().out;
    let machine = machine.with("EVENTS_SECRET", secret.trim());
    let changed = machine.run(APPLY).succeeded().out;
    assert_eq!(changed, "~ webhook events of acme\n    /secret: another one\n1 change made.\n");
    assert_eq!(rows(&machine, "webhooks WHERE sealed_previous_secret IS NOT NULL"), 1);
    assert_eq!(machine.run(APPLY).succeeded().out, "The instance matches the document.\n");
    // The resolved value must be a secret: a digest is invalid, and the secret itself must not be in the
    // document.
    for (wrong, expected_message) in [
        ("{ env = \"ROBOT_SECRET\" }", "not a webhook secret of Sinete"),
        ("{ digest = \"00\" }", "a digest cannot sign"),
        (&format!("\"{}\"", secret.trim()), "name where the secret is stored"),
    ] {
        machine.file("instance.toml", &DOCUMENT.replace("{ env = \"EVENTS_SECRET\" }", wrong), 0o644);
        let ended = machine.run(APPLY).ended_with(2).saying(expected_message);
        assert!(ended.complaint().contains("/organizations/acme/webhooks/events/secret"));
        assert!(!ended.complaint().contains("whsec_"));
    }
}

#[test]
fn apply_and_export_work_beside_a_running_server() {
    let machine = machine();
    let server = machine.serve();
    machine.run(APPLY).succeeded();
    let piped = machine.run(&["export", "--json"]).succeeded().out;
    assert!(piped.contains("\"acme\""));
    server.stop().succeeded();
}
