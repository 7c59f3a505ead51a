//! The addresses of an organization that are told of what happens: added, changed, paused, tried, told again, given
//! another secret, deleted.

mod filled;

use super::paging::Paging;
use super::trail::at_midnight;
use super::{Done, Finds, Made, Outcome, Trouble, Work, making, named};
use crate::extract::pairs::Pairs;
use crate::reply::Answer;
use axum::response::Response;
use filled::{Filled, trouble, wanted};
use sinete_core::id::WebhookId;
use sinete_core::refusal::RefusalCode;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::webhook::PauseReason;
use sinete_engine::managing::Managing;
use sinete_engine::webhooks::{self, Given, Outcome as Followed, Settled, ShownAttempt, Webhook};
use sinete_screens::console::said::Said;
use sinete_screens::console::webhooks::{
    Add, Attempt, Came, OneWebhook, ShownSecret, State, Webhook as Line, Webhooks,
};
use sinete_screens::console::{Pages, Section};
use sinete_screens::moment::Moment;

/// Shows a page of the webhooks, and a form for one more to whoever may add it.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, managing) = (work.engine(), Managing::Organization(work.at.acting()));
    let paging = Paging::asked(work)?;
    let mut read = webhooks::list(engine, managing, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |webhook| webhook.id.to_string());
    let ids: Vec<String> = read.iter().map(|webhook| webhook.id.to_string()).collect();
    let lines: Vec<Line<'_>> = read.iter().zip(&ids).map(|(webhook, id)| line(webhook, id)).collect();
    let (filled, once) = (Filled::new(work), work.once());
    let (kinds, others) = filled.kinds();
    let may_change = work.at.may_change("webhooks:manage");
    let stands = work.stands("add", work.is_proven(may_change).await?);
    let add = Add { once: &once, stands, fields: filled.view(&kinds, &others) };
    let page = Webhooks {
        desk: work.desk_of_form(Section::Webhooks, Finds::form_if(may_change)),
        webhooks: &lines,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        add: may_change.then_some(add),
    };
    Ok(work.answer(page.page(&work.frame())))
}

fn line<'a>(webhook: &'a Webhook, id: &'a str) -> Line<'a> {
    let at = |moment: Timestamp| Moment(moment.seconds());
    let state = match (webhook.paused_at, webhook.pause_reason, webhook.failures) {
        (Some(since), Some(PauseReason::Failing), _) => State::GivenUp(at(since)),
        (Some(since), Some(PauseReason::Gone), _) => State::Gone(at(since)),
        (Some(since), Some(PauseReason::Stopped) | None, _) => State::Stopped(at(since)),
        (None, _, 0) => State::Working,
        (None, _, _) => State::Failing(at(webhook.failing_since.unwrap_or(webhook.created_at))),
    };
    Line { id, address: &webhook.address, about: &webhook.description, state }
}

/// Shows one webhook, with what became of telling it.
pub(super) async fn show(work: &Work<'_>, id: &str) -> Answer {
    let (engine, managing) = (work.engine(), Managing::Organization(work.at.acting()));
    let id: WebhookId = named(id)?;
    let webhook = webhooks::show(engine, managing, id).await??;
    let paging = Paging::asked(work)?;
    let mut read =
        webhooks::latest_attempts(engine, managing, id, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |attempt| attempt.id.to_string());
    let events: Vec<String> = read.iter().map(|attempt| attempt.event.to_string()).collect();
    let attempts: Vec<Attempt<'_>> = read.iter().zip(&events).map(|(it, event)| attempt(it, event)).collect();
    let may_change = work.at.may_change("webhooks:manage");
    let stands = Filled::of(&webhook);
    // What somebody typed is theirs to send again, where they still may; what they look at is how things are.
    let filled = if may_change { stands.changed(work) } else { stands.clone() };
    let ((kinds, others), (told_of, _)) = (filled.kinds(), stands.kinds());
    let (shown, once, name) = (stands.carried(), work.once(), webhook.id.to_string());
    let line = line(&webhook, &name);
    let at = |moment: Timestamp| Moment(moment.seconds());
    let is_failing = matches!(line.state, State::Failing(_));
    let page = OneWebhook {
        desk: work.desk_of_form(Section::Webhooks, Finds::form_if(may_change)),
        webhook: line,
        kinds: &told_of,
        next_attempt: is_failing.then_some(at(webhook.next_attempt_at)),
        behind: webhook.behind > 0,
        both_until: webhook.previous_secret_until.filter(|until| *until > managing.now()).map(at),
        since: at(webhook.created_at),
        version: work.left.as_ref().map_or(webhook.version, |left| left.version("change", webhook.version)),
        stands: work.stands("change", work.is_proven(may_change).await?),
        fields: filled.view(&kinds, &others),
        shown: &shown,
        attempts: &attempts,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        // A field for days shows nothing else, and browsers complain about it.
        replay: work
            .left
            .as_ref()
            .and_then(|left| left.field("since"))
            .filter(|day| at_midnight(day).is_some())
            .unwrap_or_default(),
        may_change,
        may_replay: may_change && webhooks::may_replay(managing).is_ok(),
        once: &once,
    };
    Ok(work.answer(page.page(&work.frame())))
}

fn attempt<'a>(attempted: &'a ShownAttempt, event: &'a str) -> Attempt<'a> {
    Attempt {
        event,
        kind: &attempted.kind,
        status: attempted.status,
        came: match attempted.outcome {
            Followed::Told => Came::Told,
            Followed::Again => Came::Again,
            Followed::Paused => Came::Paused,
        },
        at: Moment(attempted.at.seconds()),
    }
}

/// Adds a webhook, and shows its secret.
pub(super) async fn add(work: &Work<'_>, form: &Pairs) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("add") {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    }
    // Whoever is told what happens here learns of it long after the session. What is wrong with the form is shown in it,
    // and it stands behind the proof.
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let wanted = match wanted(form) {
        Ok(wanted) => wanted,
        Err(said) => return Ok(Err(Trouble::Said(said))),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = acting.claiming(Some(claim.clone()));
    let managing = Managing::Organization(&acting);
    match webhooks::create(engine, managing, &wanted, Given::default()).await? {
        // Nothing that could fail comes between a secret that was made and the page that shows it.
        Ok(settled) => Ok(Ok(shown_once(work, settled))),
        Err(refusal) => Ok(match making::was_made(work, &claim).await? {
            Some(made) => Ok(made),
            None => Err(trouble(refusal, Said::NoMoreWebhooks)),
        }),
    }
}

/// Does what a form about one webhook asks for.
pub(super) async fn change(work: &Work<'_>, id: &str, form: &Pairs) -> Outcome {
    let (engine, id, here) = (work.engine(), named::<WebhookId>(id)?, work.here.clone());
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // What tells somebody more than before, or decides what they believe to come from here, takes a fresh proof.
        "change" | "rotate" | "resume" | "replay" => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let managing = match acting {
        Ok(acting) => Managing::Organization(acting),
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let (done, said) = match action {
        "change" => return settle(work, id, form).await,
        "rotate" => return rotate(work, id, form).await,
        "replay" => {
            let Some(since) = form.get("since").and_then(at_midnight) else {
                return Ok(Err(Trouble::Said(Said::BadSince)));
            };
            (webhooks::replay(engine, managing, id, since).await?.map(|_| ()), Said::WebhookReplayed)
        }
        "resume" => (webhooks::resume(engine, managing, id).await?.map(|_| ()), Said::WebhookResumed),
        "pause" => (webhooks::pause(engine, managing, id).await?.map(|_| ()), Said::WebhookPaused),
        "test" => (webhooks::test(engine, managing, id).await?, Said::WebhookTested),
        "remove" => (webhooks::remove(engine, managing, id).await?, Said::WebhookDeleted),
        _ => return Ok(Err(Trouble::Said(Said::NotPossible))),
    };
    let to = match said {
        Said::WebhookDeleted => format!("{}{}", work.place.front(), Section::Webhooks.path()),
        _ => here,
    };
    Ok(done.map(|()| Made::Done(Done { said, to })).map_err(|refusal| match refusal.code() {
        RefusalCode::Unprocessable => Trouble::Said(Said::BadSince),
        _ => Trouble::Refused(refusal, Said::IsPaused),
    }))
}

/// The version of the webhook that the page showed.
fn seen(form: &Pairs) -> i64 {
    form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Changes a webhook, if it is still as the page showed it.
async fn settle(work: &Work<'_>, id: WebhookId, form: &Pairs) -> Outcome {
    let (engine, managing) = (work.engine(), Managing::Organization(work.at.acting()));
    let before = match webhooks::changeable(engine, managing, id, seen(form)).await? {
        Ok(before) => before,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let wanted = match wanted(form) {
        Ok(wanted) => wanted,
        Err(said) => return Ok(Err(Trouble::Said(said))),
    };
    let done = webhooks::change(engine, managing, &before, &wanted).await?;
    let done = done.map(|_| Made::Done(Done { said: Said::WebhookChanged, to: work.here.clone() }));
    Ok(done.map_err(|refusal| trouble(refusal, Said::NotPossible)))
}

/// Gives a webhook another secret, and shows it.
async fn rotate(work: &Work<'_>, id: WebhookId, form: &Pairs) -> Outcome {
    let engine = work.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else { return Ok(Err(Trouble::Said(Said::NotPossible))) };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = work.at.acting().claiming(Some(claim.clone()));
    let managing = Managing::Organization(&acting);
    // Whoever does not know of a newer secret would end the one before it, which was promised to last.
    let rotated = match webhooks::changeable(engine, managing, id, seen(form)).await? {
        Ok(_) => webhooks::rotate(engine, managing, id, overlap).await?,
        Err(outrun) => Err(outrun),
    };
    match rotated {
        Ok(settled) => Ok(Ok(shown_once(work, settled))),
        Err(refusal) => Ok(match making::was_made(work, &claim).await? {
            Some(made) => Ok(made),
            None if refusal.code() == RefusalCode::Unprocessable => Err(Trouble::Said(Said::NotPossible)),
            None => Err(Trouble::Refused(refusal, Said::NotPossible)),
        }),
    }
}

/// The secret, on the answer itself: it is nowhere else any more.
fn shown_once(work: &Work<'_>, settled: Settled) -> Made {
    let (id, secret) = (settled.webhook.id.to_string(), settled.secret.reveal());
    let (desk, webhook) = (work.desk(Section::Webhooks), line(&settled.webhook, &id));
    let response: Response =
        work.answer(ShownSecret { desk, webhook, secret: &secret }.page(&work.reader.frame("")));
    Made::Shown(response)
}
