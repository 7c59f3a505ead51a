//! Forms that make something: one that is sent again makes nothing again
//! (docs/decisions/0178-what-the-console-shows-once.md).

use super::{Done, Made, Trouble, Work};
use crate::extract::pairs::Pairs;
use crate::reply::Declined;
use sinete_engine::idempotency::{self, Claim};
use sinete_screens::console::said::Said;

/// The claim of a form on what it makes; or what came of the same form before.
pub(super) async fn claim(
    work: &Work<'_>,
    form: &Pairs,
) -> Result<Result<Claim, Result<Made, Trouble>>, Declined> {
    let claim = match work.at.claim(form.get("once").unwrap_or_default(), &work.here) {
        Ok(claim) => claim,
        Err(refusal) => return Ok(Err(Err(Trouble::Refused(refusal, Said::NotPossible)))),
    };
    Ok(match was_made(work, &claim).await? {
        Some(made) => Err(Ok(made)),
        None => Ok(claim),
    })
}

/// What is said where it was made before; whoever sent the same at the same time may have been first.
pub(super) async fn was_made(work: &Work<'_>, claim: &Claim) -> Result<Option<Made>, Declined> {
    let earlier = idempotency::earlier(work.engine(), claim).await?;
    let was_made = earlier.is_ok_and(|earlier| earlier.is_some());
    Ok(was_made.then(|| Made::Done(Done { said: Said::MadeBefore, to: work.here.clone() })))
}
