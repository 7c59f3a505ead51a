//! `sinete log`: verifies the security log, shows its signed head, exports or archives it.

mod archive;

use crate::cli::log::{LogCommand, LogExportArgs, LogVerifyArgs};
use crate::commands::build_runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::{OsEntropy, SystemClock};
use crate::private_file;
use crate::startup::instance_key;
use crate::terminal::Terminal;
use sinete_core::events::log_chain::{LogChainAnchor, LogFinding};
use sinete_core::time::Timestamp;
use sinete_engine::events::security_log::{
    EventSelection, LogExport, LogVerificationSummary, PersonalDataMode, SecurityLog, SecurityLogError,
    VerificationProgress, parse_noted_heads, verify_export,
};
use sinete_store::{Store, StoreAccess, migrate};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind};
use std::path::Path;

/// Runs the command.
pub fn run(
    log_command: &LogCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    if let LogCommand::Verify(LogVerifyArgs { export: Some(export), key, head, archive: None }) = log_command
    {
        return verify_export_file(export, key.as_deref(), &parse_anchors(head)?, terminal);
    }
    let config = Config::load(file, environment)?.config;
    if let LogCommand::Verify(LogVerifyArgs { key: Some(key), head, archive, .. }) = log_command {
        let location = archive.as_ref().ok_or_else(|| {
            CommandError::invalid_usage("--key is for --export or --archive (see sinete --help)")
        })?;
        let anchors = parse_anchors(head)?;
        return build_runtime()?.block_on(archive::verify_alone(&config, location, key, &anchors, terminal));
    }
    let result = build_runtime()?.block_on(async {
        let access = match log_command {
            LogCommand::Export(LogExportArgs { with_personal: true, .. }) | LogCommand::Archive(_) => {
                StoreAccess::AlongsideServer
            }
            LogCommand::Export(_) | LogCommand::Verify(_) | LogCommand::Head => StoreAccess::ReadOnly,
        };
        let (store, log) = open_log(&config, access).await?;
        let result = match log_command {
            LogCommand::Verify(verify) => verify_log(&log, &config, verify, terminal).await,
            LogCommand::Archive(args) => archive::archive_log(&log, &config, args, terminal).await,
            LogCommand::Head => print_head(&log, terminal).await,
            LogCommand::Export(export) => export_log(&log, export, terminal).await,
        };
        store.close().await;
        result
    });
    result.map_err(downgrade_unsafe)
}

/// Downgrades errors about unsafe settings: they keep a server from starting, but reading the log is safe.
fn downgrade_unsafe(stop: CommandError) -> CommandError {
    match stop.exit {
        CommandExit::Unsafe => CommandError { exit: CommandExit::Failed, ..stop },
        CommandExit::Done | CommandExit::Failed | CommandExit::InvalidUsage | CommandExit::Damaged => stop,
    }
}

async fn open_log(config: &Config, access: StoreAccess) -> Result<(Store, SecurityLog), CommandError> {
    let keys = instance_key::load_existing(config).map_err(CommandError::invalid_usage)?;
    let keys = keys.ok_or_else(|| {
        CommandError::failed(
            "there is no instance key to check the log with: put the key of this database into the file that \
             instance_key_file names, or in development into data_dir as instance.key",
        )
    })?;
    let store = Store::open(&config.database.address, &config.database.store_options(access)).await?;
    if !migrate::load_migration_status(&store).await?.pending.is_empty() {
        return Err(CommandError::failed("the database is not up to date: run sinete migrate first"));
    }
    let log = SecurityLog::open(&store, &keys.keys, SystemClock.now()).await?;
    Ok((store, log))
}

async fn verify_log(
    log: &SecurityLog,
    config: &Config,
    args: &LogVerifyArgs,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let anchors = &parse_anchors(&args.head)?;
    // The archive comes first: what is cut meanwhile is then missing in neither.
    let archived = match &args.archive {
        Some(location) => {
            Some(archive::verify_with_database(log, config, location, anchors, terminal).await?)
        }
        None => None,
    };
    let bar = terminal.progress("checking the security log", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        VerificationProgress::Position { completed, total: of } => bar.set_position(completed, of),
        VerificationProgress::Finding(finding) => print_finding(&mut printed, terminal, &finding),
    };
    let now = SystemClock.now();
    let verified = log.verify_log(anchors, now, &mut tell).await?;
    drop(bar);
    printed?;
    let archive_findings = archived.as_ref().map_or(0, |archived| archived.findings);
    record_verification(&verified, config, now, archive_findings, terminal).await;
    let events = pluralize(verified.tally.links, "event");
    let mut text = format!("{} in {events}", pluralize(verified.findings, "finding"));
    if let Some(head) = verified.head {
        text.push_str(&format!("; head at position {}, signed at {}", head.position, head.sealed_at));
    }
    if verified.tally.anchors > 0 {
        text.push_str(&format!("; {} as noted", pluralize(verified.tally.anchors, "head")));
    }
    if let Some(since) = verified.waiting_since {
        text.push_str(&format!(
            "; {} waiting to be sealed since {since}",
            pluralize(verified.unsealed, "event")
        ));
    }
    terminal.print(&(text + "\n"))?;
    match (verified.findings + archive_findings, verified.tally.anchors_out_of_reach) {
        (0, heads) if heads > 0 && archived.is_none() => Err(CommandError::failed(format!(
            "{} could not be compared: the positions are archived, check them with --archive",
            pluralize(heads, "noted head")
        ))),
        (0, _) => Ok(CommandExit::Done),
        (_, _) => Ok(CommandExit::Damaged),
    }
}

/// Records the verification for operators. If the database is not writable, the verification still succeeds.
async fn record_verification(
    verified: &LogVerificationSummary,
    config: &Config,
    began_at: Timestamp,
    archive_findings: u64,
    terminal: &Terminal,
) {
    let recorded = async {
        let options = config.database.store_options(StoreAccess::AlongsideServer);
        let store = Store::open(&config.database.address, &options).await?;
        let recorded = verified.record(&store, began_at, archive_findings).await;
        store.close().await;
        recorded
    };
    if let Err(failed) = recorded.await {
        terminal.print_error(&format!("the verification could not be recorded: {failed}"));
    }
}

fn verify_export_file(
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
        VerificationProgress::Position { completed, total: of } => bar.set_position(completed, of),
        VerificationProgress::Finding(finding) => print_finding(&mut printed, terminal, &finding),
    };
    let verified = verify_export(&mut file, key, anchors, &mut tell)?;
    drop(bar);
    printed?;
    let text = format!(
        "{} in {}; exported at {} by instance {}, signed with key {}{}\n",
        pluralize(verified.findings, "finding"),
        pluralize(verified.tally.links, "event"),
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
            pluralize(heads, "noted head")
        ))),
        (_, _) => Ok(CommandExit::Damaged),
    }
}

/// Prints a finding; remembers the first failure to print.
fn print_finding(printed: &mut Result<(), CommandError>, terminal: &Terminal, finding: &LogFinding) {
    if printed.is_ok() {
        *printed = terminal.print(&format!("{finding}\n"));
    }
}

fn pluralize(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

async fn print_head(log: &SecurityLog, terminal: &Terminal) -> Result<CommandExit, CommandError> {
    let head = serde_json::to_string(&log.signed_head().await?);
    let head = head.map_err(|error| CommandError::failed(format!("the head cannot be written: {error}")))?;
    terminal.print(&(head + "\n")).map(|()| CommandExit::Done)
}

async fn export_log(
    log: &SecurityLog,
    args: &LogExportArgs,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let now = SystemClock.now();
    let selection = EventSelection {
        after: args.after,
        since: args.since,
        until: args.until,
        kinds: args.kind.clone(),
        organization: args.organization,
    };
    let personal = if args.with_personal {
        PersonalDataMode::Included(log.record_export(&selection, now, &OsEntropy).await?)
    } else {
        PersonalDataMode::Excluded
    };
    let export = LogExport { at: now, selection, personal };
    let bar = terminal.progress("exporting", 0);
    let mut tell = |progress| {
        if let VerificationProgress::Position { completed, total: of } = progress {
            bar.set_position(completed, of);
        }
    };
    let result = match &args.output {
        None => log.export(&export, &mut BufWriter::new(std::io::stdout()), &mut tell).await,
        Some(path) => {
            let mut file = BufWriter::new(create_export_file(path)?);
            let result = log.export(&export, &mut file, &mut tell).await;
            if result.is_err() {
                // The file lacks its last line and is not a valid export. If it cannot be removed, the
                // missing line shows that.
                let _ = std::fs::remove_file(path);
            }
            result
        }
    };
    drop(bar);
    let exported = match result {
        Ok(exported) => exported,
        // The reader closed the pipe, which is not an error.
        Err(SecurityLogError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
            return Ok(CommandExit::Done);
        }
        Err(failed) => return Err(failed.into()),
    };
    if let Some(path) = &args.output {
        let (events, head) = (pluralize(exported.events, "event"), exported.head.position);
        terminal.print(&format!("{} holds {events}; continue with --after {head}.\n", path.display()))?;
    }
    Ok(CommandExit::Done)
}

/// Creates the export file, readable only by its owner because it may contain personal data. Never overwrites
/// a file.
fn create_export_file(path: &Path) -> Result<File, CommandError> {
    private_file::create_file(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CommandError::invalid_usage(format!(
            "{} is there already: name another file with --output",
            path.display()
        )),
        _ => CommandError::invalid_usage(format!("{} cannot be made: {error}", path.display())),
    })
}

/// Parses recorded heads: `POSITION:HASH`, or a file with the output of `log head`.
fn parse_anchors(noted: &[String]) -> Result<Vec<LogChainAnchor>, CommandError> {
    let mut anchors = Vec::new();
    for text in noted {
        if let Ok(anchor) = text.parse() {
            anchors.push(anchor);
            continue;
        }
        let unreadable = |error| {
            CommandError::invalid_usage(format!(
                "--head {text} is neither POSITION:HASH nor a file that can be read: {error}"
            ))
        };
        let heads = parse_noted_heads(&std::fs::read_to_string(text).map_err(unreadable)?);
        if heads.is_empty() {
            return Err(CommandError::invalid_usage(format!("--head {text}: there is no head in that file")));
        }
        anchors.extend(heads);
    }
    Ok(anchors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_head_argument_is_a_pair_or_a_file() {
        let hash = "6c9facddd219ecba50c550008004710fad3a322701e063e638e14b2ba61d8c27";
        let pair = format!("7:{hash}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{{\"position\":7,\"hash\":\"{hash}\"}}\n")).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let both = parse_anchors(&[pair, path.clone()]).unwrap();
        assert_eq!(both[0], both[1]);
        std::fs::write(file.path(), "nothing\n").unwrap();
        assert!(parse_anchors(&[path]).is_err());
        assert!(parse_anchors(&["/nowhere/at/all".to_owned()]).is_err());
    }
}
