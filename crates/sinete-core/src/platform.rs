//! What every capability stands on: keys, delivery, outbound requests, idempotency, rate limits.

pub mod outbound;
pub mod rate_limit;
pub mod signing_keys;
