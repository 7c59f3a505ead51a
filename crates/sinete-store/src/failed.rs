//! What can go wrong between us and the database, one sentence each.

/// The database could not do what was asked. Nothing of it was done, unless the connection was lost while
/// the commit was under way: then nobody can say, and the answer is still a failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// The server does not answer.
    #[error("the database cannot be reached: check its address and that it is running")]
    Unreachable,
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

impl Failed {
    /// Whether the same request may well succeed a little later.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable | Self::Locked | Self::Full | Self::ReadOnly | Self::Overloaded => true,
            Self::TooNew { .. } | Self::Damaged(_) | Self::Unstorable(_) | Self::Other(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_told_apart_from_what_does_not() {
        for passing in
            [Failed::Unreachable, Failed::Locked, Failed::Full, Failed::ReadOnly, Failed::Overloaded]
        {
            assert!(passing.is_temporary(), "{passing}");
        }
        for lasting in [
            Failed::TooNew { found: 9, known: 8 },
            Failed::Damaged("row 1".into()),
            Failed::Other("no such table".into()),
        ] {
            assert!(!lasting.is_temporary(), "{lasting}");
        }
    }

    #[test]
    fn each_is_one_sentence_of_one_line() {
        for failed in [Failed::Unreachable, Failed::Locked, Failed::TooNew { found: 9, known: 8 }] {
            assert!(!failed.to_string().contains('\n'));
        }
    }
}
