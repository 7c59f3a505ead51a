//! `sinete log`: checking the security log, showing its signed head, writing it out.

use crate::boot::{instance_key, private_file};
use crate::cli::{LogCommand, LogExportArgs, LogVerifyArgs};
use crate::commands::runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::{OsEntropy, SystemClock};
use crate::terminal::Terminal;
use sinete_core::security::chain::{LogChainAnchor, LogFinding};
use sinete_core::time::Timestamp;
use sinete_engine::security_log::{
    EventSelection, LogExport, PersonalDataMode, SecurityLog, SecurityLogError, VerificationProgress,
    noted_heads, verify_export,
};
use sinete_store::{Store, StoreAccess, StoreOptions, migrate};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind};
use std::path::Path;

/// Does what was asked of the log.
pub fn run(
    asked: &LogCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    if let LogCommand::Verify(LogVerifyArgs { export: Some(export), key, head }) = asked {
        return check_file(export, key.as_deref(), &anchors(head)?, terminal);
    }
    let config = Config::load(file, environment)?.config;
    let done = runtime()?.block_on(async {
        let access = match asked {
            LogCommand::Export(LogExportArgs { with_personal: true, .. }) => StoreAccess::Beside,
            LogCommand::Export(_) | LogCommand::Verify(_) | LogCommand::Head => StoreAccess::ReadOnly,
        };
        let (store, log) = open(&config, access).await?;
        let done = match asked {
            LogCommand::Verify(verify) => check(&log, &anchors(&verify.head)?, terminal).await,
            LogCommand::Head => head(&log, terminal).await,
            LogCommand::Export(export) => write_out(&log, export, terminal).await,
        };
        store.close().await;
        done
    });
    done.map_err(not_unsafe)
}

/// Nothing here can be unsafe: what keeps a server from starting only keeps us from looking.
fn not_unsafe(stop: CommandError) -> CommandError {
    match stop.exit {
        CommandExit::Unsafe => CommandError { exit: CommandExit::Failed, ..stop },
        CommandExit::Done | CommandExit::Failed | CommandExit::Wrong | CommandExit::Damaged => stop,
    }
}

async fn open(config: &Config, access: StoreAccess) -> Result<(Store, SecurityLog), CommandError> {
    let keys = instance_key::existing(config).map_err(CommandError::wrong)?;
    let keys = keys.ok_or_else(|| {
        CommandError::failed(
            "there is no instance key to check the log with: configure it, or start `sinete serve` once",
        )
    })?;
    let store = Store::open(&config.database.address, &StoreOptions::new(access)).await?;
    if !migrate::status(&store).await?.pending.is_empty() {
        return Err(CommandError::failed("the database is not up to date: run sinete migrate first"));
    }
    let log = SecurityLog::open(&store, &keys.keys, SystemClock.now()).await?;
    Ok((store, log))
}

async fn check(
    log: &SecurityLog,
    anchors: &[LogChainAnchor],
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let bar = terminal.progress("checking the security log", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        VerificationProgress::Reached { done, of } => bar.reached(done, of),
        VerificationProgress::Found(finding) => told(&mut printed, terminal, &finding),
    };
    let verified = log.verify(anchors, SystemClock.now(), &mut tell).await?;
    drop(bar);
    printed?;
    let events = count(verified.tally.links, "event");
    let mut text = format!("{} in {events}", count(verified.findings, "finding"));
    if let Some(head) = verified.head {
        text.push_str(&format!("; head at position {}, signed at {}", head.position, head.sealed_at));
    }
    if verified.tally.anchors > 0 {
        text.push_str(&format!("; {} as noted", count(verified.tally.anchors, "head")));
    }
    if let Some(since) = verified.waiting_since {
        text.push_str(&format!("; {} waiting to be sealed since {since}", count(verified.waiting, "event")));
    }
    terminal.print(&(text + "\n"))?;
    Ok(if verified.findings == 0 { CommandExit::Done } else { CommandExit::Damaged })
}

fn check_file(
    path: &Path,
    key: Option<&str>,
    anchors: &[LogChainAnchor],
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let unreadable = |error| CommandError::failed(format!("{} cannot be read: {error}", path.display()));
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let bar = terminal.progress("checking the export", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        VerificationProgress::Reached { done, of } => bar.reached(done, of),
        VerificationProgress::Found(finding) => told(&mut printed, terminal, &finding),
    };
    let verified = verify_export(&mut file, key, anchors, &mut tell)?;
    drop(bar);
    printed?;
    let text = format!(
        "{} in {}; exported at {} by instance {}, signed with key {}{}\n",
        count(verified.findings, "finding"),
        count(verified.tally.links, "event"),
        verified.exported_at,
        verified.instance,
        verified.kid,
        if key.is_some() { "" } else { ", which you should compare with what `sinete log head` prints" },
    );
    terminal.print(&text)?;
    match (verified.findings, verified.tally.anchors_out_of_reach) {
        (0, 0) => Ok(CommandExit::Done),
        (0, heads) => Err(CommandError::failed(format!(
            "{} could not be compared: the positions are not in this export",
            count(heads, "noted head")
        ))),
        (_, _) => Ok(CommandExit::Damaged),
    }
}

/// Prints a finding as it is found; the first failure to print is kept.
fn told(printed: &mut Result<(), CommandError>, terminal: &Terminal, finding: &LogFinding) {
    if printed.is_ok() {
        *printed = terminal.print(&format!("{finding}\n"));
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

async fn head(log: &SecurityLog, terminal: &Terminal) -> Result<CommandExit, CommandError> {
    let head = serde_json::to_string(&log.head().await?);
    let head = head.map_err(|error| CommandError::failed(format!("the head cannot be written: {error}")))?;
    terminal.print(&(head + "\n")).map(|()| CommandExit::Done)
}

async fn write_out(
    log: &SecurityLog,
    asked: &LogExportArgs,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let now = SystemClock.now();
    let selection = EventSelection {
        after: asked.after,
        since: asked.since,
        until: asked.until,
        kinds: asked.kind.clone(),
        organization: asked.organization,
    };
    let personal = if asked.with_personal {
        PersonalDataMode::Included(log.record_export(&selection, now, &OsEntropy).await?)
    } else {
        PersonalDataMode::LeftOut
    };
    let export = LogExport { at: now, selection, personal };
    let bar = terminal.progress("exporting", 0);
    let mut tell = |progress| {
        if let VerificationProgress::Reached { done, of } = progress {
            bar.reached(done, of);
        }
    };
    let written = match &asked.output {
        None => log.export(&export, &mut BufWriter::new(std::io::stdout()), &mut tell).await,
        Some(path) => {
            let mut file = BufWriter::new(new_file(path)?);
            let written = log.export(&export, &mut file, &mut tell).await;
            if written.is_err() {
                // It lacks its last line and is no export. If it cannot be removed, that line says so.
                let _ = std::fs::remove_file(path);
            }
            written
        }
    };
    drop(bar);
    let exported = match written {
        Ok(exported) => exported,
        // A reader who has gone away has seen enough.
        Err(SecurityLogError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            return Ok(CommandExit::Done);
        }
        Err(failed) => return Err(failed.into()),
    };
    if let Some(path) = &asked.output {
        let (events, head) = (count(exported.events, "event"), exported.head.position);
        terminal.print(&format!("{} holds {events}; continue with --after {head}.\n", path.display()))?;
    }
    Ok(CommandExit::Done)
}

/// An export may hold personal data: it is for its owner only, and never written over something else.
fn new_file(path: &Path) -> Result<File, CommandError> {
    private_file::create_file(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CommandError::wrong(format!(
            "{} is there already: name another file with --output",
            path.display()
        )),
        _ => CommandError::wrong(format!("{} cannot be made: {error}", path.display())),
    })
}

/// What was noted earlier: `POSITION:HASH`, or a file with what `log head` printed.
fn anchors(noted: &[String]) -> Result<Vec<LogChainAnchor>, CommandError> {
    let mut anchors = Vec::new();
    for text in noted {
        if let Ok(anchor) = text.parse() {
            anchors.push(anchor);
            continue;
        }
        let unreadable = |error| {
            CommandError::wrong(format!(
                "--head {text} is neither POSITION:HASH nor a file that can be read: {error}"
            ))
        };
        let heads = noted_heads(&std::fs::read_to_string(text).map_err(unreadable)?);
        if heads.is_empty() {
            return Err(CommandError::wrong(format!("--head {text}: there is no head in that file")));
        }
        anchors.extend(heads);
    }
    Ok(anchors)
}

/// A moment as RFC 3339 writes it.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    parsed
        .map(|moment| Timestamp::from_micros(moment.as_microsecond()))
        .map_err(|_| "write a moment as in 2026-11-15T00:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_is_printed() {
        let printed = Timestamp::from_micros(1_794_711_123_000_042);
        assert_eq!(moment(&printed.to_string()), Ok(printed));
        assert_eq!(moment("2026-11-15T04:52:03+02:00"), Ok(Timestamp::from_seconds(1_794_711_123)));
        assert!(moment("yesterday").is_err());
    }

    #[test]
    fn a_noted_head_is_a_pair_or_a_file() {
        let hash = "6c9facddd219ecba50c550008004710fad3a322701e063e638e14b2ba61d8c27";
        let pair = format!("7:{hash}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{{\"position\":7,\"hash\":\"{hash}\"}}\n")).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let both = anchors(&[pair, path.clone()]).unwrap();
        assert_eq!(both[0], both[1]);
        std::fs::write(file.path(), "nothing\n").unwrap();
        assert!(anchors(&[path]).is_err());
        assert!(anchors(&["/nowhere/at/all".to_owned()]).is_err());
    }
}
