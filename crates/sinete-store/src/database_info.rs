//! What the database says about itself, for an operator who asks.

use sinete_core::time::{Lifetime, Timestamp};

/// The facts about a database that a diagnosis needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseInfo {
    /// Which engine runs.
    pub engine: DatabaseEngine,
    /// Its version, as it spells it.
    pub version: String,
    /// Whether a commit is on disk before it is acknowledged.
    pub durability: CommitDurability,
    /// How SQLite keeps its journal; PostgreSQL has no such choice.
    pub journal_mode: Option<String>,
    /// The newest migration that was applied; none on an empty database.
    pub schema_version: Option<u32>,
    /// The size of the database in bytes, SQLite's write-ahead log included.
    pub size_bytes: u64,
}

/// The two engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseEngine {
    /// Embedded, one file.
    Sqlite,
    /// A server.
    Postgres,
}

/// Whether what is acknowledged survives a loss of power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitDurability {
    /// It does.
    Durable,
    /// It may not, because of the setting named here, as in `synchronous_commit = off`.
    AtRisk(String),
}

/// How far the database's clock is from this node's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOffset(i64);

impl ClockOffset {
    /// No difference: the database has no clock of its own.
    pub const NONE: Self = Self(0);

    /// The difference between the database's clock and this node's.
    pub const fn between(database: Timestamp, node: Timestamp) -> Self {
        Self(database.micros().saturating_sub(node.micros()))
    }

    /// Microseconds by which the database is ahead; negative where it is behind.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whether the clocks are further apart than this, in either direction.
    pub const fn exceeds(self, most: Lifetime) -> bool {
        self.0.unsigned_abs() > most.micros().unsigned_abs()
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
        let most = Lifetime::from_seconds(2);
        assert!(!ClockOffset::between(Timestamp::from_seconds(102), node).exceeds(most));
        assert!(ClockOffset::between(Timestamp::from_seconds(103), node).exceeds(most));
        assert!(ClockOffset::between(Timestamp::from_seconds(97), node).exceeds(most));
        assert!(!ClockOffset::NONE.exceeds(Lifetime::ZERO));
    }
}
