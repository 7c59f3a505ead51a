//! Cryptography: signing keys, signatures, encryption of secrets, and verification of credentials. Pure
//! functions without I/O.
//!
//! Only this crate touches private keys. Time and the randomness of nonces are arguments; keys, and the
//! randomness inside signatures, come from the generator of the cryptographic library.

mod base32;
pub mod events;
pub mod identity_providers;
pub mod oauth;
pub mod platform;
pub mod sign_in;
