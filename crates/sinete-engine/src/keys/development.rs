//! The keys that a development instance makes for itself, marked so that they never count elsewhere.

use super::{Refused, generate};
use crate::{Cause, Engine, Failed};
use sinete_core::signing::Algorithm;

/// The keys without which a development instance does not begin to serve. An RSA key takes a tenth of a
/// second to make, sometimes half of one, so the second is made once the instance serves.
pub const AT_FIRST_START: [Algorithm; 3] = [Algorithm::Es256, Algorithm::Rs256, Algorithm::EdDsa];

/// Makes a development key for each of these algorithms that has none.
pub async fn ensure_development(engine: &Engine, algorithms: &[Algorithm]) -> Result<(), Failed> {
    for algorithm in algorithms {
        if engine.keys().signer(*algorithm, engine.now()).is_some() {
            continue;
        }
        match generate(engine, *algorithm, &Cause::system()).await? {
            // Where another node has just made one, that one serves.
            Ok(_) | Err(Refused::StillAnnounced { .. } | Refused::Configured(_)) => {}
            Err(refused) => tracing::warn!(reason = %refused, "a development key was not made"),
        }
    }
    Ok(())
}
