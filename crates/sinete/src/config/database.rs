//! The database settings.

use super::problem::ConfigProblem;
use super::{ConfigOrigins, keys};
use sinete_core::time::Lifetime;
use sinete_store::DatabaseAddress;
use std::path::Path;

/// The database settings.
#[derive(Clone, Debug)]
pub struct DatabaseConfig {
    /// The database URL.
    pub address: DatabaseAddress,
    /// The number of pooled connections.
    pub pool_size: usize,
    /// The maximum response time.
    pub answer_max: Lifetime,
    /// Whether `serve` applies migrations.
    pub migrate_on_start: bool,
}

impl DatabaseConfig {
    pub(super) fn from_origins(written: &ConfigOrigins, data_dir: &Path) -> Result<Self, ConfigProblem> {
        let address = written.get(&keys::DATABASE_URL);
        Ok(Self {
            address: address.unwrap_or_else(|| DatabaseAddress::Sqlite(data_dir.join("sinete.db"))),
            pool_size: written.require(&keys::DATABASE_POOL_SIZE)?,
            answer_max: Lifetime::from_seconds(written.require(&keys::DATABASE_ANSWER_SECONDS)?),
            migrate_on_start: written.require(&keys::DATABASE_MIGRATE_ON_START)?,
        })
    }
}
