//! CIBA requests: what is stored, what is still missing, and the approval.

use super::channel::{AuthorizationResponseChannel, WaitingCibaClient};
use super::error::AuthorizationError;
use super::grant::GrantDraft;
use super::next_step::AuthorizationCheck;
use super::requesting_client::RequestingClient;
use super::{AuthorizationStep, InteractionAnswers, PendingAuthorization};
use crate::platform::email::EmailKind;
use crate::sign_in::sessions::ActiveSession;
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use serde::{Deserialize, Serialize};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{ApprovalRequestId, GrantId};
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::ciba::CibaBindingMessage;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{BackchannelRequest, Digest};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests;
use sinete_store::oauth::ciba_requests::CibaRequestRow;
use sinete_store::oauth::grants::StoredGrantKind;
use sinete_store::oauth::{clients, deferred_grants};
use std::sync::Arc;

/// A stored CIBA request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredCibaRequest {
    /// The authorization request.
    pub(crate) asked: PendingAuthorization,
    /// The origin of the client's request.
    pub(crate) from: DeviceDescription,
    /// The binding message.
    pub(crate) message: Option<CibaBindingMessage>,
}

/// Finds the pending request with this `auth_req_id`.
pub(crate) async fn find_pending_by_digest(
    engine: &Engine,
    digest: &Digest<BackchannelRequest>,
) -> Result<Option<(CibaRequestRow, StoredCibaRequest)>, Failure> {
    parse_pending(engine, ciba_requests::find_ciba_request(engine.store(), digest).await?)
}

/// Finds the pending request with this id.
pub(crate) async fn find_pending(
    engine: &Engine,
    id: &str,
) -> Result<(CibaRequestRow, StoredCibaRequest), Error> {
    let found = match id.parse::<ApprovalRequestId>() {
        Ok(id) => ciba_requests::find_ciba_request_by_id(engine.store(), id).await?,
        Err(_) => None,
    };
    Ok(parse_pending(engine, found)?
        .ok_or_else(|| Refusal::because(OAuthRefusal::ApprovalNotFound, "no request that waits"))?)
}

fn parse_pending(
    engine: &Engine,
    found: Option<CibaRequestRow>,
) -> Result<Option<(CibaRequestRow, StoredCibaRequest)>, Failure> {
    let waits = |request: &CibaRequestRow| {
        let is_open = request.state == deferred_grants::DeferredGrantState::Waiting
            && request.expires_at > engine.now();
        is_open && request.account.is_some()
    };
    let Some(request) = found.filter(waits) else { return Ok(None) };
    let kept = request.request.parse()?;
    Ok(Some((request, kept)))
}

/// The next step of a CIBA request. Errors are reported to the user and to the client.
pub(super) async fn next_ciba_step(
    engine: &Engine,
    applicant: &RequestingClient,
    (asked, digest): (&PendingAuthorization, Digest<BackchannelRequest>),
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    let found = find_pending_by_digest(engine, &digest).await?;
    let Some((account, request, kept)) =
        found.and_then(|(request, kept)| Some((request.account?, request, kept)))
    else {
        let text = "the request does not wait for an answer any more";
        return Ok(AuthorizationStep::Deny((AuthorizationErrorCode::InvalidRequest, text)));
    };
    let wish = match AuthorizationParams::parse_ciba_request(&asked.raw_params()) {
        Ok(wish) => wish,
        Err(wrong) => return Ok(AuthorizationStep::Deny(wrong)),
    };
    let via = AuthorizationResponseChannel::Backchannel(WaitingCibaClient {
        digest,
        account,
        device: kept.from,
        asked_at: request.created_at,
        message: kept.message,
    });
    match (AuthorizationCheck {
        engine,
        client: applicant,
        memberships: None,
        params: Arc::new(wish),
        channel: Arc::new(via),
        answers,
    })
    .next_step(signed_in)
    .await
    {
        Ok(next) => Ok(next),
        Err(AuthorizationError::Failed(failed)) => Err(failed),
        Err(AuthorizationError::Refused(wrong)) => Ok(AuthorizationStep::Deny(wrong)),
    }
}

impl GrantDraft {
    /// The batch that turns the approval into a grant. The user is notified, so that an approval obtained by
    /// deception can be revoked.
    pub(crate) async fn approve_ciba_request(
        &self,
        engine: &Engine,
        cause: &EventCause,
    ) -> Result<WriteBatch, Failure> {
        let AuthorizationResponseChannel::Backchannel(WaitingCibaClient { digest, .. }) = &*self.channel
        else {
            return Err(Failure::Contended);
        };
        let now = engine.now();
        let grant = GrantId::mint(now, &engine.id_entropy());
        let (person, member) = (
            SecurityEventActor::Account(self.session.account),
            SecurityEventActor::Membership(self.membership),
        );
        let approved = self.event(engine, EventKind::ApprovalGiven, person, cause);
        let given = self.event(engine, EventKind::GrantGiven, member, cause);
        let act = WriteBatch::new()
            .with_statement(self.open_grant(grant, StoredGrantKind::Backchannel, None, now)?)
            .with_statement(ciba_requests::approve_ciba_request(digest, grant, now))
            .with_event(&approved.with_subject("membership", self.membership))
            .with_event(&given.with_subject("grant", grant).with_detail("kind", "backchannel"));
        let client = clients::find_client(engine.store(), &self.client).await?;
        let application = client.map(|client| client.name).unwrap_or_default();
        let about = EmailKind::RequestApproved { application: &application, asked: &self.device_sighting() };
        sign_in_alerts::notify_owner(engine, act, self.session.account, about).await
    }
}
