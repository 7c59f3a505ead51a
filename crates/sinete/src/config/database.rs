//! The database settings.

use super::problem::ConfigProblem;
use super::{ConfigSources, keys};
use sinete_core::time::Lifetime;
use sinete_store::{ConnectionPooling, DatabaseAddress, PreparedStatements, StoreAccess, StoreOptions};
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
    /// How a pooler in front of the server lends its connections.
    pub pooling: ConnectionPooling,
    /// How statements are sent to the server.
    pub prepared_statements: PreparedStatements,
}

impl DatabaseConfig {
    pub(super) fn from_origins(origins: &ConfigSources, data_dir: &Path) -> Result<Self, ConfigProblem> {
        let address = origins.get(&keys::DATABASE_URL);
        let pooling = origins.require(&keys::DATABASE_POOLING)?;
        let prepared_statements = match pooling {
            ConnectionPooling::Session => PreparedStatements::Named,
            ConnectionPooling::Transaction => PreparedStatements::Unnamed,
        };
        Ok(Self {
            address: address.unwrap_or_else(|| DatabaseAddress::Sqlite(data_dir.join("sinete.db"))),
            pool_size: origins.require(&keys::DATABASE_POOL_SIZE)?,
            answer_max: Lifetime::from_seconds(origins.require(&keys::DATABASE_ANSWER_SECONDS)?),
            migrate_on_start: origins.require(&keys::DATABASE_MIGRATE_ON_START)?,
            pooling,
            prepared_statements: origins
                .get(&keys::DATABASE_PREPARED_STATEMENTS)
                .unwrap_or(prepared_statements),
        })
    }

    /// The options to open the database with for this access.
    pub fn store_options(&self, access: StoreAccess) -> StoreOptions {
        StoreOptions {
            connections: self.pool_size,
            answer_max: self.answer_max,
            pooling: self.pooling,
            prepared_statements: self.prepared_statements,
            ..StoreOptions::new(access)
        }
    }
}
