//! Callers with an access token: what they may do is what its holder may do now, below what it was issued for.

use super::{Caller, standing_behind, unknown};
use crate::access_tokens::{self, Examined};
use crate::credential::Credential;
use crate::{Cause, Engine, Failed};
use sinete_core::assurance::Assurance;
use sinete_core::people::Subject;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{Actor, Origin};
use sinete_core::token::jti::Root;

/// The caller behind an access token that was issued for our own APIs.
pub(super) async fn identify(
    engine: &Engine,
    shown: Credential<'_>,
    origin: Origin,
) -> Result<Result<Caller, Refusal>, Failed> {
    let examined = match access_tokens::examine(engine, shown.text).await? {
        Ok(examined) => examined,
        Err(reason) => return Ok(Err(unknown(&reason.to_string()))),
    };
    if examined.claims.audience().as_str() != engine.settings().issuer {
        return Ok(Err(unknown("the token is for another API")));
    }
    if let Err(refusal) = shown.must_hold(engine, &examined.claims).await? {
        return Ok(Err(refusal));
    }
    if matches!(examined.claims.jti().root, Root::Assignment(_)) {
        return Ok(Err(unknown("whoever acts as somebody else administers nothing")));
    }
    let is_sure_enough = is_sure_enough(&examined)?;
    let Examined { claims, of_token } = examined;
    let actor = match &of_token.found.standing.subject {
        Subject::Person { membership, .. } => Actor::Membership(*membership),
        Subject::Machine { client, .. } => Actor::Client(client.clone()),
    };
    let cause = Cause { actor, origin: origin.through(claims.client().clone()) };
    let caller = match standing_behind(of_token.found, claims.scope().permissions(), cause) {
        Ok(caller) => caller,
        Err(lifeless) => return Ok(Err(unknown(&lifeless.to_string()))),
    };
    // What is not alive is not asked to prove more.
    Ok(if is_sure_enough { Ok(caller) } else { Err(not_sure_enough()) })
}

/// Whether we are as sure who the person is as their organization demands of its members. Machines and
/// long-lived keys prove nothing about a person, and nothing is asked of them.
fn is_sure_enough(examined: &Examined) -> Result<bool, Failed> {
    let by_person = matches!(examined.claims.jti().root, Root::Grant(_));
    let proven = examined.claims.assurance();
    if !by_person || proven == Some(Assurance::Two) {
        return Ok(true);
    }
    let least = examined.of_token.settings()?.least_assurance;
    Ok(proven.is_some_and(|proven| proven >= least))
}

fn not_sure_enough() -> Refusal {
    Refusal::new(
        RefusalCode::InsufficientAuthentication,
        "the organization demands a stronger proof of who is asking",
        "the token was issued below the organization's least assurance",
    )
}
