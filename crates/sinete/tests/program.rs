//! Tests of the program as a process: signals, exit codes, output and files.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

#[path = "program/backup.rs"]
mod backup;
#[path = "program/cli_usage.rs"]
mod cli_usage;
#[path = "program/configuration.rs"]
mod configuration;
#[path = "program/dev.rs"]
mod dev;
#[path = "program/dev_mailbox.rs"]
mod dev_mailbox;
#[path = "program/doctor.rs"]
mod doctor;
#[path = "program/dpop_on_two_nodes.rs"]
mod dpop_on_two_nodes;
#[path = "program/embedded.rs"]
mod embedded;
#[path = "program/geoip.rs"]
mod geoip;
#[path = "program/import.rs"]
mod import;
#[path = "program/init.rs"]
mod init;
#[path = "program/key_commands.rs"]
mod key_commands;
#[path = "program/machine.rs"]
mod machine;
#[path = "program/open_files.rs"]
mod open_files;
#[path = "program/outbound_ca.rs"]
mod outbound_ca;
#[path = "program/production_blockers.rs"]
mod production_blockers;
#[path = "program/resource_commands.rs"]
mod resource_commands;
#[path = "program/restore.rs"]
mod restore;
#[path = "program/restore_drill.rs"]
mod restore_drill;
#[path = "program/reverse_proxies.rs"]
mod reverse_proxies;
#[path = "program/serve.rs"]
mod serve;
#[path = "program/sign_in_on_nodes.rs"]
mod sign_in_on_nodes;
#[path = "program/single_use_races.rs"]
mod single_use_races;
#[path = "program/sms.rs"]
mod sms;
#[path = "program/smtp.rs"]
mod smtp;
#[path = "program/smtp_server.rs"]
mod smtp_server;
#[path = "../../sinete-tests/tests/harness/totp_app.rs"]
mod totp_app;
#[path = "program/traces.rs"]
mod traces;
#[path = "program/two_nodes.rs"]
mod two_nodes;
#[path = "program/webhooks.rs"]
mod webhooks;
#[path = "program/without_screens.rs"]
mod without_screens;
