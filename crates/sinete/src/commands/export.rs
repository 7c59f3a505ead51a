//! `sinete export`: the instance as a document that can be applied to another instance.

use crate::cli::declarative::ExportArgs;
use crate::commands::{build_runtime, open_engine};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::private_file;
use crate::startup::engine::DatabaseIntent;
use crate::terminal::Terminal;
use sinete_core::administration::declarative::DeclarativeConfig;
use sinete_engine::administration::declarative;
use std::path::Path;

/// Writes the document.
pub fn run(
    args: &ExportArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let document = build_runtime()?.block_on(async {
        let engine = open_engine(&config, DatabaseIntent::Use).await?;
        let document = declarative::export_instance(&engine).await;
        engine.store().close().await;
        document.map_err(CommandError::from)
    })?;
    let text = serialize_document(&document, args.json)?;
    match &args.output {
        None => terminal.print(&text)?,
        Some(path) => private_file::replace(path, text.as_bytes()).map_err(|error| {
            CommandError::failed(format!("{} cannot be written: {error}", path.display()))
        })?,
    }
    Ok(CommandExit::Done)
}

fn serialize_document(document: &DeclarativeConfig, as_json: bool) -> Result<String, CommandError> {
    let failed = |reason: &dyn std::fmt::Display| {
        CommandError::failed(format!("the document cannot be written: {reason}"))
    };
    if as_json {
        let text = serde_json::to_string_pretty(document).map_err(|error| failed(&error))?;
        return Ok(format!("{text}\n"));
    }
    // Some values, such as null in a JSON Schema, exist in JSON but not in TOML.
    toml::to_string(document).map_err(|error| failed(&format!("{error}; --json can")))
}
