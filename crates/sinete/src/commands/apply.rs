//! `sinete apply`: makes the instance what a document says, and says before what that changes.

mod document;

use crate::boot::open::Intent;
use crate::cli::declarative::Apply;
use crate::commands::{beside, refusal, runtime};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::terminal::{Terminal, Tone};
use sinete_core::declared::Declared;
use sinete_core::declared::fitness::misfits;
use sinete_core::declared::plan::{Change, Difference, Unmentioned, plan};
use sinete_core::fault::Faults;
use sinete_engine::declared::FoundSecrets;
use sinete_engine::{Engine, caller, declared};
use std::fmt::Write as _;
use std::path::Path;

/// Applies the document.
pub fn run(
    asked: &Apply,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Exit, Stop> {
    let config = Config::load(file, environment)?.config;
    let (wanted, secrets) = document::read(&asked.file, environment)?;
    let intent = if asked.plan { Intent::Use } else { Intent::Add };
    runtime()?.block_on(async {
        let engine = beside(&config, intent).await?;
        let done = Applying { asked, engine: &engine, secrets: &secrets }.apply(&wanted, terminal).await;
        engine.store().close().await;
        done
    })
}

/// A document on its way into an instance.
struct Applying<'a> {
    asked: &'a Apply,
    engine: &'a Engine,
    secrets: &'a FoundSecrets,
}

impl Applying<'_> {
    async fn apply(&self, wanted: &Declared, terminal: &Terminal) -> Result<Exit, Stop> {
        let unmentioned = if self.asked.prune { Unmentioned::Remove } else { Unmentioned::Keep };
        let current = declared::current(self.engine).await?;
        let mut unfit = misfits(&current, wanted, unmentioned);
        unfit.nest("", &declared::misfits(self.engine, &current, wanted));
        complain(&self.asked.file, "does not fit this instance", &unfit)?;
        let changes = plan(&current, wanted, unmentioned);
        if changes.is_empty() {
            terminal.print("Everything is as the document says.\n")?;
            return Ok(Exit::Done);
        }
        let closed = declared::closed(self.engine, &changes).await?;
        if !closed.is_empty() {
            let slugs: Vec<_> = closed.iter().map(|slug| slug.as_str()).collect();
            let slugs = slugs.join(", ");
            return Err(Stop::wrong(format!(
                "nothing was changed: these organizations are suspended: {slugs}"
            )));
        }
        terminal.print(&shown(&changes, terminal))?;
        if self.asked.plan {
            return Ok(Exit::Done);
        }
        if !self.asked.yes && !terminal.confirms("Apply?")? {
            return Err(Stop::wrong("nothing was changed"));
        }
        self.carry_out(&current, &changes).await?;
        let count = changes.len();
        terminal.print(&format!("{count} {} made.\n", if count == 1 { "change" } else { "changes" }))?;
        Ok(Exit::Done)
    }

    async fn carry_out(&self, current: &Declared, changes: &[Change]) -> Result<(), Stop> {
        for (place, change) in changes.iter().enumerate() {
            // What the command line holds is derived anew for each: a change before may have defined what this one gives.
            let caller = caller::at_the_command_line(self.engine).await?;
            let done = declared::carry_out(self.engine, &caller, current, change, self.secrets).await?;
            if let Err(refused) = done {
                let (made, all) = (place, changes.len());
                let why = refusal(&refused).message;
                return Err(Stop::failed(format!(
                    "{made} of {all} changes were made; then, at {change}: {why}"
                )));
            }
        }
        Ok(())
    }
}

/// The changes, one line each, and below each what it changes from and to.
fn shown(changes: &[Change], terminal: &Terminal) -> String {
    let mut text = String::new();
    for change in changes {
        let line = change.to_string();
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            _ => Tone::Warning,
        };
        let _ = writeln!(text, "{}", terminal.paint(tone, &line));
        for difference in change.differences() {
            let _ = writeln!(text, "    {}", told(difference));
        }
    }
    text
}

/// What differs. Of a secret only that it does.
fn told(difference: &Difference) -> String {
    let is_secret = difference.pointer == "/secret" || difference.pointer.starts_with("/secret/");
    if is_secret { "/secret: another one".to_owned() } else { difference.to_string() }
}

/// Stops with every fault and its place, if there are any.
fn complain(file: &Path, what: &str, faults: &Faults) -> Result<(), Stop> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut message = format!("{} {what}; nothing was changed", file.display());
    for fault in faults.iter() {
        let _ = write!(message, "\n  {}: {}", fault.pointer, fault.text);
    }
    Err(Stop::wrong(message))
}
