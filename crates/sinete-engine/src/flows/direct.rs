//! Where an authorization request goes on. Each time a step of its flow is done, the request is judged again with
//! what is true by then, and the flow is moved to what is still missing.

use super::{Found, people, read};
use crate::authorize::{self, Next};
use crate::sessions::SignedIn;
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::assurance::Evidence;
use sinete_core::flow::answer::{Answer, Direction};
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::{Choice, Stage};
use sinete_core::flow::{Flow, stored};
use sinete_store::flows::State;
use sinete_store::{Act, Document, flows, sessions};

/// The flow, moved on if what comes next was not asked yet.
pub(super) async fn direct(engine: &Engine, flow: Flow) -> Result<Flow, Failed> {
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
        let document = Document::of(&moved.flow)?;
        let state = State { document: &document, form: stored::FORM, account: moved.flow.account() };
        let step = flows::advance(id, version, state, &digest, engine.now());
        if engine.store().commit(Act::new().with(step)).await?.is_ok() {
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
    let evidence: Evidence = session.evidence.read()?;
    let assurance = session.assurance(&evidence, now);
    Ok(assurance.map(|assurance| SignedIn { session, evidence, assurance }))
}

/// What is still missing.
async fn direction(engine: &Engine, flow: &Flow) -> Result<Direction, Failed> {
    let Purpose::Authorize { asked, answers } = flow.purpose() else { return Err(Failed::Contended) };
    let signed_in = signed_in(engine, flow).await?;
    Ok(match (authorize::next(engine, asked, signed_in.as_ref(), answers).await?, signed_in) {
        (Next::SignIn(_), _) | (Next::StepUp(_), None) => Direction::SignIn,
        (Next::StepUp(step_up), Some(signed_in)) => {
            let session = &signed_in.session;
            Direction::StepUp {
                needs: step_up.needed,
                base: signed_in.evidence.lasting(session.authenticated_at, engine.now()),
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
        // Whatever it comes to is told where the request goes on.
        (Next::Grant(_) | Next::Refuse(_) | Next::Show(_), _) => Direction::Resume,
    })
}
