//! What applications ask a person to approve: what waits, what it is, and the answer.

use super::{Oneself, no_such_thing};
use crate::authorize::approval::{self, Kept};
use crate::authorize::{self, Answers, AskingDevice, Decided, Next, Question};
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::id::{ApprovalRequestId, OrganizationId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::EventKind;
use sinete_store::approval_requests::{self, ApprovalRequest};
use sinete_store::{Act, clients};

/// A request that waits for the person's answer.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// By which it is answered.
    pub request: ApprovalRequest,
    /// What the application calls itself.
    pub application: String,
    /// What it asks the person to compare.
    pub binding_message: Option<String>,
    /// What it asks for.
    pub scope: Option<String>,
    /// Where, if it names that.
    pub resource: Option<String>,
    /// From where it asked.
    pub from: AskingDevice,
}

/// What a person sees of one request.
#[derive(Debug)]
pub struct Look {
    /// The request.
    pub waiting: Waiting,
    /// How they may answer it.
    pub answer: Answerable,
}

/// How a request may be answered.
#[derive(Debug)]
pub enum Answerable {
    /// This is the question.
    Now(Box<Question>),
    /// In one of these organizations, which is chosen first.
    Choosing(Vec<authorize::Choice>),
    /// After proving more, or in another way.
    ProvingMore,
    /// They cannot approve it, for this reason.
    Never(&'static str),
}

/// What waits for this person, oldest first.
pub async fn list(engine: &Engine, oneself: &Oneself) -> Result<Vec<Waiting>, Failed> {
    let mut all = Vec::new();
    for request in approval_requests::waiting_for(engine.store(), oneself.account(), oneself.now()).await? {
        // One that another version wrote does not take the others away.
        match request.request.read::<Kept>() {
            Ok(kept) => all.push(shown(engine, request, &kept).await?),
            Err(error) => tracing::warn!(id = %request.id, %error, "a request for approval cannot be read"),
        }
    }
    Ok(all)
}

/// One of them, with the question as far as it can be asked.
pub async fn look(
    engine: &Engine,
    oneself: &Oneself,
    id: ApprovalRequestId,
    organization: Option<OrganizationId>,
) -> Result<Result<Look, Refusal>, Failed> {
    let (request, kept) = match theirs(engine, oneself, id).await? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let answers = Answers { organization, ..Answers::default() };
    let answer = match authorize::next(engine, &kept.asked, Some(&oneself.signed_in), &answers).await? {
        Next::Consent(question) => Answerable::Now(question),
        Next::ChooseOrganization(choices) => Answerable::Choosing(choices),
        Next::SignIn(_) | Next::StepUp(_) => Answerable::ProvingMore,
        Next::Deny((_, why)) => Answerable::Never(why),
        Next::Grant(_) | Next::Refuse(_) | Next::Show(_) => {
            Answerable::Never("the application may not ask any more")
        }
    };
    Ok(Ok(Look { waiting: shown(engine, request, &kept).await?, answer }))
}

/// Approves it, for exactly what is asked, if the session proves enough.
pub async fn approve(
    engine: &Engine,
    oneself: &Oneself,
    id: ApprovalRequestId,
    organization: Option<OrganizationId>,
) -> Result<Result<(), Refusal>, Failed> {
    for _ in 0..ATTEMPTS_MAX {
        let (request, kept) = match theirs(engine, oneself, id).await? {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (signed_in, answers) = (&oneself.signed_in, Answers { organization, ..Answers::default() });
        let question = match authorize::next(engine, &kept.asked, Some(signed_in), &answers).await? {
            Next::Consent(question) => question,
            Next::Deny((_, why)) => return cannot(engine, oneself, &request, why).await,
            otherwise => return Ok(Err(first(&otherwise))),
        };
        let answers = Answers { consent: Some(Decided::Agreed(question.agreement)), ..answers };
        let granting = match authorize::next(engine, &kept.asked, Some(signed_in), &answers).await? {
            Next::Grant(granting) => granting,
            Next::Deny((_, why)) => return cannot(engine, oneself, &request, why).await,
            otherwise => return Ok(Err(first(&otherwise))),
        };
        let act = granting.to_approval(engine, &oneself.cause).await?;
        if engine.store().commit(act).await?.is_ok() {
            return Ok(Ok(()));
        }
    }
    Err(Failed::Contended)
}

/// Denies it. Any session of the person will do: nobody needs to prove much to say no.
pub async fn deny(
    engine: &Engine,
    oneself: &Oneself,
    id: ApprovalRequestId,
) -> Result<Result<(), Refusal>, Failed> {
    for _ in 0..ATTEMPTS_MAX {
        let (request, _) = match theirs(engine, oneself, id).await? {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if engine.store().commit(denying(engine, oneself, &request, None)).await?.is_ok() {
            return Ok(Ok(()));
        }
    }
    Err(Failed::Contended)
}

/// The request of this id, if it waits for this very person.
async fn theirs(
    engine: &Engine,
    oneself: &Oneself,
    id: ApprovalRequestId,
) -> Result<Result<(ApprovalRequest, Kept), Refusal>, Failed> {
    let found = approval::find(engine, &id.to_string()).await?;
    Ok(found.and_then(|(request, kept)| match request.account {
        Some(account) if account == oneself.account() => Ok((request, kept)),
        Some(_) | None => Err(no_such_thing("somebody else is asked")),
    }))
}

fn denying(engine: &Engine, oneself: &Oneself, request: &ApprovalRequest, why: Option<&str>) -> Act {
    let event = oneself
        .event(engine, EventKind::ApprovalDenied)
        .about("account", oneself.account())
        .through(request.client.clone());
    let event = why.into_iter().fold(event, |event, why| event.with("because", why));
    Act::new().with(approval_requests::deny(&request.digest, oneself.account(), oneself.now())).record(&event)
}

/// The person cannot approve it: the application is told no rather than left to wait.
async fn cannot(
    engine: &Engine,
    oneself: &Oneself,
    request: &ApprovalRequest,
    why: &'static str,
) -> Result<Result<(), Refusal>, Failed> {
    // A conflict means that it was answered meanwhile, and that answer stands.
    let _ = engine.store().commit(denying(engine, oneself, request, Some(why))).await?;
    Ok(Err(Refusal::new(RefusalCode::Forbidden, why, "the person cannot approve it")))
}

/// What has to be done before it can be approved.
fn first(next: &Next) -> Refusal {
    match next {
        Next::StepUp(step_up) => {
            let public = "prove more in this session before approving";
            let refusal =
                Refusal::new(RefusalCode::InsufficientAuthentication, public, "a step-up is needed");
            refusal.needing(step_up.needed)
        }
        Next::ChooseOrganization(_) => {
            let public = "say in which organization: organization is missing";
            Refusal::new(RefusalCode::Unprocessable, public, "several organizations")
        }
        Next::SignIn(_) => {
            let public = "sign in again, in a way that the organization accepts";
            Refusal::new(RefusalCode::InsufficientAuthentication, public, "another sign-in is needed")
        }
        Next::Consent(_) | Next::Grant(_) | Next::Refuse(_) | Next::Deny(_) | Next::Show(_) => {
            Refusal::new(RefusalCode::Conflict, "what is asked has changed: look again", "changed meanwhile")
        }
    }
}

async fn shown(engine: &Engine, request: ApprovalRequest, kept: &Kept) -> Result<Waiting, Failed> {
    let client = clients::find(engine.store(), &request.client).await?;
    let said = |name: &str| kept.asked.parameter(name).map(str::to_owned);
    Ok(Waiting {
        application: client.map(|client| client.name).unwrap_or_default(),
        binding_message: kept.message.as_ref().map(|message| message.as_str().to_owned()),
        scope: said("scope"),
        resource: said("resource"),
        from: AskingDevice::of(&kept.from, request.created_at),
        request,
    })
}
