//! Clients that ask for somebody's approval (OpenID CIBA): what they left with us, what is still missing before they get
//! it, and what the person's yes becomes.

use super::applicant::Applicant;
use super::complete::Granting;
use super::via::{Approving, Via};
use super::walk::Walk;
use super::wanted::Halt;
use super::{Answers, Asked, Next};
use crate::letters::About;
use crate::sessions::SignedIn;
use crate::{Cause, Engine, Failed, watch};
use serde::{Deserialize, Serialize};
use sinete_core::authorize::approval::BindingMessage;
use sinete_core::authorize::response::AuthorizationError;
use sinete_core::authorize::wish::Wish;
use sinete_core::id::{ApprovalRequestId, GrantId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{BackchannelRequest, Digest};
use sinete_core::security::event::{Actor, EventKind};
use sinete_core::session::device::Description;
use sinete_store::approval_requests::{self, ApprovalRequest};
use sinete_store::grants::Kind;
use sinete_store::{Act, clients, pending};
use std::sync::Arc;

/// What is kept of a request until somebody answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// What is asked for.
    pub(crate) asked: Asked,
    /// From where the client asked.
    pub(crate) from: Description,
    /// What the person compares.
    pub(crate) message: Option<BindingMessage>,
}

/// The request of this client, if somebody was asked and has not answered.
pub(crate) async fn waiting(
    engine: &Engine,
    digest: &Digest<BackchannelRequest>,
) -> Result<Option<(ApprovalRequest, Kept)>, Failed> {
    opened(engine, approval_requests::find(engine.store(), digest).await?)
}

/// The request of this id, if somebody was asked and has not answered.
pub(crate) async fn find(
    engine: &Engine,
    id: &str,
) -> Result<Result<(ApprovalRequest, Kept), Refusal>, Failed> {
    let found = match id.parse::<ApprovalRequestId>() {
        Ok(id) => approval_requests::find_by_id(engine.store(), id).await?,
        Err(_) => None,
    };
    Ok(opened(engine, found)?.ok_or_else(|| {
        let public = "there is no such request: it was answered, is too old, or was never made";
        Refusal::new(RefusalCode::NotFound, public, "no request that waits")
    }))
}

fn opened(
    engine: &Engine,
    found: Option<ApprovalRequest>,
) -> Result<Option<(ApprovalRequest, Kept)>, Failed> {
    let waits = |request: &ApprovalRequest| {
        let is_open = request.state == pending::State::Waiting && request.expires_at > engine.now();
        is_open && request.account.is_some()
    };
    let Some(request) = found.filter(waits) else { return Ok(None) };
    let kept = request.request.read()?;
    Ok(Some((request, kept)))
}

/// What happens next with the request of a client. Whatever is wrong with it is told to the person and to the client.
pub(super) async fn next(
    engine: &Engine,
    applicant: &Applicant,
    (asked, digest): (&Asked, Digest<BackchannelRequest>),
    signed_in: Option<&SignedIn>,
    answers: &Answers,
) -> Result<Next, Failed> {
    let found = waiting(engine, &digest).await?;
    let Some((account, request, kept)) =
        found.and_then(|(request, kept)| Some((request.account?, request, kept)))
    else {
        let text = "the request does not wait for an answer any more";
        return Ok(Next::Deny((AuthorizationError::InvalidRequest, text)));
    };
    let wish = match Wish::of_approval(&asked.parameters()) {
        Ok(wish) => wish,
        Err(wrong) => return Ok(Next::Deny(wrong)),
    };
    let via = Via::Backchannel(Approving {
        digest,
        account,
        from: kept.from,
        asked_at: request.created_at,
        message: kept.message,
    });
    match (Walk { engine, applicant, person: None, wish: Arc::new(wish), via: Arc::new(via), answers })
        .on(signed_in)
        .await
    {
        Ok(next) => Ok(next),
        Err(Halt::Failed(failed)) => Err(failed),
        Err(Halt::Wrong(wrong)) => Ok(Next::Deny(wrong)),
    }
}

impl Granting {
    /// The act in which the person's yes becomes a grant that the client can be handed. They are told, so that whoever was
    /// talked into it can still take it back.
    pub(crate) async fn to_approval(&self, engine: &Engine, cause: &Cause) -> Result<Act, Failed> {
        let Via::Backchannel(Approving { digest, .. }) = &*self.via else { return Err(Failed::Contended) };
        let now = engine.now();
        let grant = GrantId::mint(now, &engine.ids());
        let (person, member) = (Actor::Account(self.session.account), Actor::Membership(self.membership));
        let approved = self.event(engine, EventKind::ApprovalGiven, person, cause);
        let given = self.event(engine, EventKind::GrantGiven, member, cause);
        let act = Act::new()
            .with(self.opens(grant, Kind::Backchannel, None, now)?)
            .with(approval_requests::approve(digest, grant, now))
            .record(&approved.about("membership", self.membership))
            .record(&given.about("grant", grant).with("kind", "backchannel"));
        let client = clients::find(engine.store(), &self.client).await?;
        let application = client.map(|client| client.name).unwrap_or_default();
        let about = About::RequestApproved { application: &application, asked: &self.asking_device() };
        watch::tell(engine, act, self.session.account, about).await
    }
}
