//! Facts about the database, for diagnosis by an operator.

use sinete_core::time::{Lifetime, Timestamp};

/// The facts about a database that a diagnosis needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseInfo {
    /// The engine.
    pub engine: DatabaseEngine,
    /// Its version, as it reports it.
    pub version: String,
    /// Whether a commit is on disk before it is acknowledged.
    pub durability: CommitDurability,
    /// SQLite's journal mode; `None` on PostgreSQL.
    pub journal_mode: Option<String>,
    /// The newest applied migration; `None` on an empty database.
    pub schema_version: Option<u32>,
    /// Size of the database in bytes, including SQLite's write-ahead log.
    pub size_bytes: u64,
}

/// The supported database engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseEngine {
    /// SQLite: embedded, one file.
    Sqlite,
    /// PostgreSQL: a server.
    Postgres,
}

/// Whether acknowledged commits survive a power loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitDurability {
    /// They do.
    Durable,
    /// They may not, because of the setting named here, such as `synchronous_commit = off`.
    AtRisk(String),
}

/// The offset of the database's clock from this node's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOffset(i64);

impl ClockOffset {
    /// No difference: the database has no clock of its own.
    pub const NONE: Self = Self(0);

    /// The difference between the database's clock and this node's.
    pub const fn between(database: Timestamp, node: Timestamp) -> Self {
        Self(database.micros().saturating_sub(node.micros()))
    }

    /// Microseconds by which the database is ahead; negative if it is behind.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whether the clocks are further apart than this, in either direction.
    pub const fn exceeds(self, lifetime: Lifetime) -> bool {
        self.0.unsigned_abs() > lifetime.micros().unsigned_abs()
    }
}

impl std::fmt::Display for DatabaseEngine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_offset_is_compared_in_both_directions() {
        let node = Timestamp::from_seconds(100);
        let lifetime = Lifetime::from_seconds(2);
        assert!(!ClockOffset::between(Timestamp::from_seconds(102), node).exceeds(lifetime));
        assert!(ClockOffset::between(Timestamp::from_seconds(103), node).exceeds(lifetime));
        assert!(ClockOffset::between(Timestamp::from_seconds(97), node).exceeds(lifetime));
        assert!(!ClockOffset::NONE.exceeds(Lifetime::ZERO));
    }
}
