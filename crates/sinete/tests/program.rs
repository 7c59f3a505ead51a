//! The program from outside: processes, signals, exit codes, files. What it says is what people and scripts
//! rely on.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

#[path = "../../sinete-tests/tests/harness/authenticator_app.rs"]
mod authenticator_app;
#[path = "program/backups.rs"]
mod backups;
#[path = "program/behind_a_proxy.rs"]
mod behind_a_proxy;
#[path = "program/blockers.rs"]
mod blockers;
#[path = "program/configuration.rs"]
mod configuration;
#[path = "program/descriptors.rs"]
mod descriptors;
#[path = "program/dev_mail.rs"]
mod dev_mail;
#[path = "program/embedded.rs"]
mod embedded;
#[path = "program/examination.rs"]
mod examination;
#[path = "program/importing.rs"]
mod importing;
#[path = "program/key_commands.rs"]
mod key_commands;
#[path = "program/machine.rs"]
mod machine;
#[path = "program/mail_server.rs"]
mod mail_server;
#[path = "program/mailing.rs"]
mod mailing;
#[path = "program/one_success.rs"]
mod one_success;
#[path = "program/proofs_on_two_nodes.rs"]
mod proofs_on_two_nodes;
#[path = "program/restoring.rs"]
mod restoring;
#[path = "program/serving.rs"]
mod serving;
#[path = "program/signed_in.rs"]
mod signed_in;
#[path = "program/telling.rs"]
mod telling;
#[path = "program/texting.rs"]
mod texting;
#[path = "program/traces.rs"]
mod traces;
#[path = "program/travelling.rs"]
mod travelling;
#[path = "program/two_nodes.rs"]
mod two_nodes;
#[path = "program/usage.rs"]
mod usage;
#[path = "program/without_screens.rs"]
mod without_screens;
