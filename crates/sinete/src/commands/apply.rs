//! `sinete apply`: brings the instance into line with a document, after showing the changes.

pub(super) mod document;

use crate::cli::declarative::ApplyArgs;
use crate::commands::{build_runtime, open_engine, to_command_error};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::startup::engine::DatabaseIntent;
use crate::terminal::{Terminal, TextTone};
use sinete_core::administration::declarative::DeclarativeConfig;
use sinete_core::administration::declarative::plan::{
    DeclarativeChange, DeclarativePrunePolicy, ValueDifference, plan_changes,
};
use sinete_core::administration::declarative::validation::validate_against_instance;
use sinete_core::validation::ValidationErrors;
use sinete_engine::administration::declarative;
use sinete_engine::administration::declarative::DeclaredSecrets;
use sinete_engine::organizations;
use sinete_engine::{Engine, Error};
use std::fmt::Write as _;
use std::path::Path;

/// Applies the document.
pub fn run(
    args: &ApplyArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let (declarative_config, secrets) = document::read_document(&args.file, environment)?;
    let intent = if args.plan { DatabaseIntent::Use } else { DatabaseIntent::Add };
    build_runtime()?.block_on(async {
        let engine = open_engine(&config, intent).await?;
        let run = ApplyRun { file: &args.file, engine: &engine, secrets: &secrets };
        let result = run.plan_and_apply(args, &declarative_config, terminal).await;
        engine.store().close().await;
        result
    })
}

/// Applies a built-in document, without confirmation. Objects that it does not declare stay.
pub(super) async fn apply_document(
    engine: &Engine,
    file: &Path,
    config: &DeclarativeConfig,
    secrets: &DeclaredSecrets,
) -> Result<(), CommandError> {
    let run = ApplyRun { file, engine, secrets };
    let (current, changes) = run.find_changes(config, DeclarativePrunePolicy::Keep).await?;
    run.apply_changes(&current, &changes).await
}

/// A document that is being applied.
struct ApplyRun<'a> {
    /// The file, for messages.
    file: &'a Path,
    engine: &'a Engine,
    secrets: &'a DeclaredSecrets,
}

impl ApplyRun<'_> {
    async fn plan_and_apply(
        &self,
        args: &ApplyArgs,
        config: &DeclarativeConfig,
        terminal: &Terminal,
    ) -> Result<CommandExit, CommandError> {
        let unmentioned =
            if args.prune { DeclarativePrunePolicy::Remove } else { DeclarativePrunePolicy::Keep };
        let (current, changes) = self.find_changes(config, unmentioned).await?;
        if changes.is_empty() {
            terminal.print("The instance matches the document.\n")?;
            return Ok(CommandExit::Done);
        }
        terminal.print(&render_changes(&changes, terminal))?;
        if args.plan {
            return Ok(CommandExit::Done);
        }
        if !args.yes && !terminal.confirm("Apply?")? {
            return Err(CommandError::invalid_usage("nothing was changed"));
        }
        self.apply_changes(&current, &changes).await?;
        let count = changes.len();
        terminal.print(&format!("{count} {} made.\n", if count == 1 { "change" } else { "changes" }))?;
        Ok(CommandExit::Done)
    }

    /// The current state of the instance, and the changes that the document requires.
    async fn find_changes(
        &self,
        config: &DeclarativeConfig,
        unmentioned: DeclarativePrunePolicy,
    ) -> Result<(DeclarativeConfig, Vec<DeclarativeChange>), CommandError> {
        let current = declarative::load_current(self.engine).await?;
        let mut unfit = validate_against_instance(&current, config, unmentioned);
        unfit.add_nested("", &declarative::find_faults(self.engine, &current, config));
        require_no_faults(self.file, "does not fit this instance", &unfit)?;
        let changes = plan_changes(&current, config, unmentioned);
        let closed = declarative::find_unchangeable_organizations(self.engine, &changes).await?;
        if !closed.is_empty() {
            let slugs: Vec<_> = closed.iter().map(|slug| slug.as_str()).collect();
            let slugs = slugs.join(", ");
            return Err(CommandError::invalid_usage(format!(
                "nothing was changed: these organizations are suspended: {slugs}"
            )));
        }
        Ok((current, changes))
    }

    async fn apply_changes(
        &self,
        current: &DeclarativeConfig,
        changes: &[DeclarativeChange],
    ) -> Result<(), CommandError> {
        for (index, change) in changes.iter().enumerate() {
            // The caller's authority is derived again for each change: an earlier change may have defined a
            // permission that this one assigns.
            let caller = organizations::load_command_line_caller(self.engine).await?;
            let result = declarative::apply_change(self.engine, &caller, current, change, self.secrets).await;
            result.map_err(|error| match error {
                Error::Refused(refused) => {
                    let (applied_count, all) = (index, changes.len());
                    let reason = to_command_error(&refused).message;
                    CommandError::failed(format!(
                        "{applied_count} of {all} changes were made; then, at {change}: {reason}"
                    ))
                }
                Error::Failed(failure) => failure.into(),
            })?;
        }
        Ok(())
    }
}

/// Renders the changes, one line each, followed by the differing values.
fn render_changes(changes: &[DeclarativeChange], terminal: &Terminal) -> String {
    let mut text = String::new();
    for change in changes {
        let line = change.to_string();
        let tone = match line.as_bytes().first() {
            Some(b'+') => TextTone::Good,
            Some(b'-') => TextTone::Bad,
            _ => TextTone::Warning,
        };
        let _ = writeln!(text, "{}", terminal.paint(tone, &line));
        for difference in change.differences() {
            let _ = writeln!(text, "    {}", render_difference(difference));
        }
    }
    text
}

/// Renders a difference. For a secret, only that it differs.
fn render_difference(difference: &ValueDifference) -> String {
    let is_secret = difference.pointer == "/secret" || difference.pointer.starts_with("/secret/");
    if is_secret { "/secret: another one".to_owned() } else { difference.to_string() }
}

/// Fails with all validation errors, if there are any.
fn require_no_faults(file: &Path, problem: &str, errors: &ValidationErrors) -> Result<(), CommandError> {
    if errors.is_empty() {
        return Ok(());
    }
    let mut message = format!("{} {problem}; nothing was changed", file.display());
    for fault in errors.iter() {
        let _ = write!(message, "\n  {}: {}", fault.pointer, fault.text);
    }
    Err(CommandError::invalid_usage(message))
}
