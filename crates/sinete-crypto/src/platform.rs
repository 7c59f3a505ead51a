//! What every capability stands on: keys, delivery, outbound requests, idempotency, rate limits.

pub mod encryption;
mod instance_key;
pub mod jwks;
pub mod jwt;
pub mod mac;
pub mod signing_keys;
