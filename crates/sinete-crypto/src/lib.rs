//! Keys, signatures, sealed secrets and proofs of who a person is: bytes in, bytes out, nothing awaited.
//!
//! This is the only place that touches private keys. Time and the randomness of nonces are arguments; keys
//! themselves, and the randomness inside signatures, come from the cryptographic library's own generator.

mod base32;
pub mod events;
pub mod identity_providers;
pub mod oauth;
pub mod platform;
pub mod sign_in;
