//! What each command does. A command says what it did on standard output and why it stopped by a [`Stop`].

mod backup;
mod config;
mod doctor;
mod keys;
pub mod log;
mod migrate;
mod postgres_tools;
mod restore;
mod serve;

use crate::cli::{Cli, Command, ConfigCommand};
use crate::cli_reference;
use crate::config::environment::Environment;
use crate::config::reference;
use crate::exit::{Exit, Stop};
use crate::terminal::Terminal;
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
