//! `sinete migrate`: applies pending migrations.

use crate::commands::build_runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::SystemClock;
use crate::terminal::Terminal;
use sinete_store::migrate;
use sinete_store::migrate::MigrationProgress;
use sinete_store::{Store, StoreAccess};
use std::path::Path;

/// Applies pending migrations and prints them.
pub fn run(
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    build_runtime()?.block_on(async {
        crate::startup::engine::create_database_folder(&config)?;
        let address = &config.database.address;
        let store =
            Store::open(address, &config.database.store_options(StoreAccess::AlongsideServer)).await?;
        let bar = terminal.progress("migrating", 0);
        let mut names = Vec::new();
        let mut tell = |progress: MigrationProgress| {
            bar.set_position(progress.applied_count as u64, progress.total as u64);
            names.extend(progress.next.map(|next| format!("{} ({})", next.version, next.name)));
        };
        let applied = migrate::apply_pending_migrations(&store, SystemClock.now(), &mut tell).await;
        drop(bar);
        store.close().await;
        let text = match applied? {
            0 => format!("The schema of {address} is up to date.\n"),
            1 => format!(
                "The schema of {address} is up to date: migration {} was applied.\n",
                names.join(", ")
            ),
            _ => format!(
                "The schema of {address} is up to date: migrations {} were applied.\n",
                names.join(", ")
            ),
        };
        terminal.print(&text).map(|()| CommandExit::Done)
    })
}
