//! The errors of the benchmark.

use std::io;
use std::time::Duration;

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An I/O error.
    #[error("could not {operation}: {source}")]
    Io {
        /// The failed operation.
        operation: String,
        /// The cause.
        source: io::Error,
    },
    /// A child process ended before it could be measured.
    #[error("{program} ended early ({status}); its last output:\n{output_tail}")]
    ProcessExited {
        /// The program.
        program: String,
        /// The exit status.
        status: String,
        /// The end of its output.
        output_tail: String,
    },
    /// A child process did not become ready in time.
    #[error("{program} was not ready after {waited:?}; its last output:\n{output_tail}")]
    NotReady {
        /// The program.
        program: String,
        /// How long we waited.
        waited: Duration,
        /// The end of its output.
        output_tail: String,
    },
    /// A database failed.
    #[error("database: {0}")]
    Database(String),
    /// An unexpected result.
    #[error("{0}")]
    Unexpected(String),
}

impl BenchError {
    /// Creates an I/O error with the failed operation, such as "read the file".
    pub fn io(doing: impl Into<String>, source: io::Error) -> Self {
        Self::Io { operation: doing.into(), source }
    }
}

impl From<rusqlite::Error> for BenchError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl From<tokio_postgres::Error> for BenchError {
    /// Prefers the message of the server over that of the driver.
    fn from(error: tokio_postgres::Error) -> Self {
        let reason =
            error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
        Self::Database(format!("PostgreSQL: {reason}"))
    }
}

impl From<sinete_store::StoreFailure> for BenchError {
    fn from(failed: sinete_store::StoreFailure) -> Self {
        Self::Database(failed.to_string())
    }
}
