//! `sinete restore`: replaces the database with a verified backup.

use crate::cli::RestoreArgs;
use crate::commands::backup::manifest::BackupManifest;
use crate::commands::backup::{UnfinishedFile, check_log, file_name_timestamp};
use crate::commands::{build_runtime, postgres_tools};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::{OsEntropy, SystemClock};
use crate::startup::{engine, instance_key};
use crate::terminal::Terminal;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::Timestamp;
use sinete_engine::events::security_log::LogVerificationSummary;
use sinete_store::administration::backup;
use sinete_store::administration::restore::invalidate_restored_state;
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreFailure, StoreOptions, WriteBatch};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Restores a backup. Existing files are not touched until the backup is verified.
pub fn run(
    args: &RestoreArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let loaded = Config::load(file, environment)?;
    let Some(database) = loaded.config.database.address.path().map(Path::to_owned) else {
        return Err(CommandError::invalid_usage(postgres_tools::restore_instructions(&loaded.origins)));
    };
    if !args.file.exists() {
        return Err(CommandError::invalid_usage(format!("there is no backup at {}", args.file.display())));
    }
    let manifest = BackupManifest::read(&args.file)?;
    manifest.verify_file(&args.file, &terminal.progress("checking", 0))?;
    if database.exists() && !args.replace {
        return Err(CommandError::refused(format!(
            "there is a database at {} already: --replace puts the backup in its place and keeps it aside",
            database.display()
        )));
    }
    let now = SystemClock.now();
    let job = RestoreJob {
        config: &loaded.config,
        backup: &args.file,
        database,
        manifest,
        now,
        moved: args.moved,
        terminal,
    };
    build_runtime()?.block_on(job.restore_backup())
}

struct RestoreJob<'a> {
    config: &'a Config,
    backup: &'a Path,
    database: PathBuf,
    manifest: BackupManifest,
    now: Timestamp,
    moved: bool,
    terminal: &'a Terminal,
}

impl RestoreJob<'_> {
    async fn restore_backup(&self) -> Result<CommandExit, CommandError> {
        engine::create_database_folder(self.config)?;
        let part = UnfinishedFile::new_in_same_folder(&self.database)?;
        let bar = self.terminal.progress("copying", 0);
        backup::create_backup(self.backup, &part.0, move |position, of| bar.set_position(position, of))
            .await?;
        self.verify_copy(&part.0).await?;
        self.record_restore(&part.0).await?;
        let aside = self.replaced_database_path();
        let had_database = self.database.exists();
        backup::restore_backup(&part.0, &self.database, &aside).await.map_err(|failed| match failed {
            StoreFailure::Locked => {
                CommandError::refused("the database is in use: stop the server and every other command first")
            }
            other => other.into(),
        })?;
        let mut text = format!(
            "{} is the database as of {}. Later changes are lost: check which keys were revoked and which users were \
             removed since.\n",
            self.database.display(),
            self.manifest.created_at
        );
        text.push_str(if self.moved {
            "Sessions and grants continue.\n"
        } else {
            "Every session has ended and every grant is revoked: all users sign in again.\n"
        });
        if had_database {
            text.push_str(&format!("The previous database is {}.\n", aside.display()));
        }
        self.terminal.print(&text).map(|()| CommandExit::Done)
    }

    /// Verifies the copied file rather than the source, because either disk can fail.
    async fn verify_copy(&self, part: &Path) -> Result<(), CommandError> {
        let bar = Arc::new(self.terminal.progress("checking", 0));
        let beat = Arc::clone(&bar);
        let contents = backup::verify_backup(part, move || beat.tick()).await?;
        if (contents.schema_version, &contents.rows) != (self.manifest.schema_version, &self.manifest.rows) {
            return Err(CommandError::damaged(
                "the backup is damaged: its content does not match its manifest",
            ));
        }
        let keys = instance_key::load_existing(self.config).map_err(CommandError::invalid_usage)?;
        let Some(loaded) = keys else {
            self.terminal.print_error(
                "no instance key is configured, so the security log was not checked: \
                 configure the one this backup was used with before you start the server",
            );
            return Ok(());
        };
        match check_log(part, &loaded.keys, self.now, self.terminal).await? {
            Some(LogVerificationSummary { findings: 1.., .. }) => Err(CommandError::damaged(
                "the security log in the backup was tampered with: nothing was restored",
            )),
            Some(LogVerificationSummary { findings: 0, .. }) | None => Ok(()),
        }
    }

    fn replaced_database_path(&self) -> PathBuf {
        let mut name = self.database.as_os_str().to_owned();
        name.push(format!(".replaced-{}", file_name_timestamp(self.now)));
        name.into()
    }

    /// Revokes everything that may have changed since the backup, and records the restore, before the copy
    /// becomes the database.
    async fn record_restore(&self, part: &Path) -> Result<(), CommandError> {
        let store = Store::open(
            &DatabaseAddress::Sqlite(part.to_owned()),
            &StoreOptions::new(StoreAccess::AlongsideServer),
        )
        .await?;
        let event =
            SecurityEvent::new(EventKind::BackupRestored, SecurityEventActor::System, self.now, &OsEntropy)
                .with_detail("taken_at", self.manifest.created_at.clone())
                .with_detail("sha256", self.manifest.sha256.clone())
                .with_detail("moved", self.moved);
        let ended = if self.moved { Vec::new() } else { invalidate_restored_state(self.now) };
        let committed = store.commit(WriteBatch::new().with_statements(ended).with_event(&event)).await;
        store.close().await;
        committed?
            .into_result()
            .map(drop)
            .map_err(|_| CommandError::failed("the restore could not be recorded in the security log"))
    }
}
