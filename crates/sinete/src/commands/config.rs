//! `sinete config check`: all settings with their origin, and all errors.

use crate::config::environment::Environment;
use crate::config::{Config, explain};
use crate::exit::{CommandError, CommandExit};
use crate::terminal::{Terminal, TextTone};
use std::fmt::Write as _;
use std::path::Path;

/// Explains the configuration. Errors have the same text and exit code as in `serve`.
pub fn check(
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let loaded = Config::load(file, environment)?;
    let lines = explain::explain_settings(&loaded);
    let longest =
        |of: fn(&explain::ExplainedSetting) -> &str| lines.iter().map(|line| of(line).chars().count()).max();
    let (keys, values) = (longest(|line| line.key), longest(|line| &line.value));
    let (keys, values) = (keys.unwrap_or_default(), values.unwrap_or_default().min(VALUE_CHARACTERS));
    let mut text = String::new();
    for line in &lines {
        let value = terminal.paint(TextTone::Strong, &format!("{:values$}", line.value));
        let origin = terminal.paint(TextTone::Faint, &line.origin);
        let _ = writeln!(text, "{:keys$}  {value}  {origin}", line.key);
    }
    let file = loaded
        .config
        .file
        .as_ref()
        .map_or_else(|| "no configuration file".to_owned(), |file| format!("the file {}", file.display()));
    let _ = writeln!(
        text,
        "\nThis is a {} instance, with {file}. The configuration is well-formed;",
        loaded.config.mode
    );
    text.push_str("`sinete doctor --production` shows whether it is safe for production.\n");
    terminal.print(&text).map(|()| CommandExit::Done)
}

/// The width of the value column; longer values move their origin to the right.
const VALUE_CHARACTERS: usize = 40;
