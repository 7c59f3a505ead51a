//! Signing of JWTs with the current keys of this instance.

use crate::{Engine, Failure};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::JwtType;

/// Signs claims with the current key of this algorithm. A node with an unreliable clock signs nothing,
/// because the token would be valid too long or not yet
/// (docs/contribute/decisions/0338-readiness-full-disk-found-by-refused-writes.md).
pub(crate) fn sign_claims(
    engine: &Engine,
    algorithm: SigningAlgorithm,
    of_type: JwtType,
    claims: &impl serde::Serialize,
    now: Timestamp,
) -> Result<String, Failure> {
    if !engine.clock_is_right() {
        return Err(Failure::ClockWrong);
    }
    let ring = engine.key_ring();
    let key =
        ring.signing_key(algorithm, now).ok_or_else(|| match ring.has_announced_key(algorithm, now) {
            true => Failure::BeforeFirstKey(algorithm),
            false => Failure::NoSigningKey(algorithm),
        })?;
    Ok(jwt::sign_jwt(key, of_type, claims)?)
}
