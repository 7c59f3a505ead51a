//! Keys, for those who run the instance from elsewhere than its command line: looked at, and rotated.

use super::{Joined, Refused};
use crate::operating::Operating;
use crate::{Engine, Failed};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::signing::Algorithm;
use sinete_crypto::key::Marking;

pub use super::list::Listed;

/// Every key, with its life.
pub async fn list(engine: &Engine, operating: &Operating) -> Result<Result<Vec<Listed>, Refusal>, Failed> {
    match operating.may("instance:read") {
        Ok(()) => Ok(Ok(super::list::list(engine).await?)),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Makes a successor for the key that signs tokens with this algorithm.
pub async fn rotate(
    engine: &Engine,
    operating: &Operating,
    algorithm: Algorithm,
) -> Result<Result<Joined, Refusal>, Failed> {
    if let Err(refusal) = operating.may("keys:rotate") {
        return Ok(Err(refusal));
    }
    let rotated = super::rotate(engine, algorithm, operating.cause()).await?;
    Ok(rotated.map_err(|refused| Refusal::new(RefusalCode::Conflict, public(&refused), refused.to_string())))
}

/// Whether production would turn the key away.
pub fn is_development(key: &Listed) -> bool {
    key.marking == Marking::Development
}

const fn public(refused: &Refused) -> &'static str {
    match refused {
        Refused::StillAnnounced { .. } => "a successor is announced already and has not begun to sign",
        Refused::NothingToRotate(_) => "there is no key of this algorithm yet: make one first",
        Refused::Configured(_) => {
            "the keys of this algorithm come from the configuration: replace them there"
        }
        Refused::NotAKey(_)
        | Refused::DevelopmentKey
        | Refused::Duplicate { .. }
        | Refused::AlreadyThere(_)
        | Refused::Unknown(_)
        | Refused::SignsTheLog(_)
        | Refused::AlreadyWithdrawn(_) => "the key cannot be rotated now",
    }
}
