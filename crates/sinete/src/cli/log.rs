//! The arguments of `sinete log`.

use super::timestamp::parse_timestamp;
use crate::config::log_archive::{ArchiveLocation, parse_retention};
use clap::{Args, Subcommand, ValueHint};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::OrganizationId;
use sinete_core::time::{Lifetime, Timestamp};
use std::path::PathBuf;

/// The commands of `sinete log`.
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Verify that the log was not changed
    ///
    /// Reads the whole log, beside a running server if there is one, and prints a line for each finding. Exit
    /// code 4 means that there is one.
    Verify(LogVerifyArgs),
    /// Print the signed head of the log, to be stored elsewhere
    Head,
    /// Export sealed events as JSON Lines, oldest first
    Export(LogExportArgs),
    /// Archive closed segments of the log and remove old ones from the database
    ///
    /// A segment is closed when it has 50,000 events or its first event is a day old. Its file is signed, read back
    /// and verified; then events that are older than log.retention are removed from the database. A server with
    /// log.archive does this every hour. Also erases addresses and user agents from the archive that were erased
    /// from the log.
    #[command(after_long_help = "Examples:\n  \
        sinete log archive --to /srv/sinete-archive\n  \
        sinete log archive --to s3://audit/sinete --retention 90d\n  \
        sinete log verify --archive /srv/sinete-archive")]
    Archive(LogArchiveArgs),
}

/// The arguments of `sinete log verify`.
#[derive(Debug, Args)]
pub struct LogVerifyArgs {
    /// A head stored earlier, as POSITION:HASH or a file with the output of `log head`; may be repeated
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    /// Check this export instead of the database
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub export: Option<PathBuf>,
    /// Check this archive too: a folder, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "ARCHIVE", conflicts_with = "export", value_parser = ArchiveLocation::parse)]
    pub archive: Option<ArchiveLocation>,
    /// The key that must have signed the export or the archive, which is then checked without the database
    #[arg(long, value_name = "KID", allow_hyphen_values = true)]
    pub key: Option<String>,
}

/// The arguments of `sinete log archive`.
#[derive(Debug, Args)]
pub struct LogArchiveArgs {
    /// The archive, a folder or s3://BUCKET/PREFIX [default: log.archive]
    #[arg(long, value_name = "ARCHIVE", value_parser = ArchiveLocation::parse)]
    pub to: Option<ArchiveLocation>,
    /// Remove archived events that are older than this, as in 90d or 36h [default: log.retention]
    #[arg(long, value_name = "TIME", value_parser = parse_retention)]
    pub retention: Option<Lifetime>,
    /// Also close the segment that is neither full nor a day old
    #[arg(long)]
    pub all: bool,
}

/// The arguments of `sinete log export`.
#[derive(Debug, Args)]
pub struct LogExportArgs {
    /// Only events after this position
    #[arg(long, value_name = "POSITION", default_value_t = 0)]
    pub after: i64,
    /// Only events at this time or later, as in 2026-11-15T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub since: Option<Timestamp>,
    /// Only events before this time
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub until: Option<Timestamp>,
    /// Only events of this kind, as in signing_key.rotated; may be repeated
    #[arg(long, value_name = "KIND", value_parser = parse_event_kind)]
    pub kind: Vec<EventKind>,
    /// Only events of this organization
    #[arg(long, value_name = "ID")]
    pub organization: Option<OrganizationId>,
    /// Include network addresses and user agents; this is recorded
    #[arg(long)]
    pub with_personal: bool,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Parses the name of an event kind.
fn parse_event_kind(text: &str) -> Result<EventKind, String> {
    let event_kind = EventKind::ALL.iter().copied().find(|kind| kind.name() == text);
    event_kind.ok_or_else(|| {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kinds are {}", names.join(", "))
    })
}
