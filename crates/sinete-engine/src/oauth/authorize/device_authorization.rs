//! Device authorization (RFC 8628): what is stored, what is still missing, and the user's decision.

use super::channel::{AuthorizationResponseChannel, WaitingCibaClient, WaitingDevice};
use super::error::AuthorizationError;
use super::grant::GrantDraft;
use super::next_step::AuthorizationCheck;
use super::requesting_client::RequestingClient;
use super::{AuthorizationStep, InteractionAnswers, PendingAuthorization};
use crate::platform::email::SignInSighting;
use crate::sign_in::sessions::ActiveSession;
use crate::{Engine, EventCause, Failure};
use serde::{Deserialize, Serialize};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::GrantId;
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::secret::{DeviceCode, Digest};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_store::WriteBatch;
use sinete_store::oauth::deferred_grants;
use sinete_store::oauth::device_authorizations;
use sinete_store::oauth::device_authorizations::DeviceAuthorizationRow;
use sinete_store::oauth::grants::StoredGrantKind;
use std::sync::Arc;

/// A stored device authorization.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredDeviceRequest {
    /// The authorization request.
    pub(crate) asked: PendingAuthorization,
    /// The device and its location.
    pub(crate) from: DeviceDescription,
}

/// Finds the pending device authorization with this device code.
pub(crate) async fn find_pending_by_digest(
    engine: &Engine,
    digest: &Digest<DeviceCode>,
) -> Result<Option<(DeviceAuthorizationRow, StoredDeviceRequest)>, Failure> {
    let found = device_authorizations::find_device_authorization(engine.store(), digest).await?;
    let waits = |request: &DeviceAuthorizationRow| {
        request.state == deferred_grants::DeferredGrantState::Waiting && request.expires_at > engine.now()
    };
    let Some(request) = found.filter(waits) else { return Ok(None) };
    let kept = request.request.parse()?;
    Ok(Some((request, kept)))
}

/// The next step of a device authorization. Errors are reported to the user and to the device.
pub(super) async fn next_device_step(
    engine: &Engine,
    applicant: &RequestingClient,
    (asked, digest): (&PendingAuthorization, Digest<DeviceCode>),
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    let Some((request, kept)) = find_pending_by_digest(engine, &digest).await? else {
        let text = "the device does not wait for an answer any more";
        return Ok(AuthorizationStep::Deny((AuthorizationErrorCode::InvalidRequest, text)));
    };
    let wish = match AuthorizationParams::parse_device_request(&asked.raw_params()) {
        Ok(wish) => wish,
        Err(wrong) => return Ok(AuthorizationStep::Deny(wrong)),
    };
    let via = AuthorizationResponseChannel::Device(WaitingDevice {
        digest,
        device: kept.from,
        asked_at: request.created_at,
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
    /// The requesting device, as shown in messages.
    pub(crate) fn device_sighting(&self) -> SignInSighting {
        match &*self.channel {
            AuthorizationResponseChannel::Browser(_) => SignInSighting::default(),
            AuthorizationResponseChannel::Device(WaitingDevice { device: from, asked_at, .. })
            | AuthorizationResponseChannel::Backchannel(WaitingCibaClient {
                device: from, asked_at, ..
            }) => SignInSighting::from_description(from, *asked_at),
        }
    }

    /// The batch that turns the approval into a grant.
    pub(crate) fn approve_device_request(
        &self,
        engine: &Engine,
        cause: &EventCause,
    ) -> Result<WriteBatch, Failure> {
        let AuthorizationResponseChannel::Device(WaitingDevice { digest, .. }) = &*self.channel else {
            return Err(Failure::Contended);
        };
        let now = engine.now();
        let grant = GrantId::mint(now, &engine.id_entropy());
        let (person, member) = (
            SecurityEventActor::Account(self.session.account),
            SecurityEventActor::Membership(self.membership),
        );
        let allowed = self.event(engine, EventKind::DeviceAllowed, person, cause);
        let given = self.event(engine, EventKind::GrantGiven, member, cause);
        Ok(WriteBatch::new()
            .with_statement(self.open_grant(grant, StoredGrantKind::Device, None, now)?)
            .with_statement(device_authorizations::approve_device_authorization(digest, grant, now))
            .with_event(&allowed.with_subject("membership", self.membership))
            .with_event(&given.with_subject("grant", grant).with_detail("kind", "device")))
    }
}
