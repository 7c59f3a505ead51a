//! `sinete backup`: a verified copy of the database, made while the server runs.

mod archived_events;
pub mod manifest;

use crate::cli::BackupArgs;
use crate::commands::{build_runtime, postgres_tools};
use crate::config::environment::Environment;
use crate::config::{Config, LoadedConfig};
use crate::exit::{CommandError, CommandExit};
use crate::os::{OsEntropy, SystemClock};
use crate::private_file;
use crate::startup::instance_key;
use crate::terminal::Terminal;
use archived_events::LeftOutEvents;
use manifest::{BackupManifest, LogCheckResult, sha256_hex};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::InstanceKeyRing;
use sinete_engine::events::security_log::{
    LogVerificationSummary, SecurityLog, SecurityLogError, VerificationProgress as LogProgress,
};
use sinete_store::administration::backup;
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreOptions, WriteBatch};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes a backup and prints its location.
pub fn run(
    args: &BackupArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let loaded = Config::load(file, environment)?;
    let Some(database) = loaded.config.database.address.path().map(Path::to_owned) else {
        return Err(CommandError::invalid_usage(postgres_tools::backup_instructions(&loaded.origins)));
    };
    let now = SystemClock.now();
    let output =
        args.output.clone().unwrap_or_else(|| format!("sinete-{}.db", file_name_timestamp(now)).into());
    if !database.exists() {
        return Err(CommandError::invalid_usage(format!("there is no database at {}", database.display())));
    }
    if let Some(existing_file) =
        [output.clone(), BackupManifest::manifest_path(&output)].iter().find(|path| path.exists())
    {
        return Err(CommandError::invalid_usage(format!(
            "{} is there already: name another file with --output",
            existing_file.display()
        )));
    }
    let left_out = LeftOutEvents::resolve(args, &loaded.config)?;
    let job = BackupJob {
        loaded,
        database,
        output,
        now,
        terminal,
        compact: args.compact,
        omitted_events: left_out,
    };
    build_runtime()?.block_on(job.create_backup())
}

/// Formats a time as part of a file name.
pub fn file_name_timestamp(now: Timestamp) -> String {
    let text = now.to_string();
    let seconds = text.split('.').next().unwrap_or_default();
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

struct BackupJob<'a> {
    loaded: LoadedConfig,
    database: PathBuf,
    output: PathBuf,
    now: Timestamp,
    terminal: &'a Terminal,
    compact: bool,
    omitted_events: Option<LeftOutEvents>,
}

impl BackupJob<'_> {
    async fn create_backup(&self) -> Result<CommandExit, CommandError> {
        let part = UnfinishedFile::new_in_same_folder(&self.output)?;
        let (manifest, verified) = self.copy_and_check(&part.0).await?;
        self.record_backup(&manifest, verified.as_ref()).await;
        let unnamed =
            |error| CommandError::failed(format!("{} cannot be written: {error}", self.output.display()));
        private_file::create(&BackupManifest::manifest_path(&self.output), manifest.to_text()?.as_bytes())
            .map_err(unnamed)?;
        // The backup is renamed last, so that a file of that name is always complete and has its manifest.
        private_file::rename(&part.0, &self.output).map_err(unnamed)?;
        let rows: u64 = manifest.rows.values().sum();
        let text = format!(
            "{} holds the database as of {}: {} bytes, {rows} rows, checked.\n\
             It cannot be used without the instance key, which is not in it.\n",
            self.output.display(),
            manifest.created_at,
            manifest.size_bytes,
        );
        self.terminal.print(&text)?;
        match manifest.security_log {
            Some(LogCheckResult { findings: 1.. }) => Err(CommandError::damaged(
                "the backup is a faithful copy, but the security log was tampered with: see `sinete log verify`",
            )),
            Some(LogCheckResult { findings: 0 }) | None => Ok(CommandExit::Done),
        }
    }

    async fn copy_and_check(
        &self,
        part: &Path,
    ) -> Result<(BackupManifest, Option<LogVerificationSummary>), CommandError> {
        let bar = self.terminal.progress("copying", 0);
        if let Some(left_out) = &self.omitted_events {
            drop(bar);
            left_out.copy_remaining_events(&self.database, part, self.terminal).await?;
        } else if self.compact {
            backup::create_compact_backup(&self.database, part).await?;
            drop(bar);
        } else {
            backup::create_backup(&self.database, part, move |position, of| bar.set_position(position, of))
                .await?;
        }
        let bar = Arc::new(self.terminal.progress("checking", 0));
        let beat = Arc::clone(&bar);
        let contents = backup::verify_backup(part, move || beat.tick()).await?;
        let unreadable = |error| CommandError::failed(format!("the copy cannot be read: {error}"));
        let sha256 = sha256_hex(part, &bar).map_err(unreadable)?;
        let size_bytes = std::fs::metadata(part).map_err(unreadable)?.len();
        let keys = instance_key::load_existing(&self.loaded.config).ok().flatten();
        let verified = match keys {
            Some(loaded) => check_log(part, &loaded.keys, self.now, self.terminal).await?,
            None => None,
        };
        let manifest = BackupManifest {
            form: BackupManifest::format_version(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: self.now.to_string(),
            schema_version: contents.schema_version,
            size_bytes,
            sha256,
            rows: contents.rows,
            security_log: verified.as_ref().map(|it| LogCheckResult { findings: it.findings }),
        };
        Ok((manifest, verified))
    }

    /// Writes an event about the backup, and when its security log was verified. If the database is not writable, the
    /// backup still succeeds.
    async fn record_backup(&self, manifest: &BackupManifest, verified: Option<&LogVerificationSummary>) {
        let recorded = async {
            let store = Store::open(
                &DatabaseAddress::Sqlite(self.database.clone()),
                &StoreOptions::new(StoreAccess::AlongsideServer),
            )
            .await?;
            let event =
                SecurityEvent::new(EventKind::BackupTaken, SecurityEventActor::System, self.now, &OsEntropy)
                    .with_detail("sha256", manifest.sha256.clone())
                    .with_detail("size_bytes", manifest.size_bytes);
            let committed = store.commit(WriteBatch::new().with_event(&event)).await;
            let recorded = match verified {
                Some(verified) => verified.record(&store, self.now, 0).await,
                None => Ok(()),
            };
            store.close().await;
            committed.and(recorded)
        };
        if let Err(failed) = recorded.await {
            self.terminal
                .print_error(&format!("the backup could not be recorded in the security log: {failed}"));
        }
    }
}

/// Verifies the security log in a copy; `None` if there is no log yet.
pub async fn check_log(
    copy: &Path,
    keys: &InstanceKeyRing,
    now: Timestamp,
    terminal: &Terminal,
) -> Result<Option<LogVerificationSummary>, CommandError> {
    let store =
        Store::open(&DatabaseAddress::Sqlite(copy.to_owned()), &StoreOptions::new(StoreAccess::ReadOnly))
            .await?;
    let bar = terminal.progress("checking the security log", 0);
    let verified = async {
        let log = SecurityLog::open(&store, keys, now).await?;
        let mut tell = |progress| match progress {
            LogProgress::Position { completed, total: of } => bar.set_position(completed, of),
            LogProgress::Finding(finding) => terminal.print_error(&format!("security log: {finding}")),
        };
        log.verify_log(&[], now, &mut tell).await
    };
    let verified = verified.await;
    store.close().await;
    match verified {
        Ok(verification) => Ok(Some(verification)),
        Err(SecurityLogError::NoInstance | SecurityLogError::NoKey) => Ok(None),
        Err(failed) => Err(failed.into()),
    }
}

/// An unfinished file, which is removed on drop.
pub struct UnfinishedFile(pub PathBuf);

impl UnfinishedFile {
    /// Creates a unique name in the same folder.
    pub fn new_in_same_folder(path: &Path) -> Result<Self, CommandError> {
        let name = path
            .file_name()
            .ok_or_else(|| CommandError::invalid_usage(format!("{} names no file", path.display())))?;
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        Ok(Self(path.with_file_name(name)))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        for ending in ["", "-journal", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            // A renamed file no longer exists under this name.
            let _ = std::fs::remove_file(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backup_name_contains_a_compact_timestamp() {
        assert_eq!(file_name_timestamp(Timestamp::from_micros(1_794_711_123_000_042)), "20261115T025203Z");
    }
}
