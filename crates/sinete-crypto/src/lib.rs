//! Keys, signatures, sealed secrets and proofs of who a person is: bytes in, bytes out, nothing awaited.
//!
//! This is the only place that touches private keys. Time and the randomness of nonces are arguments; keys
//! themselves, and the randomness inside signatures, come from the cryptographic library's own generator.

pub mod key;

pub mod certificate;
pub mod client_assertion;
pub mod jwks;
pub mod jwt;
pub mod key_proof;
pub mod provider_token;
pub mod request_object;
pub mod saml;

pub mod seal;
pub mod stamp;

pub mod argon;
pub mod breached;
pub mod foreign;
pub mod recovery_code;
pub mod totp;
pub mod webauthn;
pub mod webhook;

mod base32;
