//! Where an authorization request goes on. Each time a step of its flow is done, the request is judged again with
//! what is true by then, and the flow is moved to what is still missing.

use super::{Found, people, read};
use crate::authorize::{self, Next};
use crate::sessions::SignedIn;
use crate::{ATTEMPTS_MAX, Cause, Engine, Failed};
use sinete_core::authorize::asked::Arrival;
use sinete_core::authorize::response::AuthorizationError;
use sinete_core::flow::answer::{Answer, Direction};
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::{Choice, Stage};
use sinete_core::flow::{Flow, stored};
use sinete_core::secret::Digest;
use sinete_core::security::event::{Actor, EventKind, Origin};
use sinete_store::flows::State;
use sinete_store::{Act, Document, approval_requests, device_requests, flows, sessions};

/// Why a flow is moved on.
#[derive(Clone, Copy)]
pub(super) enum Since<'a> {
    /// Somebody opened it or looks at it, which changes nothing about what is asked.
    Opened,
    /// Somebody said something in it, from here.
    Answered(&'a Origin),
}

/// The flow, moved on if what comes next was not asked yet. Whoever waits for an answer that cannot be given is told so, once
/// somebody said something.
pub(super) async fn direct(engine: &Engine, flow: Flow, since: Since<'_>) -> Result<Flow, Failed> {
    if *flow.stage() != Stage::Deciding {
        return Ok(flow);
    }
    let id = flow.id();
    for _ in 0..ATTEMPTS_MAX {
        let stored = flows::find(engine.store(), id).await?.ok_or(Failed::Contended)?;
        let Found { flow, digest, version, .. } = read(id, stored)?;
        if *flow.stage() != Stage::Deciding {
            return Ok(flow);
        }
        let direction = direction(engine, &flow).await?;
        let moved = flow.step(Answer::Directed(Box::new(direction))).map_err(|_| Failed::Contended)?;
        let act = match moved.flow.stage() {
            Stage::Refused { error, .. } => refused(engine, &moved.flow, (version, error), since).await?,
            _ => {
                let document = Document::of(&moved.flow)?;
                let state = State { document: &document, form: stored::FORM, account: moved.flow.account() };
                Act::new().with(flows::advance(id, version, state, &digest, engine.now()))
            }
        };
        if engine.store().commit(act).await?.is_ok() {
            return Ok(moved.flow);
        }
    }
    Err(Failed::Contended)
}

/// Who is signed in where the flow stands, if their session counts.
pub(crate) async fn signed_in(engine: &Engine, flow: &Flow) -> Result<Option<SignedIn>, Failed> {
    let Some(id) = flow.session() else { return Ok(None) };
    let now = engine.now();
    let Some(session) = sessions::find_by_id(engine.store(), id, now).await? else { return Ok(None) };
    let evidence = session.proven()?;
    let assurance = session.assurance(&evidence, now);
    Ok(assurance.map(|assurance| SignedIn { session, evidence, assurance }))
}

/// What is still missing.
async fn direction(engine: &Engine, flow: &Flow) -> Result<Direction, Failed> {
    let signed_in = signed_in(engine, flow).await?;
    let (asked, answers) = match flow.purpose() {
        Purpose::Authorize { asked, answers } | Purpose::ApproveRequest { asked, answers } => {
            (asked, answers)
        }
        Purpose::ConfirmDevice { asked: Some(asked), answers, .. } => (asked, answers),
        // A code is typed by somebody who is signed in, and by nobody else.
        Purpose::ConfirmDevice { asked: None, .. } => {
            return Ok(if signed_in.is_some() { Direction::UserCode } else { Direction::SignIn });
        }
        _ => return Err(Failed::Contended),
    };
    let refuse = |error: AuthorizationError, description: String| Direction::Refuse {
        error: error.as_str().to_owned(),
        description,
    };
    Ok(match (authorize::next(engine, asked, signed_in.as_ref(), answers).await?, signed_in) {
        (Next::SignIn(_), _) | (Next::StepUp(_), None) => Direction::SignIn,
        (Next::StepUp(step_up), Some(signed_in)) => {
            let session = &signed_in.session;
            Direction::StepUp {
                needs: step_up.needed,
                base: signed_in.evidence.lasting(engine.now()),
                person: people::person(engine, session.account).await?,
            }
        }
        (Next::ChooseOrganization(choices), _) => {
            let choice = |it: authorize::Choice| Choice { organization: it.id, slug: it.slug, name: it.name };
            Direction::ChooseOrganization(choices.into_iter().map(choice).collect())
        }
        (Next::Consent(question), _) => {
            let shown = serde_json::to_value(&*question);
            Direction::Consent {
                agreement: question.agreement,
                question: shown.map_err(|_| Failed::Contended)?,
            }
        }
        (Next::Deny((error, description)), _) => refuse(error, description.to_owned()),
        (Next::Show(why), _) if flow.kind().is_answered_elsewhere() => {
            refuse(AuthorizationError::AccessDenied, why.to_string())
        }
        // Whatever it comes to is told where the request goes on.
        (Next::Grant(_) | Next::Refuse(_) | Next::Show(_), _) => Direction::Resume,
    })
}

/// The act in which a flow ends because whoever is signed in cannot allow what is asked for from elsewhere. Whoever waits
/// there is told, unless it was somebody else who was asked, or nobody said anything.
async fn refused(
    engine: &Engine,
    flow: &Flow,
    (version, error): (i64, &str),
    since: Since<'_>,
) -> Result<Act, Failed> {
    let act = Act::new().with(flows::finish(flow.id(), version, engine.now()));
    let (Some(asked), Since::Answered(origin)) = (flow.purpose().asked(), since) else { return Ok(act) };
    let account = signed_in(engine, flow).await?.map(|signed_in| signed_in.session.account);
    let (denied, kind) = match asked.arrival {
        Arrival::Device(digest) => {
            let digest = Digest::from_bytes(digest);
            let waits = authorize::device::waiting(engine, &digest).await?.is_some();
            (waits.then(|| device_requests::deny(&digest, engine.now())), EventKind::DeviceDenied)
        }
        Arrival::Backchannel(digest) => {
            let digest = Digest::from_bytes(digest);
            let waits = authorize::approval::waiting(engine, &digest).await?;
            let theirs = waits.and_then(|(request, _)| request.account).filter(|it| Some(*it) == account);
            let denied = theirs.map(|account| approval_requests::deny(&digest, account, engine.now()));
            (denied, EventKind::ApprovalDenied)
        }
        Arrival::Browser | Arrival::Pushed(_) => return Ok(act),
    };
    let Some(denied) = denied else { return Ok(act) };
    let actor = account.map_or(Actor::Anonymous, Actor::Account);
    let cause = Cause { actor, origin: origin.clone() };
    let event = engine.event(kind, &cause, engine.now()).through(asked.client.clone());
    let event = account.into_iter().fold(event, |event, account| event.about("account", account));
    Ok(act.with(denied).record(&event.with("because", error.to_owned())))
}
