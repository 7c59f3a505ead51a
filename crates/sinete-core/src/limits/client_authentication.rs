//! What bounds what clients sign: who they are (RFC 7523), and that they hold a key (RFC 9449).

use crate::time::Lifetime;

/// How long an assertion by which a client proves who it is may be good for.
pub const CLIENT_ASSERTION_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(5);
/// Most bytes in the id of such an assertion.
pub const CLIENT_ASSERTION_JTI_BYTES_MAX: usize = 256;

/// How old a proof may be that somebody holds a key.
pub const DPOP_PROOF_AGE_MAX: Lifetime = Lifetime::from_seconds(60);
/// How far ahead of ours the clock may be that wrote it.
pub const DPOP_PROOF_FUTURE_MAX: Lifetime = Lifetime::from_seconds(15);
/// Most bytes in its own id.
pub const DPOP_PROOF_JTI_BYTES_MAX: usize = 256;
/// Most bytes in the address it is for.
pub const DPOP_PROOF_HTU_BYTES_MAX: usize = 4096;
/// Most bytes in the whole of it.
pub const DPOP_PROOF_BYTES_MAX: usize = 8 * 1024;
/// How long what was seen is kept after its age alone would refuse it: longer than clocks of nodes are apart.
pub const REPLAY_CLEANUP_AFTER: Lifetime = Lifetime::from_minutes(5);
/// How long a nonce that we gave out can be used.
pub const DPOP_NONCE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
