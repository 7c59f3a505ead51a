//! Somebody allows or denies what an application asks for.

use super::{Judged, plain};
use crate::flows::{Walker, direct};
use crate::{Cause, Engine, Failed};
use sinete_core::flow::answer::Answer;
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::Stage;
use sinete_core::flow::{Carrier, Flow};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_store::{Act, memberships};

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
    let denied = if allow { None } else { denied(engine, flow, walker).await? };
    let judged = plain(Answer::Consented(allow));
    Ok(Ok(Judged { act: denied.iter().fold(Act::new(), Act::record), ..judged }))
}

async fn denied(engine: &Engine, flow: &Flow, walker: &Walker) -> Result<Option<Event>, Failed> {
    let (Stage::Consent { agreement, .. }, Purpose::Authorize { asked, .. }) = (flow.stage(), flow.purpose())
    else {
        return Ok(None);
    };
    let Some(signed_in) = direct::signed_in(engine, flow).await? else { return Ok(None) };
    let (account, now) = (signed_in.session.account, engine.now());
    let theirs = memberships::usable_by(engine.store(), account, now).await?;
    let membership = theirs.iter().find(|it| it.organization == agreement.organization);
    let cause = Cause { actor: Actor::Account(account), origin: walker.origin.clone() };
    let event = engine.event(EventKind::ConsentDenied, &cause, now);
    let event = membership.into_iter().fold(event, |event, it| event.about("membership", it.membership));
    let event = event
        .within(agreement.organization)
        .through(asked.client.clone())
        .with("audience", agreement.audience.as_str())
        .with("scope", agreement.scopes.to_string());
    Ok(Some(event.with("claims", agreement.claims.to_string())))
}
