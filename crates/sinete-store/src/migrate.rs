//! Bringing the schema to the version this program knows.

pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version    BIGINT PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL,
    checksum   BYTEA NOT NULL,
    applied_at BIGINT NOT NULL
)";
