//! Whether the digits are those that were sent, in this flow and for this purpose.

use super::super::attempts::{Bucket, factor};
use super::super::letter::stamped;
use super::super::{Judged, Walker, people, wrong};
use super::NOBODY;
use crate::{Engine, Failed};
use sinete_core::flow::Flow;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::{Mailed, Stage};
use sinete_core::people::Condition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_store::contacts::{self, Kind};
use sinete_store::one_time_codes::{self, OneTimeCode, Place};
use sinete_store::{Act, accounts, credentials};

/// Whether the digits are right. A guess is paid for twice before it is looked at: at the code, which bears few,
/// and at the account, which does not forget when another code is sent.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    code: &str,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let Stage::MailedProof(mailed) = flow.stage() else { return Ok(Err(wrong("nothing was sent"))) };
    let lookup = mailed.address.lookup();
    let bucket = Bucket::of(engine, mailed.account, &lookup, factor::MAILED_CODE, walker).await?;
    if let Err(refusal) = bucket.pay(engine).await? {
        return Ok(Err(refusal));
    }
    let place = Place { flow: flow.id(), purpose: flow.kind().name() };
    let guessed = stamped(engine, place, code);
    let is_right = guess(engine, place).await?.is_some_and(|kept| kept.digest == guessed);
    let account = mailed.account.unwrap_or(NOBODY);
    let found = accounts::find(engine.store(), account).await?;
    let is_enabled = found.is_some_and(|account| account.condition == Condition::Enabled);
    let credentials = credentials::of_account(engine.store(), account).await?;
    let leads_on = match flow.kind() {
        FlowKind::SignUp => mailed.account.is_none(),
        _ => is_enabled,
    };
    if !is_right || !leads_on {
        let event = Event::new(EventKind::CredentialFailed, Actor::Anonymous, engine.now(), engine.entropy());
        let event = event.from_origin(&walker.origin).with("factor", factor::MAILED_CODE);
        let event = mailed.account.map_or_else(|| event.clone(), |id| event.clone().about("account", id));
        let _ = engine.store().commit(Act::new().record(&event)).await?;
        return Ok(Err(wrong("the digits are wrong, spent or too old")));
    }
    if let Err(refusal) = still_free(engine, flow.kind(), mailed).await? {
        return Ok(Err(refusal));
    }
    let spent = one_time_codes::spend(place, &guessed, engine.now());
    let person = mailed.account.map(|account| people::of(account, &credentials));
    let act = Act::new().with(spent).with(bucket.forget());
    Ok(Ok(Judged { answer: Answer::CodeRight { person }, act }))
}

/// The code, if one more guess at it could be paid for.
async fn guess(engine: &Engine, place: Place<'_>) -> Result<Option<OneTimeCode>, Failed> {
    let Some(kept) = one_time_codes::find(engine.store(), place).await? else { return Ok(None) };
    let paid = one_time_codes::attempt(place, kept.attempts, engine.now());
    Ok(engine.store().commit(Act::new().with(paid)).await?.is_ok().then_some(kept))
}

/// Whoever proved an address may know that somebody else proved it meanwhile.
async fn still_free(engine: &Engine, kind: FlowKind, mailed: &Mailed) -> Result<Result<(), Refusal>, Failed> {
    if kind != FlowKind::SignUp {
        return Ok(Ok(()));
    }
    let taken = contacts::find_verified(engine.store(), Kind::Email, &mailed.address.lookup()).await?;
    Ok(match taken {
        None => Ok(()),
        Some(_) => {
            let public = "an account with this address was made meanwhile: sign in to it";
            Err(Refusal::new(RefusalCode::Conflict, public, "the address is taken"))
        }
    })
}
