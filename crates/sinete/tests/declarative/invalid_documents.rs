//! Tests of invalid documents: all errors at once, each with its location, and nothing written.

use crate::machine::{Ended, Machine};
use crate::{DOCUMENT, machine};

fn applied(machine: &Machine, document: &str) -> Ended {
    machine.file("instance.toml", document, 0o644);
    machine.run(&["apply", "-f", "instance.toml", "--yes"])
}

/// The locations in an error message, one per line.
fn places(ended: &Ended) -> Vec<String> {
    let lines = ended.complaint().lines().skip(1);
    lines.map(|line| line.trim().split(": ").next().unwrap().to_owned()).collect()
}

#[test]
fn apply_reports_every_fault_of_a_document_with_its_location_and_writes_nothing() {
    let machine = machine();
    let bad = DOCUMENT
        .replace("name = \"Acme\"", "nme = \"Acme\"")
        .replace("aal2", "aal9")
        .replace("\"members:read\"]", "\"members\"]")
        .replace("english = \"Read invoices\"", "english = \"\"")
        .replace("token_endpoint_auth_method = \"none\"", "token_endpoint_auth_methd = \"none\"")
        .replace("kind = \"agent\"", "kind = \"robot\"");
    let ended =
        applied(&machine, &bad).ended_with(2).saying("instance.toml cannot be applied; nothing was changed");
    let mut locations = places(&ended);
    locations.sort();
    let mut expected = vec![
        "/organizations/acme/nme",
        "/organizations/acme/name",
        "/organizations/acme/settings/least_assurance",
        "/organizations/acme/roles/clerk/permissions/1",
        "/apis/invoices/definition/permissions/0/english",
        "/clients/portal/metadata/token_endpoint_auth_methd",
        "/clients/portal/secret",
        "/clients/robot/kind",
    ];
    expected.sort_unstable();
    assert_eq!(locations, expected);
    assert!(!machine.path("sinete-data").exists());
}

#[test]
fn apply_of_a_document_that_does_not_fit_the_instance_changes_nothing() {
    let machine = machine();
    applied(&machine, DOCUMENT).succeeded();
    let before = machine.run(&["export"]).out;
    let bad = DOCUMENT
        .replace("[\"acme\"] }\n", "[\"nowhere\"] }\n")
        .replace("roles = [\"clerk\"]", "roles = [\"boss\"]")
        .replace("kind = \"application\"", "kind = \"service\"")
        .replace("name = \"Acme\"", "name = \"Renamed\"");
    let ended =
        applied(&machine, &bad).ended_with(2).saying("does not fit this instance; nothing was changed");
    let expected = [
        "/organizations/acme/roles/clerk/permissions",
        "/apis/invoices/offered_to",
        "/clients/portal/kind",
        "/clients/robot/roles",
    ];
    assert_eq!(places(&ended), expected);
    assert_eq!(machine.run(&["export"]).out, before);
}

#[test]
fn apply_reports_undefined_scopes() {
    let machine = machine();
    let with_scope = |scope: &str| {
        DOCUMENT
            .replace("client_name = \"Robot\",", &format!("client_name = \"Robot\", scope = \"{scope}\","))
    };
    let ended = applied(&machine, &with_scope("invoices:read invoices:fly files:*"));
    let ended = ended.ended_with(2).saying("does not fit this instance; nothing was changed");
    assert_eq!(places(&ended), ["/clients/robot/metadata/scope"; 2]);
    assert!(
        ended.err.contains("files:* is neither") && ended.err.contains("invoices:fly is neither"),
        "{}",
        ended.err
    );
    applied(&machine, &with_scope("openid invoices:read")).succeeded();
    // Later the scope must still be known.
    let renamed = with_scope("openid invoices:read")
        .replace("invoices:", "bills:")
        .replace("openid bills:", "openid invoices:");
    let ended = applied(&machine, &renamed).ended_with(2);
    assert_eq!(places(&ended), ["/clients/robot/metadata/scope"]);
}

#[test]
fn apply_of_an_unreadable_document_fails_in_one_line() {
    let machine = machine();
    applied(&machine, "organizations = [").ended_with(2).saying("is not TOML: line 1").in_one_line();
    applied(&machine, "a = 1\nb = = 2\n").ended_with(2).saying("line 2").in_one_line();
    applied(&machine, "a = 1\n= é\n").ended_with(2).saying("line 2").in_one_line();
    applied(&machine, "{\"organizations\": }").ended_with(2).saying("is not JSON").in_one_line();
    let missing = machine.run(&["apply", "-f", "nowhere.toml", "--yes"]);
    missing.ended_with(2).saying("nowhere.toml cannot be read").in_one_line();
    machine.run(&["apply"]).ended_with(2).saying("--file").in_one_line();
    machine.run(&["export"]).ended_with(2).saying("there is no database").in_one_line();
    assert!(!machine.path("sinete-data").exists());
}

#[test]
fn apply_with_a_missing_or_inline_secret_is_refused_without_repeating_it() {
    let machine = machine().without("ROBOT_SECRET");
    machine.private("ops.secret", "hunter2");
    let ended = applied(&machine, DOCUMENT).ended_with(2).saying("the variable ROBOT_SECRET is not set");
    assert_eq!(places(&ended), ["/clients/ops/secret", "/clients/robot/secret"]);
    assert!(!ended.err.contains("hunter2"));
    let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
    let document = DOCUMENT.replace("{ env = \"ROBOT_SECRET\" }", &format!("\"{}\"", secret.trim()));
    let ended = applied(&machine, &document).ended_with(2);
    assert!(places(&ended).contains(&"/clients/robot/secret".to_owned()));
    assert!(!ended.err.contains(secret.trim()));
}
