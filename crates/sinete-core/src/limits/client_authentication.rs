//! Limits of client assertions (RFC 7523) and DPoP proofs (RFC 9449).

use crate::time::Lifetime;

/// Maximum lifetime of a client assertion.
pub const CLIENT_ASSERTION_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(5);
/// Maximum bytes in the `jti` of a client assertion.
pub const CLIENT_ASSERTION_JTI_BYTES_MAX: usize = 256;

/// Maximum age of a DPoP proof.
pub const DPOP_PROOF_AGE_MAX: Lifetime = Lifetime::from_seconds(60);
/// How far in the future `iat` of a DPoP proof may be.
pub const DPOP_PROOF_FUTURE_MAX: Lifetime = Lifetime::from_seconds(15);
/// Maximum bytes in `jti`.
pub const DPOP_PROOF_JTI_BYTES_MAX: usize = 256;
/// Maximum bytes in `htu`.
pub const DPOP_PROOF_HTU_BYTES_MAX: usize = 4096;
/// Maximum bytes in a DPoP proof.
pub const DPOP_PROOF_BYTES_MAX: usize = 8 * 1024;
/// How long replay entries are kept after the age check alone rejects the proof: longer than the clock
/// difference between nodes.
pub const REPLAY_CLEANUP_AFTER: Lifetime = Lifetime::from_minutes(5);
/// Lifetime of a DPoP nonce.
pub const DPOP_NONCE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
