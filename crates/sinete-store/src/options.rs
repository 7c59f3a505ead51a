//! Options for opening a database.

use sinete_core::time::Lifetime;

/// The intended access and the limits of a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The intended access.
    pub access: StoreAccess,
    /// Maximum number of connections to a PostgreSQL server.
    pub connections: usize,
    /// Write batches that may queue for SQLite's single writer before more are rejected.
    pub waiting_batches: usize,
    /// How long the database may take to respond before the operation fails.
    pub answer_max: Lifetime,
    /// How a pooler in front of a PostgreSQL server lends its connections.
    pub pooling: ConnectionPooling,
    /// How statements are sent to a PostgreSQL server.
    pub prepared_statements: PreparedStatements,
}

/// How a pooler lends its connections to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectionPooling {
    /// For as long as the client is connected, which is the same as no pooler.
    #[default]
    Session,
    /// For one transaction, so that nothing of a session can be relied on.
    Transaction,
}

/// How statements are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreparedStatements {
    /// Prepared once for each connection, and then by name.
    #[default]
    Named,
    /// Whole each time.
    Unnamed,
}

/// The purpose for which a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAccess {
    /// Serving requests. On SQLite only one process may serve from a file.
    Serve,
    /// Reading and writing while another process may be serving, as CLI commands do.
    AlongsideServer,
    /// Reading only. Nothing is created and nothing can be committed.
    ReadOnly,
}

impl StoreOptions {
    /// The defaults for this access.
    pub const fn new(access: StoreAccess) -> Self {
        Self {
            access,
            connections: 16,
            waiting_batches: 4096,
            answer_max: Lifetime::from_seconds(2),
            pooling: ConnectionPooling::Session,
            prepared_statements: PreparedStatements::Named,
        }
    }
}
