//! Devices that ask for somebody's authorization (RFC 8628): what they left with us, what is still missing before they get
//! it, and the two answers a person can give.

use super::applicant::Applicant;
use super::complete::Granting;
use super::via::{Approving, Via, Waiting};
use super::walk::Walk;
use super::wanted::Halt;
use super::{Answers, Asked, Next};
use crate::letters::Seen;
use crate::sessions::SignedIn;
use crate::{Cause, Engine, Failed};
use serde::{Deserialize, Serialize};
use sinete_core::authorize::response::AuthorizationError;
use sinete_core::authorize::wish::Wish;
use sinete_core::id::GrantId;
use sinete_core::secret::{DeviceCode, Digest};
use sinete_core::security::event::{Actor, EventKind};
use sinete_core::session::device::Description;
use sinete_store::device_requests::{self, DeviceRequest};
use sinete_store::grants::Kind;
use sinete_store::{Act, pending};
use std::sync::Arc;

/// What is kept of a request until somebody answers.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    /// What is asked for.
    pub(crate) asked: Asked,
    /// Which device it is, and from where it asked.
    pub(crate) from: Description,
}

/// The request of this device, if it still waits for an answer.
pub(crate) async fn waiting(
    engine: &Engine,
    digest: &Digest<DeviceCode>,
) -> Result<Option<(DeviceRequest, Kept)>, Failed> {
    let found = device_requests::find(engine.store(), digest).await?;
    let waits = |request: &DeviceRequest| {
        request.state == pending::State::Waiting && request.expires_at > engine.now()
    };
    let Some(request) = found.filter(waits) else { return Ok(None) };
    let kept = request.request.read()?;
    Ok(Some((request, kept)))
}

/// What happens next with the request of a device. Whatever is wrong with it is told to the person and to the device.
pub(super) async fn next(
    engine: &Engine,
    applicant: &Applicant,
    (asked, digest): (&Asked, Digest<DeviceCode>),
    signed_in: Option<&SignedIn>,
    answers: &Answers,
) -> Result<Next, Failed> {
    let Some((request, kept)) = waiting(engine, &digest).await? else {
        let text = "the device does not wait for an answer any more";
        return Ok(Next::Deny((AuthorizationError::InvalidRequest, text)));
    };
    let wish = match Wish::of_device(&asked.parameters()) {
        Ok(wish) => wish,
        Err(wrong) => return Ok(Next::Deny(wrong)),
    };
    let via = Via::Device(Waiting { digest, from: kept.from, asked_at: request.created_at });
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
    /// Whoever asked from elsewhere, as the person is told of it.
    pub(crate) fn asking_device(&self) -> Seen {
        match &*self.via {
            Via::Browser(_) => Seen::default(),
            Via::Device(Waiting { from, asked_at, .. })
            | Via::Backchannel(Approving { from, asked_at, .. }) => Seen::of(from, *asked_at),
        }
    }

    /// The act in which the person's yes becomes a grant that the device can be handed.
    pub(crate) fn to_device(&self, engine: &Engine, cause: &Cause) -> Result<Act, Failed> {
        let Via::Device(Waiting { digest, .. }) = &*self.via else { return Err(Failed::Contended) };
        let now = engine.now();
        let grant = GrantId::mint(now, &engine.ids());
        let (person, member) = (Actor::Account(self.session.account), Actor::Membership(self.membership));
        let allowed = self.event(engine, EventKind::DeviceAllowed, person, cause);
        let given = self.event(engine, EventKind::GrantGiven, member, cause);
        Ok(Act::new()
            .with(self.opens(grant, Kind::Device, None, now)?)
            .with(device_requests::approve(digest, grant, now))
            .record(&allowed.about("membership", self.membership))
            .record(&given.about("grant", grant).with("kind", "device")))
    }
}
