//! Schema migrations. A schema that is newer than the program is accepted only if nothing the program may use
//! was removed.
//!
//! Each migration runs in its own transaction and is recorded with a checksum of its text. Nodes that start
//! together take turns. Applied migrations never change: a later migration fixes an earlier one.

mod text;

use crate::database_info::DatabaseEngine;
use crate::driver::{DatabaseDriver, EngineMigration, RecordedMigration};
use crate::failure::StoreFailure;
use crate::store::Store;
use sha2::{Digest as _, Sha256};
use sinete_core::time::Timestamp;

/// All migrations: version, name and text, oldest first.
pub const MIGRATIONS: &[(u32, &str, &str)] = &[
    (1, "people", include_str!("../migrations/0001_people.sql")),
    (2, "clients", include_str!("../migrations/0002_clients.sql")),
    (3, "sessions_and_flows", include_str!("../migrations/0003_sessions_and_flows.sql")),
    (4, "grants", include_str!("../migrations/0004_grants.sql")),
    (5, "keys_and_messages", include_str!("../migrations/0005_keys_and_messages.sql")),
    (6, "security_log", include_str!("../migrations/0006_security_log.sql")),
    (7, "rested_sessions", include_str!("../migrations/0007_rested_sessions.sql")),
    (8, "tokens_in_use", include_str!("../migrations/0008_tokens_in_use.sql")),
    (9, "messages", include_str!("../migrations/0009_messages.sql")),
    (10, "account_links", include_str!("../migrations/0010_account_links.sql")),
    (11, "api_catalogue", include_str!("../migrations/0011_api_catalogue.sql")),
    (12, "imported_passwords", include_str!("../migrations/0012_imported_passwords.sql")),
    (13, "webhooks", include_str!("../migrations/0013_webhooks.sql")),
    (14, "agreed_claims", include_str!("../migrations/0014_agreed_claims.sql")),
    (15, "organization_logos", include_str!("../migrations/0015_organization_logos.sql")),
    (16, "address_changes", include_str!("../migrations/0016_address_changes.sql")),
    (17, "memberships_of_clients", include_str!("../migrations/0017_memberships_of_clients.sql")),
    (18, "people_in_the_log", include_str!("../migrations/0018_people_in_the_log.sql")),
    (19, "memberships_of_accounts", include_str!("../migrations/0019_memberships_of_accounts.sql")),
    (20, "domains_looked_at", include_str!("../migrations/0020_domains_looked_at.sql")),
    (21, "provisioning", include_str!("../migrations/0021_provisioning.sql")),
    (22, "connections", include_str!("../migrations/0022_connections.sql")),
    (23, "grants_hold_nobody", include_str!("../migrations/0023_grants_hold_nobody.sql")),
    (24, "whom_a_provider_brings", include_str!("../migrations/0024_whom_a_provider_brings.sql")),
    (25, "approval_requests", include_str!("../migrations/0025_approval_requests.sql")),
    (
        26,
        "contract_since_0025_backchannel_requests",
        include_str!("../migrations/0026_contract_since_0025_backchannel_requests.sql"),
    ),
    (27, "saml_answers", include_str!("../migrations/0027_saml_answers.sql")),
    (28, "relationships", include_str!("../migrations/0028_relationships.sql")),
    (29, "service_facts", include_str!("../migrations/0029_service_facts.sql")),
    (30, "member_words", include_str!("../migrations/0030_member_words.sql")),
    (31, "newest_tokens", include_str!("../migrations/0031_newest_tokens.sql")),
    (
        32,
        "contract_since_0031_refresh_tokens",
        include_str!("../migrations/0032_contract_since_0031_refresh_tokens.sql"),
    ),
    (
        33,
        "contract_since_0031_leaner_grants",
        include_str!("../migrations/0033_contract_since_0031_leaner_grants.sql"),
    ),
    (
        34,
        "contract_since_0034_origins_with_their_events",
        include_str!("../migrations/0034_contract_since_0034_origins_with_their_events.sql"),
    ),
    (
        35,
        "contract_since_0035_one_row_for_a_grant",
        include_str!("../migrations/0035_contract_since_0035_one_row_for_a_grant.sql"),
    ),
    (36, "roles_of_people", include_str!("../migrations/0036_roles_of_people.sql")),
    (37, "operators_of_bootstrap_links", include_str!("../migrations/0037_operators_of_bootstrap_links.sql")),
    (38, "cleanup_of_ended_rows", include_str!("../migrations/0038_cleanup_of_ended_rows.sql")),
    (39, "owner_confirmation", include_str!("../migrations/0039_owner_confirmation.sql")),
    (40, "write_check", include_str!("../migrations/0040_write_check.sql")),
    (41, "logout_deliveries", include_str!("../migrations/0041_logout_deliveries.sql")),
    (42, "next_message", include_str!("../migrations/0042_next_message.sql")),
    (43, "offered_roles", include_str!("../migrations/0043_offered_roles.sql")),
    (
        44,
        "contract_since_0044_evidence_with_moments",
        include_str!("../migrations/0044_contract_since_0044_evidence_with_moments.sql"),
    ),
    (45, "log_archive", include_str!("../migrations/0045_log_archive.sql")),
    (46, "account_pictures", include_str!("../migrations/0046_account_pictures.sql")),
    (47, "usage_counts", include_str!("../migrations/0047_usage_counts.sql")),
    (48, "setup_links", include_str!("../migrations/0048_setup_links.sql")),
    (49, "log_filters", include_str!("../migrations/0049_log_filters.sql")),
    (50, "audit_retention", include_str!("../migrations/0050_audit_retention.sql")),
    (51, "scim_requests", include_str!("../migrations/0051_scim_requests.sql")),
    (52, "nodes", include_str!("../migrations/0052_nodes.sql")),
    (53, "log_verification", include_str!("../migrations/0053_log_verification.sql")),
    (
        54,
        "ciba_requests_of_organizations",
        include_str!("../migrations/0054_ciba_requests_of_organizations.sql"),
    ),
    (
        55,
        "exchanged_tokens_outside_log_filters",
        include_str!("../migrations/0055_exchanged_tokens_outside_log_filters.sql"),
    ),
    (56, "log_filters_without_lists", include_str!("../migrations/0056_log_filters_without_lists.sql")),
];

/// Name prefix of migrations that remove something.
const CONTRACT: &str = "contract";

/// The applied and the pending migrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Applied, oldest first.
    pub applied: Vec<AppliedMigration>,
    /// Pending, in the order of application.
    pub pending: Vec<PendingMigration>,
}

/// An applied migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedMigration {
    /// Its version.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// When it was applied.
    pub at: Timestamp,
}

/// A pending migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMigration {
    /// Its version.
    pub version: u32,
    /// Its name.
    pub name: &'static str,
}

/// Progress of a run, reported before each migration and once at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationProgress {
    /// Migrations applied so far by this run.
    pub applied_count: usize,
    /// Migrations this run is to apply.
    pub total: usize,
    /// The next migration; `None` at the end.
    pub next: Option<PendingMigration>,
}

/// The newest migration that this program knows.
pub fn newest_version() -> u32 {
    MIGRATIONS.last().map_or(0, |(version, _, _)| *version)
}

/// Loads the applied and the pending migrations. Fails if a newer release removed something the program may
/// use, or if the recorded schema differs from the program's.
pub async fn load_migration_status(store: &Store) -> Result<MigrationStatus, StoreFailure> {
    load_status(store, MIGRATIONS).await
}

/// Applies the pending migrations, recording `now` as their time, and returns their number.
pub async fn apply_pending_migrations(
    store: &Store,
    now: Timestamp,
    progress: &mut (dyn FnMut(MigrationProgress) + Send),
) -> Result<usize, StoreFailure> {
    apply_migrations(store, MIGRATIONS, now, progress).await
}

pub(crate) type MigrationList = &'static [(u32, &'static str, &'static str)];

pub(crate) async fn load_status(
    store: &Store,
    migration_list: MigrationList,
) -> Result<MigrationStatus, StoreFailure> {
    let remembered = store.driver().list_migrations().await?;
    check_recorded_migrations(migration_list, &remembered)?;
    let is_pending = |version| remembered.iter().all(|it| it.version != version);
    let pending = migration_list.iter().filter(|(version, ..)| is_pending(*version));
    let pending = pending.map(|&(version, name, _)| PendingMigration { version, name }).collect();
    let applied = remembered
        .into_iter()
        .map(|RecordedMigration { version, name, at, .. }| AppliedMigration { version, name, at });
    Ok(MigrationStatus { applied: applied.collect(), pending })
}

pub(crate) async fn apply_migrations(
    store: &Store,
    migration_list: MigrationList,
    now: Timestamp,
    progress: &mut (dyn FnMut(MigrationProgress) + Send),
) -> Result<usize, StoreFailure> {
    let pending = load_status(store, migration_list).await?.pending;
    let engine = match store.driver() {
        DatabaseDriver::Sqlite(_) => DatabaseEngine::Sqlite,
        DatabaseDriver::Postgres(_) => DatabaseEngine::Postgres,
    };
    let total = pending.len();
    let mut applied_by_us = 0;
    for (done, next) in pending.into_iter().enumerate() {
        progress(MigrationProgress { applied_count: done, total, next: Some(next) });
        let Some((.., source)) = migration_list.iter().find(|(version, ..)| *version == next.version) else {
            continue;
        };
        let migration = EngineMigration {
            version: next.version,
            name: next.name,
            checksum: checksum(source),
            text: text::select_engine_text(source, engine)?,
            at: now,
        };
        if store.driver().apply_migration(migration).await? {
            applied_by_us += 1;
        }
    }
    // Another node, possibly of a newer release, may have applied some of them.
    load_status(store, migration_list).await?;
    progress(MigrationProgress { applied_count: total, total, next: None });
    Ok(applied_by_us)
}

/// Rejects a schema whose recorded migrations differ from this program's.
fn check_recorded_migrations(
    migration_list: MigrationList,
    remembered: &[RecordedMigration],
) -> Result<(), StoreFailure> {
    let newest_known = migration_list.last().map_or(0, |(version, ..)| *version);
    let newest_found = remembered.last().map_or(0, |migration| migration.version);
    // Additions by a newer release are harmless. Removals may not be.
    let (ours, newer): (Vec<_>, Vec<_>) = remembered.iter().partition(|it| it.version <= newest_known);
    if newer.iter().filter_map(|it| contracted_since(&it.name)).any(|needed| needed > newest_known) {
        return Err(StoreFailure::TooNew { applied_version: newest_found, known_version: newest_known });
    }
    for migration in ours {
        let (version, name) = (migration.version, &migration.name);
        let Some((.., source)) = migration_list.iter().find(|it| it.0 == version) else {
            return Err(StoreFailure::Other(format!(
                "the schema has migration {version} ({name}), which is not ours"
            )));
        };
        if migration.checksum != checksum(source) {
            return Err(StoreFailure::Other(format!(
                "migration {version} ({name}) is not the one that was applied: use the program that applied it"
            )));
        }
    }
    let gap = migration_list
        .iter()
        .find(|it| it.0 < newest_found && remembered.iter().all(|old| old.version != it.0));
    match gap {
        None => Ok(()),
        Some((version, name, _)) => Err(StoreFailure::Other(format!(
            "migration {version} ({name}) is missing although {newest_found} was applied"
        ))),
    }
}

/// The oldest schema version whose programs are unaffected by a migration of this name; `None` if it only
/// adds. A migration that removes something is named `contract_since_0017_what_it_is_about`. The database
/// records the name, so that programs which do not know the migration can decide.
fn contracted_since(name: &str) -> Option<u32> {
    let rest = name.strip_prefix(CONTRACT)?;
    let digits = rest.strip_prefix("_since_").and_then(|rest| rest.split('_').next());
    // A contract migration without a version excludes every program that does not know it.
    Some(digits.and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX))
}

fn checksum(source: &str) -> [u8; 32] {
    Sha256::digest(source).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migration_name_of_a_contract_names_the_version_it_excludes() {
        assert_eq!(contracted_since("webhooks"), None);
        assert_eq!(contracted_since("contract_since_0017_old_columns"), Some(17));
        for unclear in ["contract", "contract_old_columns", "contract_since_soon", "contract_since_"] {
            assert_eq!(contracted_since(unclear), Some(u32::MAX), "{unclear}");
        }
    }

    #[test]
    fn migration_files_are_all_embedded_in_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let embedded: Vec<_> =
            MIGRATIONS.iter().map(|(version, name, _)| format!("{version:04}_{name}.sql")).collect();
        assert_eq!(files, embedded);
        assert!(MIGRATIONS.iter().map(|it| it.0).eq(1..=MIGRATIONS.len() as u32), "versions count up from 1");
    }
}
