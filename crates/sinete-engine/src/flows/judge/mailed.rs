//! Whether what was mailed may still lead on: the address is whose it was, and they can sign in.

use super::super::people;
use super::NOBODY;
use crate::{Engine, Failed};
use sinete_core::flow::Flow;
use sinete_core::flow::person::Person;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::{Mailed, Texted};
use sinete_core::people::Condition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_store::contacts::{self, Contact, Kind};
use sinete_store::{accounts, credentials};

/// Whose mail it is by now.
pub(in crate::flows) enum Reader {
    /// Nobody's that this flow could be about.
    Nobody,
    /// Somebody's who can sign in, with what they have set up.
    Person(Person),
    /// Nobody's yet: an account can be made for the address.
    Newcomer,
    /// Somebody else's, who proved the address meanwhile.
    Taken,
}

/// Whose mail it is by now. As much is asked about an address that is nobody's.
pub(in crate::flows) async fn reader(
    engine: &Engine,
    flow: &Flow,
    mailed: &Mailed,
) -> Result<Reader, Failed> {
    let id = mailed.account.unwrap_or(NOBODY);
    let account = accounts::find(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == Condition::Enabled);
    let credentials = credentials::of_account(engine.store(), id).await?;
    let lookup = mailed.address.lookup();
    let owner = contacts::find_verified(engine.store(), Kind::Email, &lookup).await?;
    if flow.kind() == FlowKind::SignUp {
        return Ok(match (mailed.account, owner) {
            (None, None) => Reader::Newcomer,
            (None, Some(_)) => Reader::Taken,
            (Some(_), _) => Reader::Nobody,
        });
    }
    let is_theirs = match flow.kind() {
        // The account claims the address and has not proven it: that is what the flow is for.
        FlowKind::VerifyEmail => {
            let known = contacts::of_account(engine.store(), id).await?;
            known.iter().any(|contact: &Contact| contact.kind == Kind::Email && contact.lookup == lookup)
        }
        // Nobody's yet: whoever reads it may be reached at it.
        FlowKind::ChangeEmail => owner.is_none(),
        _ => owner.is_some_and(|contact| contact.account == id),
    };
    let person = people::of(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { Reader::Person(person) } else { Reader::Nobody })
}

/// The same of a telephone.
pub(in crate::flows) async fn listener(
    engine: &Engine,
    flow: &Flow,
    texted: &Texted,
) -> Result<Reader, Failed> {
    let id = texted.account.unwrap_or(NOBODY);
    let account = accounts::find(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == Condition::Enabled);
    let credentials = credentials::of_account(engine.store(), id).await?;
    let number = texted.number.as_str();
    let is_claim_enough = flow.kind() == FlowKind::VerifyPhone;
    let known = contacts::of_account(engine.store(), id).await?;
    let is_theirs = known.iter().any(|contact| {
        contact.kind == Kind::Phone
            && contact.lookup == number
            && (is_claim_enough || contact.verified_at.is_some())
    });
    let person = people::of(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { Reader::Person(person) } else { Reader::Nobody })
}

/// Whoever proved an address may know that somebody else proved it meanwhile.
pub(in crate::flows) fn taken() -> Refusal {
    let public = "an account with this address was made meanwhile: sign in to it";
    Refusal::new(RefusalCode::Conflict, public, "the address is taken")
}
