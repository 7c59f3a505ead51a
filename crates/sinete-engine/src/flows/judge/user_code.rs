//! Somebody types the code that a device shows. Guesses are paid for: at the account, before they are looked at, and at the
//! network they come from, where they were wrong.

use super::super::attempts::{Bucket, factor, too_often};
use super::{Judged, Walker, plain};
use crate::authorize::device::{Kept, waiting};
use crate::flows::direct;
use crate::{ATTEMPTS_MAX, Cause, Engine, Failed, device};
use sinete_core::authorize::user_code::UserCode;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::sends::{Sent, Window};
use sinete_core::flow::{Carrier, Flow};
use sinete_core::limits::USER_CODES_WRONG_HOURLY_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{Actor, EventKind};
use sinete_core::time::Lifetime;
use sinete_store::attempt_counters::{self, Counter, Key};
use sinete_store::{Act, device_requests};
use std::net::IpAddr;

/// Wrong codes from one network.
const HOURLY: Window =
    Window { name: "hour", length: Lifetime::from_hours(1), most: USER_CODES_WRONG_HOURLY_MAX };

/// What a device asks for that shows this code now. Everything else is answered alike: a code that was never shown, was
/// answered, or is too old.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    typed: &str,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let present = walker.session.as_ref().map(|signed_in| signed_in.session.id);
    let signed_in = direct::signed_in(engine, flow).await?;
    // Whoever has signed out meanwhile signs in again.
    let Some(signed_in) = signed_in else { return Ok(Ok(plain(Answer::Reconsidered))) };
    if flow.carrier() == Carrier::Cookie && present != flow.session() {
        let public = "the code was asked of somebody else";
        return Ok(Err(Refusal::new(RefusalCode::Forbidden, public, "another session, or none")));
    }
    let account = signed_in.session.account;
    let network = Network::of(walker);
    if let Err(refusal) = network.must_be_open(engine).await? {
        return Ok(Err(refusal));
    }
    let bucket = Bucket::of_account(account, factor::USER_CODE);
    if let Err(refusal) = bucket.pay(engine).await? {
        return Ok(Err(refusal));
    }
    let cause = Cause { actor: Actor::Account(account), origin: walker.origin.clone() };
    let Some(Kept { asked, .. }) = shown_by(engine, typed).await? else {
        network.pay(engine).await?;
        let event = engine.event(EventKind::UserCodeFailed, &cause, engine.now()).about("account", account);
        // Nothing in this act can conflict.
        let _ = engine.store().commit(Act::new().record(&event)).await?;
        return Ok(Err(unknown()));
    };
    let event = engine
        .event(EventKind::DeviceRecognised, &cause, engine.now())
        .about("account", account)
        .through(asked.client.clone());
    let act = Act::new().with_all(bucket.forget()).record(&event);
    Ok(Ok(Judged { answer: Answer::Recognised(Box::new(asked)), act }))
}

/// What a device left with us that shows this code and waits.
async fn shown_by(engine: &Engine, typed: &str) -> Result<Option<Kept>, Failed> {
    let Ok(code) = typed.parse::<UserCode>() else { return Ok(None) };
    let digest = device::stamped(engine, &code);
    let Some(found) = device_requests::find_by_user_code(engine.store(), &digest).await? else {
        return Ok(None);
    };
    Ok(waiting(engine, &found.digest).await?.map(|(_, kept)| kept))
}

/// Where somebody types from: one address, or what a household is given of the new kind.
struct Network(String);

impl Network {
    fn of(walker: &Walker) -> Self {
        let network = walker.origin.address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
        });
        Self(network.map_or_else(|| "network unknown".to_owned(), |network| format!("network {network}")))
    }

    fn key(&self) -> Key<'_> {
        Key { subject: &self.0, factor: factor::USER_CODE }
    }

    async fn must_be_open(&self, engine: &Engine) -> Result<Result<(), Refusal>, Failed> {
        let counted = attempt_counters::find(engine.store(), self.key()).await?;
        let blocked = counted.filter(|counter| counter.blocked_until > engine.now());
        Ok(blocked.map_or(Ok(()), |it| Err(too_often(it.blocked_until.since(engine.now())))))
    }

    /// One wrong code more. Where others pay at the same moment so often, theirs count.
    async fn pay(&self, engine: &Engine) -> Result<(), Failed> {
        for _ in 0..ATTEMPTS_MAX {
            let before = attempt_counters::find(engine.store(), self.key()).await?;
            let known =
                before.map(|it| Sent { count: it.count, since: it.since, blocked_until: it.blocked_until });
            let Some(after) = HOURLY.one_more_about(known, engine.now()) else { return Ok(()) };
            let after =
                Counter { count: after.count, since: after.since, blocked_until: after.blocked_until };
            let act = Act::new().with(attempt_counters::count(self.key(), before.as_ref(), &after));
            if engine.store().commit(act).await?.is_ok() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn unknown() -> Refusal {
    let public = "no device shows this code now: look at it again";
    Refusal::new(RefusalCode::Unprocessable, public, "unknown, answered or too old")
}
