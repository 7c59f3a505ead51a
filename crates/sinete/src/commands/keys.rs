//! `sinete keys`: signing keys and the instance key.

use crate::cli::KeysCommand;
use crate::commands::{build_runtime, open_engine};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::OsEntropy;
use crate::private_file;
use crate::startup::engine::DatabaseIntent;
use crate::startup::sample_secrets;
use crate::terminal::{Terminal, TextTone};
use serde::Serialize;
use sinete_core::limits::KEYS_REFRESH_INTERVAL;
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyPhase, SigningKeyPurpose};
use sinete_crypto::platform::encryption::InstanceKey;
use sinete_crypto::platform::signing_keys::{SigningKey, SigningKeyMarking};
use sinete_engine::platform::instance_key;
use sinete_engine::platform::signing_keys;
use sinete_engine::platform::signing_keys::{
    AddedKey, KeyChangeError, KeyChangeRefusal, KeyOverview, KeySource,
};
use sinete_engine::{Engine, EventCause};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(
    keys_command: &KeysCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let print = |text: &str| terminal.print(text).map(|()| CommandExit::Done);
    match keys_command {
        KeysCommand::InstanceKey => return print(&format!("{}\n", *InstanceKey::mint(&OsEntropy))),
        KeysCommand::Generate { algorithm, folder: Some(folder) } => {
            return print(&generate_key_files(algorithm, folder)?);
        }
        _ => {}
    }
    let config = Config::load(file, environment)?.config;
    build_runtime()?.block_on(async {
        let engine = open_engine(&config, required_intent(keys_command)).await?;
        let result = run_subcommand(keys_command, &engine, terminal).await;
        engine.store().close().await;
        print(&result?)
    })
}

/// Whether the command may set up a database.
const fn required_intent(keys_command: &KeysCommand) -> DatabaseIntent {
    match keys_command {
        KeysCommand::Generate { .. } | KeysCommand::Import { .. } => DatabaseIntent::Add,
        KeysCommand::InstanceKey
        | KeysCommand::List { .. }
        | KeysCommand::Rotate { .. }
        | KeysCommand::Revoke { .. }
        | KeysCommand::Reencrypt => DatabaseIntent::Use,
    }
}

async fn run_subcommand(
    keys_command: &KeysCommand,
    engine: &Engine,
    terminal: &Terminal,
) -> Result<String, CommandError> {
    let cause = EventCause::system();
    match keys_command {
        KeysCommand::InstanceKey => Ok(String::new()),
        KeysCommand::Generate { algorithm, .. } => generate_keys(engine, algorithm, &cause).await,
        KeysCommand::Import { file, algorithm } => {
            let unreadable =
                |error| CommandError::invalid_usage(format!("{} cannot be read: {error}", file.display()));
            let text = private_file::read(file).map_err(unreadable)?;
            let result = SigningKey::parse(&text, *algorithm);
            if result.is_ok_and(|key| sample_secrets::is_sample_signing_key(key.kid())) {
                return Err(CommandError::refused("this key is an example from a public document"));
            }
            let joined =
                signing_keys::import(engine, &text, *algorithm, &cause).await.map_err(to_command_error)?;
            Ok(format!(
                "{}Remove {} if nothing else needs it.\n",
                describe_joined_key(&joined),
                file.display()
            ))
        }
        KeysCommand::List { json: true } => render_json(&signing_keys::list(engine).await?),
        KeysCommand::List { json: false } => Ok(render_table(&signing_keys::list(engine).await?, terminal)),
        KeysCommand::Rotate { algorithm } => Ok(describe_joined_key(
            &signing_keys::rotate(engine, *algorithm, &cause).await.map_err(to_command_error)?,
        )),
        KeysCommand::Revoke { kid } => {
            let revoked = signing_keys::revoke(engine, kid, &cause).await.map_err(to_command_error)?;
            let successor =
                revoked.successor.map_or_else(String::new, |kid| format!(" {kid} signs in its place."));
            Ok(format!(
                "{} is withdrawn: what it signed is no longer valid.{successor} {}\n",
                revoked.kid,
                propagation_notice("follow")
            ))
        }
        KeysCommand::Reencrypt => reencrypt_secrets(engine, &cause, terminal).await,
    }
}

/// Converts a refusal to an error. Using a development key in production is refused as unsafe.
fn to_command_error(error: KeyChangeError) -> CommandError {
    match error {
        KeyChangeError::Refused(refusal @ KeyChangeRefusal::DevelopmentKey) => CommandError::refused(refusal),
        KeyChangeError::Refused(refusal) => CommandError::invalid_usage(refusal),
        KeyChangeError::Failed(failure) => failure.into(),
    }
}

/// The requested algorithms, or the required ones.
fn algorithms_or_required(signing_algorithms: &[SigningAlgorithm]) -> Vec<SigningAlgorithm> {
    if signing_algorithms.is_empty() {
        SigningAlgorithm::REQUIRED.to_vec()
    } else {
        signing_algorithms.to_vec()
    }
}

async fn generate_keys(
    engine: &Engine,
    signing_algorithms: &[SigningAlgorithm],
    cause: &EventCause,
) -> Result<String, CommandError> {
    if signing_algorithms.is_empty() {
        let keys = signing_keys::ensure_keys(engine, &SigningAlgorithm::REQUIRED, cause).await?;
        let text: String = keys.iter().map(describe_joined_key).collect();
        return Ok(if keys.is_empty() { "All required keys exist.\n".to_owned() } else { text });
    }
    let mut text = String::new();
    for algorithm in signing_algorithms {
        text.push_str(&describe_joined_key(
            &signing_keys::generate(engine, *algorithm, cause).await.map_err(to_command_error)?,
        ));
    }
    Ok(text)
}

fn describe_joined_key(joined: &AddedKey) -> String {
    match &joined.predecessor {
        None => format!("{} is the signing key. {}\n", joined.kid, propagation_notice("use it")),
        Some(before) => format!(
            "{} takes over from {before} at {}. {}\n",
            joined.kid,
            joined.lifecycle.signs_from,
            propagation_notice("publish it")
        ),
    }
}

/// The notice about when running servers use a change: they reload keys at this interval.
fn propagation_notice(follow: &str) -> String {
    format!("Running servers {follow} within {} seconds.", KEYS_REFRESH_INTERVAL.seconds())
}

/// Generates production keys as files, in any mode, for use elsewhere.
pub(super) fn generate_key_files(
    signing_algorithms: &[SigningAlgorithm],
    folder: &Path,
) -> Result<String, CommandError> {
    let failed =
        |reason: &dyn std::fmt::Display| CommandError::failed(format!("no key could be generated: {reason}"));
    let mut text = String::new();
    let mut paths = Vec::new();
    for algorithm in algorithms_or_required(signing_algorithms) {
        let path = key_file(folder, algorithm);
        if path.exists() {
            return Err(CommandError::invalid_usage(format!(
                "{} is there already: nothing was written",
                path.display()
            )));
        }
        paths.push((algorithm, path));
    }
    private_file::create_folder(folder).map_err(|error| failed(&error))?;
    for (algorithm, path) in paths {
        let key = SigningKey::generate(algorithm).map_err(|error| failed(&error))?;
        let pem = key.to_pem().map_err(|error| failed(&error))?;
        private_file::create(&path, pem.as_bytes()).map_err(|error| failed(&error))?;
        let prefix = if algorithm == SigningAlgorithm::Ps256 { "PS256:" } else { "" };
        let _ = writeln!(text, "{prefix}{}  {}", path.display(), key.kid());
    }
    text.push_str("Name these files in signing.keys.\n");
    Ok(text)
}

/// The file of a signing key in a folder.
pub(super) fn key_file(folder: &Path, algorithm: SigningAlgorithm) -> PathBuf {
    folder.join(format!("{}.pem", algorithm.as_str().to_ascii_lowercase()))
}

async fn reencrypt_secrets(
    engine: &Engine,
    cause: &EventCause,
    terminal: &Terminal,
) -> Result<String, CommandError> {
    let bar = terminal.progress("encrypting anew", 0);
    let reencryption_tally = instance_key::reencrypt_secrets(engine, cause, |_| bar.tick()).await?;
    drop(bar);
    if reencryption_tally.undecryptable > 0 {
        return Err(CommandError::failed(format!(
            "{} secrets were encrypted anew, and {} cannot be decrypted with a configured key: keep the previous keys \
             and add the one that is missing",
            reencryption_tally.secrets, reencryption_tally.undecryptable
        )));
    }
    Ok(format!(
        "{} secrets were encrypted anew. The previous instance keys are no longer needed.\n",
        reencryption_tally.secrets
    ))
}

/// A key as JSON.
#[derive(Serialize)]
struct KeyListLine<'a> {
    kid: &'a str,
    purpose: &'static str,
    algorithm: SigningAlgorithm,
    source: &'static str,
    development: bool,
    phase: &'static str,
    published_at: String,
    signs_from: String,
    signs_until: Option<String>,
    withdrawn_at: Option<String>,
    unusable: Option<&'a str>,
}

fn to_line(key: &KeyOverview) -> KeyListLine<'_> {
    KeyListLine {
        kid: &key.kid,
        purpose: match key.purpose {
            SigningKeyPurpose::Tokens => "tokens",
            SigningKeyPurpose::Log => "log",
        },
        algorithm: key.algorithm,
        source: match key.source {
            KeySource::Configured => "configuration",
            KeySource::Database => "database",
        },
        development: key.marking == SigningKeyMarking::Development,
        phase: match key.phase {
            SigningKeyPhase::Announced => "announced",
            SigningKeyPhase::Signing => "signing",
            SigningKeyPhase::Retiring => "retiring",
            SigningKeyPhase::Withdrawn => "withdrawn",
        },
        published_at: key.lifecycle.published_at.to_string(),
        signs_from: key.lifecycle.signs_from.to_string(),
        signs_until: key.lifecycle.signs_until.map(|at| at.to_string()),
        withdrawn_at: key.lifecycle.withdrawn_at.map(|at| at.to_string()),
        unusable: key.unusable.as_deref(),
    }
}

fn render_json(overviews: &[KeyOverview]) -> Result<String, CommandError> {
    let lines: Vec<_> = overviews.iter().map(to_line).collect();
    let json = serde_json::to_string_pretty(&lines);
    json.map(|json| json + "\n")
        .map_err(|error| CommandError::failed(format!("the list cannot be written: {error}")))
}

fn render_table(overviews: &[KeyOverview], terminal: &Terminal) -> String {
    if overviews.is_empty() {
        return "There are no signing keys: make some with `sinete keys generate`.\n".to_owned();
    }
    let mut text = String::new();
    for key in overviews {
        let list_line = to_line(key);
        let tone = match key.phase {
            SigningKeyPhase::Signing => TextTone::Good,
            SigningKeyPhase::Announced | SigningKeyPhase::Retiring => TextTone::Warning,
            SigningKeyPhase::Withdrawn => TextTone::Faint,
        };
        let phase = terminal.paint(tone, &format!("{:9}", list_line.phase));
        let note = match (list_line.development, list_line.unusable) {
            (_, Some(reason)) => terminal.paint(TextTone::Bad, &format!("  cannot be used: {reason}")),
            (true, None) => terminal.paint(TextTone::Warning, "  development"),
            (false, None) => String::new(),
        };
        let _ = writeln!(
            text,
            "{}  {:6}  {phase}  {:6}  {:13}  since {}{note}",
            list_line.kid, key.algorithm, list_line.purpose, list_line.source, list_line.signs_from
        );
    }
    text
}
