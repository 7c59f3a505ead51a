//! Shared infrastructure: keys, delivery, outbound requests, idempotency, rate limits.

pub mod encrypted_columns;
pub mod idempotency;
pub mod instance;
pub mod nodes;
pub mod outbox;
pub mod signing_keys;
