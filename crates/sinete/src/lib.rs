//! The program: configuration, commands and startup.
//!
//! Only this crate reads the environment, files, the clock and the operating system's randomness; all other
//! crates receive them as arguments.

mod backend;
pub mod cli;
mod commands;
pub mod config;
pub mod exit;
mod logging;
mod metrics;
pub mod os;
pub mod outbound;
pub mod private_file;
mod serve;
mod server_ports;
pub mod startup;
pub mod terminal;

pub use serve::{RunningServer, serve};
pub use server_ports::ServerPorts;

use cli::{CommandLine, ParsedCommand};
use config::environment::Environment;
use exit::CommandExit;
use std::ffi::OsString;
use terminal::Terminal;

/// Installs the TLS crypto provider: the library panics if it must choose between two.
fn install_crypto_provider() {
    // Fails only if the same provider is already installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}

/// Runs the command line, whose first argument is the program's name, and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> CommandExit {
    install_crypto_provider();
    let environment = Environment::from_process();
    let terminal = Terminal::from_process(&environment);
    let ended = CommandLine::parse_arguments(arguments).and_then(|parsed_command| match parsed_command {
        ParsedCommand::Run(cli) => commands::run(cli, &environment, &terminal),
        ParsedCommand::PrintText(text) => terminal.print(&text).map(|()| CommandExit::Done),
    });
    ended.unwrap_or_else(|stop| {
        terminal.print_error(&stop.message);
        stop.exit
    })
}
