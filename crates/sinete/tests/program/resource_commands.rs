//! Tests of `sinete org`, `user`, `client`, `role` and `key`.

use crate::machine::Machine;
use serde_json::Value;

/// A machine with the demo data.
fn demo() -> Machine {
    let machine = Machine::new();
    machine.run(&["dev", "--prepare"]).succeeded();
    machine
}

/// The JSON that a command prints.
#[track_caller]
fn read(machine: &Machine, command: &str) -> Value {
    let arguments: Vec<_> = command.split(' ').chain(["--json"]).collect();
    serde_json::from_str(&machine.run(&arguments).succeeded().out).unwrap()
}

/// The values of this member in a list.
fn values<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().filter_map(|item| item[member].as_str()).collect()
}

#[test]
fn org_and_role_commands_create_what_they_list() {
    let machine = demo();
    let created = read(&machine, "org add acme --name Acme");
    assert_eq!((created["slug"].as_str(), created["name"].as_str()), (Some("acme"), Some("Acme")));
    assert!(values(&read(&machine, "org list"), "slug").contains(&"acme"));
    assert_eq!(read(&machine, "org list --limit 1").as_array().unwrap().len(), 1);
    read(&machine, "role add reader --organization acme --permission members:read");
    assert!(values(&read(&machine, "role list --organization acme"), "name").contains(&"reader"));
    let reader_role = read(&machine, "role show reader --organization acme");
    assert_eq!(reader_role["permissions"], serde_json::json!(["members:read"]));
    // As text, one line for each.
    let table = machine.run(&["org", "list"]).succeeded().out;
    assert!(table.starts_with("SLUG") && table.lines().any(|line| line.starts_with("acme  ")), "{table}");
    machine.run(&["org", "add", "acme"]).ended_with(2).in_one_line();
    machine.run(&["org", "show", "nowhere"]).ended_with(2).saying("the organization nowhere does not exist");
    let absent = ["role", "show", "boss", "--organization", "acme"];
    machine.run(&absent).ended_with(2).saying("acme has no role boss").in_one_line();
}

#[test]
fn user_commands_disable_and_enable_an_account() {
    let machine = demo();
    let users = read(&machine, "user list");
    assert_eq!(values(&users, "email").len(), 3, "{users}");
    let user = read(&machine, "user show olivia@demo.example");
    assert_eq!((user["name"].as_str(), user["condition"].as_str()), (Some("Olivia Owner"), Some("enabled")));
    assert!(user["signs_in_with"].to_string().contains("password"), "{user}");
    assert_eq!(read(&machine, "user disable vera@demo.example")["condition"], "disabled");
    let repeated_run = machine.run(&["user", "disable", "vera@demo.example"]).succeeded();
    assert!(
        repeated_run.err.contains("nothing was changed: the account was disabled already"),
        "{}",
        repeated_run.err
    );
    assert_eq!(read(&machine, "user enable vera@demo.example")["condition"], "enabled");
    let disabled = machine.run(&["user", "disable", "vera@demo.example"]).succeeded();
    assert!(disabled.err.contains("the account is disabled: its sessions"), "{}", disabled.err);
    machine.run(&["user", "enable", "vera@demo.example"]).succeeded();
    let id = user["id"].as_str().unwrap();
    assert_eq!(read(&machine, &format!("user show {id}")), user, "by id, also without a verified address");
    let unknown = ["user", "show", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"];
    machine.run(&unknown).ended_with(2).saying("no such account").in_one_line();
    let absent = ["user", "show", "nobody@demo.example"];
    machine.run(&absent).ended_with(2).saying("no account has verified nobody@demo.example").in_one_line();
}

#[test]
fn client_commands_register_a_client_and_print_its_secret_once() {
    let machine = demo();
    let web = read(&machine, "client add shop --type web --redirect-uri https://shop.example/callback");
    assert!(web["client_secret"].as_str().unwrap().starts_with("sn_cs_"), "{web}");
    assert_eq!(web["metadata"]["scope"], "openid profile email");
    let client = read(&machine, "client show shop");
    assert!(!client.to_string().contains("sn_cs_"), "{client}");
    assert_eq!(web["metadata"]["consent"], "ask_for_permissions");
    let everyone = "client add site --type web --for everyone --redirect-uri https://site.example/callback";
    assert_eq!(read(&machine, everyone)["metadata"]["serves"], "everyone");
    let both = ["client", "add", "x", "--type", "web", "--for", "everyone", "--organization", "demo"];
    machine.run(&both).ended_with(2).saying("--organization");
    let spa = read(&machine, "client add page --type spa --redirect-uri https://page.example/");
    assert!(spa["client_secret"].is_null(), "{spa}");
    let service = "client add robot --type service --organization demo --role editor --scope notes:read";
    assert_eq!(read(&machine, service)["roles"], serde_json::json!(["editor"]));
    assert!(values(&read(&machine, "client list"), "id").contains(&"shop"));
    assert!(values(&read(&machine, "client list --organization demo"), "id").contains(&"robot"));
    assert_eq!(read(&machine, "client remove shop")["condition"], "removed");
    machine.run(&["client", "add", "bare", "--type", "web"]).ended_with(2).saying("redirect_uris");
    machine.run(&["client", "show", "bare"]).ended_with(2).in_one_line();
}

#[test]
fn key_commands_list_and_revoke_api_keys_without_their_secrets() {
    let machine = demo();
    let command =
        ["admin", "api-key", "--organization", "demo", "--client", "demo-service", "--scope", "notes:read"];
    let issued = machine.run(&command).succeeded();
    assert!(issued.err.contains("the key is shown once and expires at 20"), "{}", issued.err);
    assert_eq!(issued.out.lines().count(), 1, "a script takes the key alone");
    let secret = issued.out;
    let keys = read(&machine, "key list --organization demo");
    assert!(!keys.to_string().contains(secret.trim()), "{keys}");
    let id = values(&keys, "id")[0].to_owned();
    assert!(read(&machine, &format!("key show {id} --organization demo"))["revoked_at"].is_null());
    let revoked = read(&machine, &format!("key revoke {id} --organization demo"));
    assert!(revoked["revoked_at"].is_string(), "{revoked}");
    machine.run(&["key", "show", &id, "--organization", "home"]).ended_with(2).in_one_line();
}
