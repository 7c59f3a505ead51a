//! Building blocks of all capabilities: signing keys, JWTs, encryption, message authentication codes.

pub mod encryption;
mod instance_key;
pub mod jwks;
pub mod jwt;
pub mod mac;
pub mod signing_keys;
