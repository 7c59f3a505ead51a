//! `sinete log archive`, and the verification of an archive.

use super::{pluralize, print_finding};
use crate::cli::log::LogArchiveArgs;
use crate::config::Config;
use crate::config::log_archive::ArchiveLocation;
use crate::exit::{CommandError, CommandExit};
use crate::os::{OsEntropy, SystemClock};
use crate::startup::log_archive::{archive_policy, open_archive};
use crate::terminal::Terminal;
use sinete_core::events::log_chain::LogChainAnchor;
use sinete_core::time::Lifetime;
use sinete_engine::events::security_log::{
    ArchivePolicy, ArchiveVerification, LogArchiver, SecurityLog, VerificationProgress, verify_archive,
};
use std::sync::Arc;

/// Archives the log once.
pub(super) async fn archive_log(
    log: &SecurityLog,
    config: &Config,
    args: &LogArchiveArgs,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let location = args.to.as_ref().or(config.log_archive.location.as_ref()).ok_or_else(|| {
        CommandError::invalid_usage("there is no archive: name it with --to, or set log.archive")
    })?;
    let storage = open_archive(config, location, Arc::new(SystemClock))?;
    let configured = archive_policy(config);
    let policy = ArchivePolicy {
        segment_age: if args.all { Lifetime::from_seconds(0) } else { configured.segment_age },
        retention: args.retention.or(configured.retention),
        ..configured
    };
    let archiver = LogArchiver { log, storage: &*storage, policy, clock: &SystemClock, entropy: &OsEntropy };
    let bar = terminal.progress("archiving the security log", 0);
    let mut tell = |progress| {
        if let VerificationProgress::Position { completed, total: of } = progress {
            bar.set_position(completed, of);
        }
    };
    let run = archiver.run(&mut tell).await?;
    drop(bar);
    let mut text = format!(
        "archived {} with {} in {location} ({} bytes); removed {} from the database",
        pluralize(run.segments, "segment"),
        pluralize(run.events, "event"),
        run.bytes,
        pluralize(run.cut, "event"),
    );
    if run.erased > 0 {
        text.push_str(&format!("; erased {} from the archive", pluralize(run.erased, "origin")));
    }
    if run.is_blocked_by_webhooks {
        text.push_str("; the rest is kept for webhooks that are behind");
    }
    terminal.print(&(text + "\n"))?;
    Ok(CommandExit::Done)
}

/// Verifies the archive against the records of the database.
pub(super) async fn verify_with_database(
    log: &SecurityLog,
    config: &Config,
    location: &ArchiveLocation,
    anchors: &[LogChainAnchor],
    terminal: &Terminal,
) -> Result<ArchiveVerification, CommandError> {
    let storage = open_archive(config, location, Arc::new(SystemClock))?;
    let bar = terminal.progress("checking the archive", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        VerificationProgress::Position { completed, total: of } => bar.set_position(completed, of),
        VerificationProgress::Finding(finding) => print_finding(&mut printed, terminal, &finding),
    };
    let verified = log.verify_archived_segments(&*storage, anchors, &mut tell).await?;
    drop(bar);
    printed?;
    print_summary(&verified, terminal)?;
    Ok(verified)
}

/// Verifies an archive from its files alone.
pub(super) async fn verify_alone(
    config: &Config,
    location: &ArchiveLocation,
    key: &str,
    anchors: &[LogChainAnchor],
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let storage = open_archive(config, location, Arc::new(SystemClock))?;
    let bar = terminal.progress("checking the archive", 0);
    let mut printed = Ok(());
    let mut tell = |progress| match progress {
        VerificationProgress::Position { completed, total: of } => bar.set_position(completed, of),
        VerificationProgress::Finding(finding) => print_finding(&mut printed, terminal, &finding),
    };
    let verified = verify_archive(&*storage, Some(key), anchors, &mut tell).await?;
    drop(bar);
    printed?;
    print_summary(&verified, terminal)?;
    Ok(if verified.findings == 0 { CommandExit::Done } else { CommandExit::Damaged })
}

fn print_summary(verified: &ArchiveVerification, terminal: &Terminal) -> Result<(), CommandError> {
    let mut text = format!(
        "archive: {} in {} of {}, up to position {}",
        pluralize(verified.findings, "finding"),
        pluralize(verified.tally.links, "event"),
        pluralize(verified.segments, "segment"),
        verified.last,
    );
    for name in &verified.superfluous {
        text.push_str(&format!("; {name} is not needed"));
    }
    terminal.print(&(text + "\n"))
}
