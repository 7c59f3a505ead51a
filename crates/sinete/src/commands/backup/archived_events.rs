//! A backup without the events that are in the archive. They are cut from a copy in the same way as from the database:
//! after their files were read and verified, up to a signed checkpoint.

use super::UnfinishedFile;
use crate::cli::BackupArgs;
use crate::config::Config;
use crate::exit::CommandError;
use crate::os::{OsEntropy, SystemClock};
use crate::startup::instance_key;
use crate::startup::log_archive::open_archive;
use crate::terminal::Terminal;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::encryption::InstanceKeyRing;
use sinete_engine::events::security_log::{
    ArchivePolicy, LogArchiver, RequestOriginRetention, SecurityLog, VerificationProgress,
};
use sinete_engine::ports::ArchiveStorage;
use sinete_store::administration::backup;
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreOptions};
use std::path::Path;
use std::sync::Arc;

/// The archive whose events a backup leaves out, and the keys that sign the checkpoint.
pub(super) struct LeftOutEvents {
    storage: Arc<dyn ArchiveStorage>,
    keys: InstanceKeyRing,
}

impl LeftOutEvents {
    /// `None` if the backup contains all events.
    pub(super) fn resolve(args: &BackupArgs, config: &Config) -> Result<Option<Self>, CommandError> {
        if !args.without_archived {
            return Ok(None);
        }
        let location = args.archive.as_ref().or(config.log_archive.location.as_ref()).ok_or_else(|| {
            CommandError::invalid_usage("there is no archive: name it with --archive, or set log.archive")
        })?;
        let loaded = instance_key::load_existing(config).ok().flatten().ok_or_else(|| {
            CommandError::invalid_usage(
                "events are left out only with the instance key, which signs where the log begins",
            )
        })?;
        let storage = open_archive(config, location, Arc::new(SystemClock))?;
        Ok(Some(Self { storage, keys: loaded.keys }))
    }

    /// Copies the database without the archived events. Events that a webhook has yet to receive are not left out.
    pub(super) async fn copy_remaining_events(
        &self,
        database: &Path,
        part: &Path,
        terminal: &Terminal,
    ) -> Result<(), CommandError> {
        let full_copy = UnfinishedFile::new_in_same_folder(&part.with_extension("whole"))?;
        backup::create_backup(database, &full_copy.0, |_, _| ()).await?;
        let address = DatabaseAddress::Sqlite(full_copy.0.clone());
        let store = Store::open(&address, &StoreOptions::new(StoreAccess::AlongsideServer)).await?;
        let cut = self.cut_archived(&store, terminal).await;
        store.close().await;
        cut?;
        drop(store);
        backup::create_compact_backup(&full_copy.0, part).await?;
        Ok(())
    }

    async fn cut_archived(&self, store: &Store, terminal: &Terminal) -> Result<(), CommandError> {
        let now = SystemClock.now();
        let log = SecurityLog::open(store, &self.keys, now).await?;
        // Addresses and user agents are not written to the archive: the database has them until its own cut.
        let policy = ArchivePolicy {
            retention: Some(Lifetime::ZERO),
            origins: RequestOriginRetention::Dropped,
            ..ArchivePolicy::default()
        };
        let bar = terminal.progress("leaving out archived events", 0);
        let archiver = LogArchiver {
            log: &log,
            storage: &*self.storage,
            policy,
            clock: &SystemClock,
            entropy: &OsEntropy,
        };
        let mut tell = |progress| {
            if let VerificationProgress::Position { completed, total: of } = progress {
                bar.set_position(completed, of);
            }
        };
        archiver.cut_archived(&mut tell).await?;
        Ok(())
    }
}
