//! Building blocks of all capabilities: signing keys, JWTs, encryption, message authentication codes,
//! request signatures of object stores.

pub mod encryption;
mod instance_key;
pub mod jwks;
pub mod jwt;
pub mod mac;
pub mod signing_keys;
pub mod sigv4;
