//! The program: configuration, commands, boot.
//!
//! It is the only part of Sinete that reads the environment, files, the clock and the operating system's
//! randomness; everything below is given what it needs.

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
pub mod startup;
pub mod terminal;

pub use serve::{RunningServer, ServerPorts, serve};

use cli::{CommandLine, ParsedCommand};
use config::environment::Environment;
use exit::CommandExit;
use std::ffi::OsString;
use terminal::Terminal;

/// Says once which cryptography TLS uses: a library that has to guess between two stops the program.
fn install_crypto_provider() {
    // Where it was chosen before, it is the same.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}

/// Does what the command line asks, and says how it ended. The program's name comes first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> CommandExit {
    install_crypto_provider();
    let environment = Environment::from_process();
    let terminal = Terminal::from_process(&environment);
    let ended = CommandLine::parse_arguments(arguments).and_then(|asked| match asked {
        ParsedCommand::Run(cli) => commands::run(cli, &environment, &terminal),
        ParsedCommand::PrintText(text) => terminal.print(&text).map(|()| CommandExit::Done),
    });
    ended.unwrap_or_else(|stop| {
        terminal.print_error(&stop.message);
        stop.exit
    })
}
