//! What each command does. A command says what it did on standard output and why it stopped by a [`Stop`].

mod admin;
mod apply;
mod backup;
mod config;
mod doctor;
mod export;
mod first_operator;
mod import;
mod keys;
pub mod log;
mod migrate;
mod postgres_tools;
mod restore;
mod serve;

use crate::boot::examine::examine;
use crate::boot::open::{self, Intent};
use crate::cli::{Cli, Command, ConfigCommand};
use crate::cli_reference;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::reference;
use crate::exit::{Exit, Stop};
use crate::serve::Ports;
use crate::terminal::Terminal;
use sinete_core::refusal::Refusal;
use sinete_engine::Engine;
use tokio::runtime::Runtime;

/// Does what was asked. Without a command that is to serve.
pub fn run(cli: Cli, environment: &Environment, terminal: &Terminal) -> Result<Exit, Stop> {
    let file = cli.config.as_deref();
    let print = |text: String| terminal.print(&text).map(|()| Exit::Done);
    match cli.command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(file, environment, terminal),
        Command::Migrate => migrate::run(file, environment, terminal),
        Command::Keys(asked) => keys::run(&asked, file, environment, terminal),
        Command::Config(ConfigCommand::Check) => config::check(file, environment, terminal),
        Command::Config(ConfigCommand::Reference) => print(reference::markdown()),
        Command::Doctor(asked) => doctor::run(&asked, file, environment, terminal),
        Command::Log(asked) => log::run(&asked, file, environment, terminal),
        Command::Apply(asked) => apply::run(&asked, file, environment, terminal),
        Command::Export(asked) => export::run(&asked, file, environment, terminal),
        Command::Import(asked) => import::run(&asked, file, environment, terminal),
        Command::Admin(asked) => admin::run(&asked, file, environment, terminal),
        Command::Backup(asked) => backup::run(&asked, file, environment, terminal),
        Command::Restore(asked) => restore::run(&asked, file, environment, terminal),
        Command::Completions { shell } => print(Cli::completions(shell)),
        Command::Reference => print(cli_reference::markdown()),
    }
}

/// Where everything that waits runs.
fn runtime() -> Result<Runtime, Stop> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Stop::failed(format!("no threads can be started: {error}")))
}

/// An engine over the database, beside a server if there is one.
async fn beside(config: &Config, intent: Intent) -> Result<Engine, Stop> {
    let ports = Ports::of_the_system();
    let examined = examine(config, ports.clock.now()).await;
    let store = open::store(config, &ports, intent).await?;
    open::engine(config, &ports, store, &config.issuer(config.listen), examined).await
}

/// A refusal, for the person at the command line: they may know the reason too.
fn refusal(refusal: &Refusal) -> Stop {
    let mut message = refusal.public().to_owned();
    let faults: Vec<_> = refusal.faults().iter().collect();
    if faults.is_empty() && !refusal.reason().is_empty() {
        message = format!("{message} ({})", refusal.reason());
    }
    for fault in faults {
        message = format!("{message}\n  {}: {}", fault.pointer, fault.text);
    }
    Stop::wrong(message)
}
