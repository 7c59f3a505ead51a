//! How a database is opened.

use sinete_core::time::Lifetime;

/// What the caller means to do with the database, and how much of it at once.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// What for.
    pub access: StoreAccess,
    /// Connections to a PostgreSQL server, at most.
    pub connections: usize,
    /// Acts that may wait for SQLite's one writer before more are turned away.
    pub waiting_acts: usize,
    /// How long the database may take to answer before we say that it does not.
    pub answer_max: Lifetime,
}

/// What a database is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAccess {
    /// To serve from it. On SQLite nobody else may serve from the same file.
    Serve,
    /// To read and write beside whoever serves from it, as a command does.
    Beside,
    /// To read only. Nothing is created and nothing can be committed.
    ReadOnly,
}

impl StoreOptions {
    /// What is usual for this access.
    pub const fn new(access: StoreAccess) -> Self {
        Self { access, connections: 16, waiting_acts: 4096, answer_max: Lifetime::from_seconds(2) }
    }
}
