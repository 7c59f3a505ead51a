//! Database errors, one sentence each.

/// A database operation failed. Nothing of it happened, except for [`OutcomeUnknown`](Self::OutcomeUnknown).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    /// The server does not respond.
    #[error("the database cannot be reached: check its address and that it is running")]
    Unreachable,
    /// The connection was lost during a commit, and its outcome could not be determined in time. It may have
    /// happened: the request must not be repeated as if it had not.
    #[error("the connection to the database was lost during a commit, and its outcome is unknown")]
    OutcomeUnknown,
    /// Another process locks the database or a part of it and did not release it in time.
    #[error(
        "the database is in use by another process: stop the other one, or give this one its own database"
    )]
    Locked,
    /// The disk is full.
    #[error("the disk of the database is full: nothing was written; free some space")]
    Full,
    /// The database is read-only.
    #[error("the database cannot be written: check the permissions of its file and of the folder around it")]
    ReadOnly,
    /// A newer release migrated the schema and removed something this one may use.
    #[error(
        "the schema is at version {applied_version} and this program knows {known_version}: run the program that wrote it, or a newer one"
    )]
    TooNew {
        /// The newest applied version.
        applied_version: u32,
        /// The newest version known to this program.
        known_version: u32,
    },
    /// The stored data is not what Sinete wrote.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// More work is queued than can be done in time.
    #[error("the database has more work waiting than it can do in time")]
    Overloaded,
    /// A text contains a NUL character, which neither engine stores.
    #[error("{0}")]
    Unstorable(String),
    /// Any other error.
    #[error("{0}")]
    Other(String),
}

impl StoreFailure {
    /// Whether the same request may succeed a little later, because nothing of it happened now.
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
            StoreFailure::TooNew { applied_version: 9, known_version: 8 },
            StoreFailure::Damaged("row 1".into()),
            StoreFailure::Other("no such table".into()),
        ] {
            assert!(!lasting.is_temporary(), "{lasting}");
        }
    }

    #[test]
    fn store_failures_are_one_sentence() {
        for failed in [
            StoreFailure::Unreachable,
            StoreFailure::Locked,
            StoreFailure::TooNew { applied_version: 9, known_version: 8 },
        ] {
            assert!(!failed.to_string().contains('\n'));
        }
    }
}
