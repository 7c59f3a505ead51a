//! Somebody allows or denies what an application asks for.

use super::{Judged, plain};
use crate::authorize::{self, Answers, Arrival, Asked, Decided, Next, approval, device};
use crate::flows::{Walker, direct};
use crate::letters::About;
use crate::{Cause, Engine, Failed, watch};
use sinete_core::flow::answer::Answer;
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::Stage;
use sinete_core::flow::{Carrier, Flow};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_store::{Act, approval_requests, device_requests, memberships};

/// A browser answers for the session the question was put to; anybody else's answer is not theirs. A no is
/// recorded when it is said, a yes when the grant it leads to is given.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    allow: bool,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let present = walker.session.as_ref().map(|signed_in| signed_in.session.id);
    if flow.carrier() == Carrier::Cookie && (present.is_none() || present != flow.session()) {
        let public = "the question was put to somebody else";
        return Ok(Err(Refusal::new(RefusalCode::Forbidden, public, "another session, or none")));
    }
    if let Purpose::ConfirmDevice { asked: Some(asked), answers, .. } = flow.purpose() {
        return for_device(engine, flow, (asked, answers), allow, walker).await;
    }
    if let Purpose::ApproveRequest { asked, answers } = flow.purpose() {
        return for_approval(engine, flow, (asked, answers), allow, walker).await;
    }
    let denied = if allow { None } else { denied(engine, flow, walker, EventKind::ConsentDenied).await? };
    let judged = plain(Answer::Consented(allow));
    Ok(Ok(Judged { act: denied.iter().fold(Act::new(), Act::record), ..judged }))
}

/// What is said for a device is done at once. A yes counts for exactly what was shown, and only while all of it is still so;
/// otherwise it is asked again, or cannot be allowed any more.
async fn for_device(
    engine: &Engine,
    flow: &Flow,
    (asked, answers): (&Asked, &Answers),
    allow: bool,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let (Stage::Consent { agreement, .. }, Arrival::Device(digest)) = (flow.stage(), asked.arrival) else {
        return Ok(Ok(plain(Answer::Reconsidered)));
    };
    let digest = Digest::from_bytes(digest);
    let signed_in = direct::signed_in(engine, flow).await?;
    let is_waiting = device::waiting(engine, &digest).await?.is_some();
    let Some(signed_in) = signed_in.filter(|_| is_waiting) else {
        return Ok(Ok(plain(Answer::Reconsidered)));
    };
    if !allow {
        let event = denied(engine, flow, walker, EventKind::DeviceDenied).await?;
        let act = Act::new().with(device_requests::deny(&digest, engine.now()));
        let act = event.iter().fold(act, Act::record);
        return Ok(Ok(Judged { answer: Answer::Consented(false), act }));
    }
    let answers = Answers { consent: Some(Decided::Agreed((**agreement).clone())), ..answers.clone() };
    match authorize::next(engine, asked, Some(&signed_in), &answers).await? {
        Next::Grant(granting) => {
            let cause =
                Cause { actor: Actor::Account(signed_in.session.account), origin: walker.origin.clone() };
            let act = granting.to_device(engine, &cause)?;
            let around = crate::flows::around(engine, flow).await?;
            let application = around.application.as_deref().unwrap_or_default();
            let about = About::DeviceAllowed { application, asked: &granting.asking_device() };
            // Whoever was talked into it can still take it back.
            let act = watch::tell(engine, act, signed_in.session.account, about).await?;
            Ok(Ok(Judged { answer: Answer::Consented(true), act }))
        }
        _ => Ok(Ok(plain(Answer::Reconsidered))),
    }
}

/// What is said to a client that asks for an approval is done at once, and by nobody but whom it asked. A yes counts for
/// exactly what was shown, and only while all of it is still so.
async fn for_approval(
    engine: &Engine,
    flow: &Flow,
    (asked, answers): (&Asked, &Answers),
    allow: bool,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let (Stage::Consent { agreement, .. }, Arrival::Backchannel(digest)) = (flow.stage(), asked.arrival)
    else {
        return Ok(Ok(plain(Answer::Reconsidered)));
    };
    let digest = Digest::from_bytes(digest);
    let (signed_in, waits) =
        (direct::signed_in(engine, flow).await?, approval::waiting(engine, &digest).await?);
    let theirs = waits.and_then(|(request, _)| request.account);
    let Some(signed_in) = signed_in.filter(|it| theirs == Some(it.session.account)) else {
        return Ok(Ok(plain(Answer::Reconsidered)));
    };
    let account = signed_in.session.account;
    if !allow {
        let event = denied(engine, flow, walker, EventKind::ApprovalDenied).await?;
        let act = Act::new().with(approval_requests::deny(&digest, account, engine.now()));
        let act = event.iter().fold(act, Act::record);
        return Ok(Ok(Judged { answer: Answer::Consented(false), act }));
    }
    let answers = Answers { consent: Some(Decided::Agreed((**agreement).clone())), ..answers.clone() };
    match authorize::next(engine, asked, Some(&signed_in), &answers).await? {
        Next::Grant(granting) => {
            let cause = Cause { actor: Actor::Account(account), origin: walker.origin.clone() };
            let act = granting.to_approval(engine, &cause).await?;
            Ok(Ok(Judged { answer: Answer::Consented(true), act }))
        }
        _ => Ok(Ok(plain(Answer::Reconsidered))),
    }
}

async fn denied(
    engine: &Engine,
    flow: &Flow,
    walker: &Walker,
    kind: EventKind,
) -> Result<Option<Event>, Failed> {
    let (Stage::Consent { agreement, .. }, Some(asked)) = (flow.stage(), flow.purpose().asked()) else {
        return Ok(None);
    };
    let Some(signed_in) = direct::signed_in(engine, flow).await? else { return Ok(None) };
    let (account, now) = (signed_in.session.account, engine.now());
    let theirs = memberships::usable_by(engine.store(), account, now).await?;
    let membership = theirs.iter().find(|it| it.organization == agreement.organization);
    let cause = Cause { actor: Actor::Account(account), origin: walker.origin.clone() };
    let event = engine.event(kind, &cause, now);
    let event = membership.into_iter().fold(event, |event, it| event.about("membership", it.membership));
    let event = event
        .within(agreement.organization)
        .through(asked.client.clone())
        .with("audience", agreement.audience.as_str())
        .with("scope", agreement.scopes.to_string());
    Ok(Some(event.with("claims", agreement.claims.to_string())))
}
