//! Deferred grants (device authorization and CIBA) at the user's side: what is stored, what is still missing,
//! and the user's decision.

use super::channel::{AuthorizationResponseChannel, PollingClient};
use super::error::AuthorizationError;
use super::grant::GrantDraft;
use super::next_step::AuthorizationCheck;
use super::requesting_client::ActiveClient;
use super::{AuthorizationStep, InteractionAnswers, PendingAuthorization};
use crate::platform::email::{EmailKind, SignInDetails};
use crate::sign_in::sessions::ActiveSession;
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use serde::{Deserialize, Serialize};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{ApprovalRequestId, GrantId};
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::ciba::CibaBindingMessage;
use sinete_core::oauth::grants::deferred::{DeferredGrantDigest, DeferredGrantKind};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests::CibaRequestRow;
use sinete_store::oauth::deferred_grants::DeferredGrantRow;
use sinete_store::oauth::grants::StoredGrantKind;
use sinete_store::oauth::{ciba_requests, deferred_grants};
use std::sync::Arc;

/// The stored request of a deferred grant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredDeferredRequest {
    /// The authorization request.
    #[serde(rename = "asked")]
    pub(crate) authorization: PendingAuthorization,
    /// The origin of the client's request.
    pub(crate) from: DeviceDescription,
    /// The binding message of a CIBA request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<CibaBindingMessage>,
}

/// Finds the pending request of a client that polls with the code of this digest.
pub(crate) async fn find_pending_request(
    engine: &Engine,
    digest: DeferredGrantDigest,
) -> Result<Option<(DeferredGrantRow, StoredDeferredRequest)>, Failure> {
    let grant = deferred_grants::find_deferred_grant(engine.store(), digest).await?;
    let Some(request) = grant.filter(|request| request.is_pending(engine.now())) else { return Ok(None) };
    let stored = request.request.parse()?;
    Ok(Some((request, stored)))
}

/// Finds the pending CIBA request with this id.
pub(crate) async fn find_pending_ciba_request(
    engine: &Engine,
    id: &str,
) -> Result<(CibaRequestRow, StoredDeferredRequest), Error> {
    let ciba_request = match id.parse::<ApprovalRequestId>() {
        Ok(id) => ciba_requests::find_ciba_request_by_id(engine.store(), id).await?,
        Err(_) => None,
    };
    let Some(request) = ciba_request.filter(|request| request.deferred.is_pending(engine.now())) else {
        return Err(Refusal::because(OAuthRefusal::ApprovalNotFound, "no request that waits").into());
    };
    let stored = request.deferred.request.parse().map_err(Failure::from)?;
    Ok((request, stored))
}

/// The next step of a deferred grant. Errors are reported to the user and to the client.
pub(super) async fn next_deferred_step(
    engine: &Engine,
    client: &ActiveClient,
    pending: &PendingAuthorization,
    digest: DeferredGrantDigest,
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    let Some((request, stored)) = find_pending_request(engine, digest).await? else {
        let text =
            "The request was answered or has expired. Start again on the device or in the application.";
        return Ok(AuthorizationStep::Deny((AuthorizationErrorCode::InvalidRequest, text.into())));
    };
    let params = match AuthorizationParams::parse_deferred_request(digest.kind(), &pending.raw_params()) {
        Ok(params) => params,
        Err(wrong) => return Ok(AuthorizationStep::Deny(wrong)),
    };
    let channel = AuthorizationResponseChannel::Deferred(PollingClient {
        digest,
        account: request.named_account(),
        device: stored.from,
        requested_at: request.created_at,
        message: stored.message,
    });
    let check = AuthorizationCheck {
        engine,
        client,
        memberships: None,
        params: Arc::new(params),
        channel: Arc::new(channel),
        answers,
    };
    match check.next_step(signed_in).await {
        Ok(next) => Ok(next),
        Err(AuthorizationError::Failed(failed)) => Err(failed),
        Err(AuthorizationError::Refused(wrong)) => Ok(AuthorizationStep::Deny(wrong)),
    }
}

impl GrantDraft {
    /// The batch that turns the approval into a grant. The user is notified, so that an approval obtained by
    /// deception can be revoked.
    pub(crate) async fn approve_deferred_grant(
        &self,
        engine: &Engine,
        cause: &EventCause,
    ) -> Result<WriteBatch, Failure> {
        let AuthorizationResponseChannel::Deferred(polling_client) = &*self.channel else {
            return Err(Failure::Contended);
        };
        let (now, kind) = (engine.now(), polling_client.digest.kind());
        let (stored_kind, log_name) = match kind {
            DeferredGrantKind::DeviceAuthorization => (StoredGrantKind::Device, "device"),
            DeferredGrantKind::Ciba => (StoredGrantKind::Backchannel, "backchannel"),
        };
        let grant = GrantId::mint(now, &engine.id_entropy());
        let (event_actor, member) = (
            SecurityEventActor::Account(self.session.account),
            SecurityEventActor::Membership(self.membership),
        );
        let approved = self.event(engine, kind.events().approved, event_actor, cause);
        let event = self.event(engine, EventKind::GrantGiven, member, cause);
        let batch = WriteBatch::new()
            .with_statement(self.open_grant(grant, stored_kind, None, now)?)
            .with_statement(deferred_grants::approve_deferred_grant(polling_client.digest, grant, now))
            .with_event(&approved.with_subject("membership", self.membership))
            .with_event(&event.with_subject("grant", grant).with_detail("kind", log_name));
        let client = ActiveClient::find(engine, &self.client).await?;
        let application = client.map(|client| client.client.client.name.clone()).unwrap_or_default();
        let details = SignInDetails::from_description(&polling_client.device, polling_client.requested_at);
        let email_kind = match kind {
            DeferredGrantKind::DeviceAuthorization => {
                EmailKind::DeviceAllowed { application: &application, request_details: &details }
            }
            DeferredGrantKind::Ciba => {
                EmailKind::RequestApproved { application: &application, request_details: &details }
            }
        };
        sign_in_alerts::notify_owner(engine, batch, self.session.account, email_kind).await
    }
}
