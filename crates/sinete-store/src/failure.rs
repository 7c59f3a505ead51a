//! What can go wrong between us and the database, one sentence each.

/// The database could not do what was asked. Nothing of it was done, except where it is
/// [`OutcomeUnknown`](Self::OutcomeUnknown).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    /// The server does not answer.
    #[error("the database cannot be reached: check its address and that it is running")]
    Unreachable,
    /// The connection was lost while a commit was under way, and the database could not be asked in time whether it
    /// happened. It may have: the same request must not be sent again as if it had not.
    #[error(
        "the connection to the database was lost during a commit, and nobody can say whether it happened"
    )]
    OutcomeUnknown,
    /// Another process holds the database, or a part of it, and did not let go in time.
    #[error(
        "the database is in use by another process: stop the other one, or give this one its own database"
    )]
    Locked,
    /// There is no room left.
    #[error("the disk of the database is full: nothing was written, make room and writing goes on")]
    Full,
    /// The database can be read but not written.
    #[error("the database cannot be written: check the permissions of its file and of the folder around it")]
    ReadOnly,
    /// A newer program has been here, and has taken away what this one may use.
    #[error(
        "the schema is at version {found} and this program knows {known}: run the program that wrote it, or a newer one"
    )]
    TooNew {
        /// The newest version that was applied.
        found: u32,
        /// The newest version we know.
        known: u32,
    },
    /// What is stored is not what we stored.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// More work waits than can be done in time.
    #[error("the database has more work waiting than it can do in time")]
    Overloaded,
    /// A text holds a NUL character, which neither engine takes.
    #[error("{0}")]
    Unstorable(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl StoreFailure {
    /// Whether the same request may well succeed a little later, because nothing of it happened now.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable | Self::Locked | Self::Full | Self::ReadOnly | Self::Overloaded => true,
            Self::OutcomeUnknown
            | Self::TooNew { .. }
            | Self::Damaged(_)
            | Self::Unstorable(_)
            | Self::Other(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_failures_are_temporary_or_permanent() {
        for passing in [
            StoreFailure::Unreachable,
            StoreFailure::Locked,
            StoreFailure::Full,
            StoreFailure::ReadOnly,
            StoreFailure::Overloaded,
        ] {
            assert!(passing.is_temporary(), "{passing}");
        }
        for lasting in [
            StoreFailure::OutcomeUnknown,
            StoreFailure::TooNew { found: 9, known: 8 },
            StoreFailure::Damaged("row 1".into()),
            StoreFailure::Other("no such table".into()),
        ] {
            assert!(!lasting.is_temporary(), "{lasting}");
        }
    }

    #[test]
    fn store_failures_are_one_sentence() {
        for failed in
            [StoreFailure::Unreachable, StoreFailure::Locked, StoreFailure::TooNew { found: 9, known: 8 }]
        {
            assert!(!failed.to_string().contains('\n'));
        }
    }
}
