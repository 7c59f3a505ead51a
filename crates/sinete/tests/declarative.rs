//! Tests of `sinete apply`, `sinete export` and `sinete admin`.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

#[path = "declarative/admin_commands.rs"]
mod admin_commands;
#[path = "declarative/apply.rs"]
mod apply;
#[path = "declarative/identity_providers.rs"]
mod identity_providers;
#[path = "declarative/invalid_documents.rs"]
mod invalid_documents;
#[expect(dead_code, reason = "shared with the other tests of the program, which use more of it")]
#[path = "program/machine.rs"]
mod machine;

/// A document with one of each resource.
const DOCUMENT: &str = r#"
[organizations.acme]
name = "Acme"

[organizations.acme.settings]
least_assurance = "aal2"

[organizations.acme.roles.clerk]
description = "Reads invoices"
permissions = ["invoices:read", "members:read"]

[organizations.acme.webhooks.events]
address = "https://acme.example/events"
kinds = ["membership.created", "membership.ended"]
secret = { env = "EVENTS_SECRET" }

[organizations.operator]
name = "Acme staff"

[apis.invoices]
offered_to = { organizations = ["acme"] }

[apis.invoices.definition]
identifier = "https://invoices.example"
name = "Invoices"
permissions = [
    { permission = "invoices:read", english = "Read invoices", portuguese = "Ler faturas" },
    { permission = "invoices:void", english = "Void invoices", irreversible = true },
]

[clients.portal]
kind = "application"
metadata = { client_name = "Portal", redirect_uris = ["https://portal.example/cb"], token_endpoint_auth_method = "none" }

[clients.robot]
kind = "agent"
organization = "acme"
purpose = "Reads invoices"
roles = ["clerk"]
secret = { env = "ROBOT_SECRET" }
metadata = { client_name = "Robot", grant_types = ["client_credentials"] }

[clients.ops]
kind = "service"
organization = "operator"
roles = ["operator"]
secret = { file = "ops.secret" }
metadata = { client_name = "Operations", grant_types = ["client_credentials"] }

[webhooks.siem]
address = "https://siem.example/sinete"
"#;

/// A machine with the document and its secrets.
fn machine() -> machine::Machine {
    let machine = machine::Machine::new();
    let secret = || machine.run(&["admin", "client-secret"]).succeeded().out;
    let robot = secret().trim().to_owned();
    machine.private("ops.secret", &secret());
    machine.file("instance.toml", DOCUMENT, 0o644);
    let events = machine.run(&["admin", "webhook-secret"]).succeeded().out;
    machine.with("ROBOT_SECRET", robot).with("EVENTS_SECRET", events.trim())
}
