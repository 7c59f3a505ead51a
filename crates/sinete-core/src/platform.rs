//! Building blocks of all capabilities: signing keys, outbound requests, rate limits.

pub mod outbound;
pub mod rate_limit;
pub mod signing_keys;
