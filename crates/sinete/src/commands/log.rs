//! `sinete log`: checking the security log, showing its signed head, writing it out.

use crate::boot::{instance_key, private_file};
use crate::cli::{LogCommand, LogExport, LogVerify};
use crate::commands::runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::os::{OsEntropy, SystemClock};
use crate::terminal::Terminal;
use sinete_core::security::chain::{Anchor, Finding};
use sinete_core::time::Timestamp;
use sinete_engine::security_log::{
    Export, LogFailed, PersonalPart, Progress, SecurityLog, Selection, noted_heads, verify_export,
};
use sinete_store::{Access, Options, Store, migrate};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind};
use std::path::Path;

/// Does what was asked of the log.
pub fn run(
    asked: &LogCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Exit, Stop> {
    if let LogCommand::Verify(LogVerify { export: Some(export), key, head }) = asked {
        return check_file(export, key.as_deref(), &anchors(head)?, terminal);
    }
    let config = Config::load(file, environment)?.config;
    let done = runtime()?.block_on(async {
        let access = match asked {
            LogCommand::Export(LogExport { with_personal: true, .. }) => Access::Beside,
            LogCommand::Export(_) | LogCommand::Verify(_) | LogCommand::Head => Access::ReadOnly,
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
fn not_unsafe(stop: Stop) -> Stop {
    match stop.exit {
        Exit::Unsafe => Stop { exit: Exit::Failed, ..stop },
        Exit::Done | Exit::Failed | Exit::Wrong | Exit::Damaged => stop,
    }
}

async fn open(config: &Config, access: Access) -> Result<(Store, SecurityLog), Stop> {
    let keys = instance_key::existing(config).map_err(Stop::wrong)?;
    let keys = keys.ok_or_else(|| {
        Stop::failed(
            "there is no instance key to check the log with: configure it, or start `sinete serve` once",
        )
    })?;
    let store = Store::open(&config.database.address, &Options::new(access)).await?;
    if !migrate::status(&store).await?.pending.is_empty() {
        return Err(Stop::failed("the database is not up to date: run sinete migrate first"));
    }
    let log = SecurityLog::open(&store, &keys.keys, SystemClock.now()).await?;
    Ok((store, log))
}

async fn check(log: &SecurityLog, anchors: &[Anchor], terminal: &Terminal) -> Result<Exit, Stop> {
    let bar = terminal.progress("checking the security log", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        Progress::Reached { done, of } => bar.reached(done, of),
        Progress::Found(finding) => told(&mut printed, terminal, &finding),
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
    Ok(if verified.findings == 0 { Exit::Done } else { Exit::Damaged })
}

fn check_file(path: &Path, key: Option<&str>, anchors: &[Anchor], terminal: &Terminal) -> Result<Exit, Stop> {
    let unreadable = |error| Stop::failed(format!("{} cannot be read: {error}", path.display()));
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let bar = terminal.progress("checking the export", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        Progress::Reached { done, of } => bar.reached(done, of),
        Progress::Found(finding) => told(&mut printed, terminal, &finding),
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
        (0, 0) => Ok(Exit::Done),
        (0, heads) => Err(Stop::failed(format!(
            "{} could not be compared: the positions are not in this export",
            count(heads, "noted head")
        ))),
        (_, _) => Ok(Exit::Damaged),
    }
}

/// Prints a finding as it is found; the first failure to print is kept.
fn told(printed: &mut Result<(), Stop>, terminal: &Terminal, finding: &Finding) {
    if printed.is_ok() {
        *printed = terminal.print(&format!("{finding}\n"));
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

async fn head(log: &SecurityLog, terminal: &Terminal) -> Result<Exit, Stop> {
    let head = serde_json::to_string(&log.head().await?);
    let head = head.map_err(|error| Stop::failed(format!("the head cannot be written: {error}")))?;
    terminal.print(&(head + "\n")).map(|()| Exit::Done)
}

async fn write_out(log: &SecurityLog, asked: &LogExport, terminal: &Terminal) -> Result<Exit, Stop> {
    let now = SystemClock.now();
    let selection = Selection {
        after: asked.after,
        since: asked.since,
        until: asked.until,
        kinds: asked.kind.clone(),
        organization: asked.organization,
    };
    let personal = if asked.with_personal {
        PersonalPart::Included(log.record_export(&selection, now, &OsEntropy).await?)
    } else {
        PersonalPart::LeftOut
    };
    let export = Export { at: now, selection, personal };
    let bar = terminal.progress("exporting", 0);
    let mut tell = |progress| {
        if let Progress::Reached { done, of } = progress {
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
        Err(LogFailed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
        Err(failed) => return Err(failed.into()),
    };
    if let Some(path) = &asked.output {
        let (events, head) = (count(exported.events, "event"), exported.head.position);
        terminal.print(&format!("{} holds {events}; continue with --after {head}.\n", path.display()))?;
    }
    Ok(Exit::Done)
}

/// An export may hold personal data: it is for its owner only, and never written over something else.
fn new_file(path: &Path) -> Result<File, Stop> {
    private_file::create_file(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Stop::wrong(format!("{} is there already: name another file with --output", path.display()))
        }
        _ => Stop::wrong(format!("{} cannot be made: {error}", path.display())),
    })
}

/// What was noted earlier: `POSITION:HASH`, or a file with what `log head` printed.
fn anchors(noted: &[String]) -> Result<Vec<Anchor>, Stop> {
    let mut anchors = Vec::new();
    for text in noted {
        if let Ok(anchor) = text.parse() {
            anchors.push(anchor);
            continue;
        }
        let unreadable = |error| {
            Stop::wrong(format!(
                "--head {text} is neither POSITION:HASH nor a file that can be read: {error}"
            ))
        };
        let heads = noted_heads(&std::fs::read_to_string(text).map_err(unreadable)?);
        if heads.is_empty() {
            return Err(Stop::wrong(format!("--head {text}: there is no head in that file")));
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
