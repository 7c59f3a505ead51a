//! The commands. A command prints its result to standard output, and fails with a [`CommandError`].

mod admin;
mod apply;
mod backup;
mod config;
mod dev;
mod doctor;
mod export;
mod first_operator;
mod import;
mod init;
mod keys;
pub mod log;
mod mail;
mod migrate;
mod postgres_tools;
mod resources;
mod restore;
mod serve;

use crate::cli::{CliCommand, CommandLine, ConfigCommand, ReferencePage};
use crate::cli::{error_reference, reference};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::reference as config_reference;
use crate::exit::{CommandError, CommandExit};
use crate::server_ports::ServerPorts;
use crate::startup::checks::examination::examine_instance;
use crate::startup::engine;
use crate::startup::engine::DatabaseIntent;
use crate::terminal::Terminal;
use sinete_core::refusal::Refusal;
use sinete_engine::Engine;
use tokio::runtime::Runtime;

/// Runs the command; `serve` by default.
pub fn run(
    cli: CommandLine,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let file = cli.config.as_deref();
    let print = |text: String| terminal.print(&text).map(|()| CommandExit::Done);
    match cli.command.unwrap_or(CliCommand::Serve) {
        CliCommand::Serve => serve::run(file, environment, terminal),
        CliCommand::Dev(args) => dev::run(&args, file, environment, terminal),
        CliCommand::Init(args) => init::run(&args, file, environment, terminal),
        CliCommand::Migrate => migrate::run(file, environment, terminal),
        CliCommand::Keys(keys_command) => keys::run(&keys_command, file, environment, terminal),
        CliCommand::Config(ConfigCommand::Check) => config::check(file, environment, terminal),
        CliCommand::Config(ConfigCommand::Reference) => print(config_reference::render_markdown()),
        CliCommand::Doctor(args) => doctor::run(&args, file, environment, terminal),
        CliCommand::Log(log_command) => log::run(&log_command, file, environment, terminal),
        CliCommand::Apply(args) => apply::run(&args, file, environment, terminal),
        CliCommand::Export(args) => export::run(&args, file, environment, terminal),
        CliCommand::Import(args) => import::run(&args, file, environment, terminal),
        CliCommand::Admin(admin_command) => admin::run(&admin_command, file, environment, terminal),
        CliCommand::Resource(resource_command) => {
            resources::run(&resource_command, file, environment, terminal)
        }
        CliCommand::Mail(mail_command) => mail::run(&mail_command, file, environment, terminal),
        CliCommand::Backup(args) => backup::run(&args, file, environment, terminal),
        CliCommand::Restore(args) => restore::run(&args, file, environment, terminal),
        CliCommand::Completions { shell } => print(CommandLine::completion_script(shell)),
        CliCommand::Reference { page: ReferencePage::Commands } => print(reference::render_markdown()),
        CliCommand::Reference { page: ReferencePage::Errors } => print(error_reference::render_markdown()),
    }
}

/// Creates the async runtime.
fn build_runtime() -> Result<Runtime, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| CommandError::failed(format!("no threads can be started: {error}")))
}

/// Opens an engine over the database, possibly while a server is running.
async fn open_engine(config: &Config, intent: DatabaseIntent) -> Result<Engine, CommandError> {
    let ports = ServerPorts::from_system();
    let examined = examine_instance(config, ports.clock.now()).await;
    let store = engine::open_store(config, &ports, intent).await?;
    engine::build_engine(config, &ports, store, &config.issuer(config.listen), examined).await
}

/// Converts a refusal to an error that includes the private reason, because the operator may know it.
fn to_command_error(refusal: &Refusal) -> CommandError {
    let mut message = refusal.public_text().into_owned();
    let errors: Vec<_> = refusal.validation_errors().iter().collect();
    if errors.is_empty() && !refusal.detail().is_empty() {
        message = format!("{message} ({})", refusal.detail());
    }
    let sentence = refusal.public_text();
    for fault in errors.into_iter().filter(|fault| fault.text != sentence) {
        message = format!("{message}\n  {}: {}", fault.pointer, fault.text);
    }
    CommandError::invalid_usage(message)
}

impl From<sinete_engine::Error> for CommandError {
    fn from(error: sinete_engine::Error) -> Self {
        match error {
            sinete_engine::Error::Refused(refusal) => to_command_error(&refusal),
            sinete_engine::Error::Failed(failure) => failure.into(),
        }
    }
}
