//! Why a measurement could not be taken, in one sentence.

use std::io;
use std::time::Duration;

/// Why a measurement could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The operating system refused something.
    #[error("could not {doing}: {source}")]
    Io {
        /// What we were doing.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program we started ended before it could be measured.
    #[error("{program} ended early ({status}); its last words:\n{last_words}")]
    Ended {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The end of what it wrote.
        last_words: String,
    },
    /// A program we started did not answer in time.
    #[error("{program} was not ready after {waited:?}; its last words:\n{last_words}")]
    NotReady {
        /// The program.
        program: String,
        /// How long we waited.
        waited: Duration,
        /// The end of what it wrote.
        last_words: String,
    },
    /// A database failed.
    #[error("database: {0}")]
    Database(String),
    /// Something was not as it has to be.
    #[error("{0}")]
    Unexpected(String),
}

impl BenchError {
    /// A refusal of the operating system, with what we were doing ("read the file").
    pub fn io(doing: impl Into<String>, source: io::Error) -> Self {
        Self::Io { doing: doing.into(), source }
    }
}

impl From<rusqlite::Error> for BenchError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl From<tokio_postgres::Error> for BenchError {
    /// The server's own words where there are any; the driver's are about the way there.
    fn from(error: tokio_postgres::Error) -> Self {
        let reason = error.as_db_error().map_or_else(|| error.to_string(), |said| said.message().to_owned());
        Self::Database(format!("PostgreSQL: {reason}"))
    }
}

impl From<sinete_store::StoreFailure> for BenchError {
    fn from(failed: sinete_store::StoreFailure) -> Self {
        Self::Database(failed.to_string())
    }
}
