//! A device asks whether somebody has answered, and is handed the tokens once. Shown a second time by its client, everything
//! that came of it ends, as with a code.

use super::Asking;
use super::authorization_code::prepare;
use crate::authorize::vouching;
use crate::issue::Issued;
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::authorize::agreed::{AgreedScopes, CodeRequest};
use sinete_core::authorize::consent::Vouching;
use sinete_core::grant::device_code::{Answered, DeviceFacts, DeviceRefused, judge};
use sinete_core::grant::{may_not, no_grant, unsupported};
use sinete_core::id::GrantId;
use sinete_core::people::settings::{GrantKind, OrganizationSettings};
use sinete_core::refusal::{Consequence, Refusal};
use sinete_core::secret::{DeviceCode, Secret};
use sinete_core::security::event::{Event, EventKind};
use sinete_core::time::Lifetime;
use sinete_core::token::claim::NamedClaims;
use sinete_store::device_requests::{self, DeviceRequest};
use sinete_store::grants::{self, Grant};
use sinete_store::pending::State;
use sinete_store::{Act, organizations, standing};

pub(super) async fn redeem(
    engine: &Engine,
    asking: &Asking<'_>,
    shown: &str,
) -> Result<Result<Issued, Refusal>, Failed> {
    if !engine.settings().flows.interaction.leads_somewhere() {
        return Ok(Err(unsupported("people are led nowhere")));
    }
    let Ok(secret) = Secret::<DeviceCode>::parse(shown) else {
        return Ok(Err(no_grant("not a device code of ours")));
    };
    let digest = secret.digest();
    // Whoever loses a race finds the code spent when they look again, and is refused for that.
    for _ in 0..ATTEMPTS_MAX {
        let Some(found) = device_requests::find(engine.store(), &digest).await? else {
            return Ok(Err(no_grant("there is no such device code")));
        };
        match judged(engine, asking, &found) {
            Verdict::Allowed(grant) => {
                let (issued, act) = match hand_over(engine, asking, &found, grant).await? {
                    Ok(handed) => handed,
                    Err(refusal) => return Ok(Err(refusal)),
                };
                if engine.store().commit(act).await?.is_ok() {
                    return Ok(Ok(issued));
                }
            }
            Verdict::Refused(refusal) => return Ok(Err(refusal)),
            Verdict::Waits(refusal, noted) => {
                if engine.store().commit(noted).await?.is_ok() {
                    return Ok(Err(refusal));
                }
            }
        }
    }
    Err(Failed::Contended)
}

/// What a device is answered.
enum Verdict {
    /// This is handed over.
    Allowed(GrantId),
    /// Nothing is, for good, with what follows from it.
    Refused(Refusal),
    /// Nobody has answered; when it was asked is remembered.
    Waits(Refusal, Act),
}

/// The grant, if the person allowed it and it was not handed over.
fn judged(engine: &Engine, asking: &Asking<'_>, found: &DeviceRequest) -> Verdict {
    let (answered, grant) = match found.state {
        State::Waiting => (Answered::NotYet, None),
        State::Approved(grant) => (Answered::Allowed, Some(grant)),
        State::Denied => (Answered::Denied, None),
        State::Spent(grant) => (Answered::Spent, Some(grant)),
    };
    let interval = Lifetime::from_micros(u32::try_from(found.poll_interval).unwrap_or(u32::MAX));
    let facts = DeviceFacts {
        client: &found.client,
        answered,
        expires_at: found.expires_at,
        polled_at: found.polled_at,
        interval,
    };
    let refused = match (judge(&facts, asking.client.id(), asking.now), grant) {
        (Ok(()), Some(grant)) => return Verdict::Allowed(grant),
        (Ok(()), None) => return Verdict::Refused(no_grant("allowed, and no grant came of it")),
        (Err(refused), _) => refused,
    };
    let event = |kind| Consequence::Record(Box::new(about(engine, asking, kind, grant)));
    let refusal = Refusal::from(refused);
    match refused {
        // As with codes: only the client it was given to can show that it is in two hands.
        DeviceRefused::Replayed => {
            let ended =
                grant.into_iter().fold(refusal, |refusal, id| refusal.and(Consequence::RevokeGrant(id)));
            Verdict::Refused(ended.and(event(EventKind::DeviceCodeReplayed)))
        }
        DeviceRefused::AnothersCode => Verdict::Refused(refusal.and(event(EventKind::DeviceCodeMisdirected))),
        DeviceRefused::Denied | DeviceRefused::Expired => Verdict::Refused(refusal),
        DeviceRefused::Pending => Verdict::Waits(refusal, noted(asking, found, interval)),
        // Nothing is left to remember: it waits as long as anybody is made to.
        DeviceRefused::TooSoon { wait } if wait == interval => Verdict::Refused(refusal),
        DeviceRefused::TooSoon { wait } => Verdict::Waits(refusal, noted(asking, found, wait)),
    }
}

/// Remembers that it was asked, and how long to wait from now on.
fn noted(asking: &Asking<'_>, found: &DeviceRequest, interval: Lifetime) -> Act {
    Act::new().with(device_requests::polled(found, interval, asking.now))
}

/// The answer with the act that hands it over, if everything the grant hangs on counts now.
async fn hand_over(
    engine: &Engine,
    asking: &Asking<'_>,
    found: &DeviceRequest,
    grant: GrantId,
) -> Result<Result<(Issued, Act), Refusal>, Failed> {
    let Some(granted) = grants::find(engine.store(), grant).await? else {
        return Ok(Err(no_grant("the grant is gone")));
    };
    if let Err(refusal) = must_be_on(engine, asking, &granted).await? {
        return Ok(Err(refusal));
    }
    let agreed: AgreedScopes = granted.scopes.read()?;
    let Some((audience, _)) = agreed.iter().next() else {
        return Ok(Err(no_grant("nothing was agreed to")));
    };
    let request = CodeRequest {
        audience: audience.clone(),
        nonce: None,
        max_age_given: false,
        claims: Default::default(),
        agreed_claims: NamedClaims::default(),
    };
    // What nobody vouches for gets nothing that lasts: it asks the person again.
    let lasts = vouching(&asking.client.known.client) != Vouching::Nobody;
    let (client, membership) = (asking.client.id(), granted.membership);
    let standing = standing::with_grant(engine.store(), membership, client, grant, asking.now).await?;
    let (issued, begun) = match prepare(engine, asking, standing, request, lasts).await? {
        Ok(prepared) => prepared,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let event = about(engine, asking, EventKind::DeviceCodeRedeemed, Some(grant))
        .with("membership", membership.to_string());
    let spent = device_requests::spend(&found.digest, client, asking.now);
    let act = Act::new().with_all(asking.notes_use()).with(spent).with_all(begun).record(&event);
    Ok(Ok((issued, act)))
}

/// Whether the organization still lets devices be answered for.
async fn must_be_on(
    engine: &Engine,
    asking: &Asking<'_>,
    grant: &Grant,
) -> Result<Result<(), Refusal>, Failed> {
    let found = organizations::find(engine.store(), grant.organization, asking.now).await?;
    let Some(organization) = found else { return Ok(Err(no_grant("the organization is gone"))) };
    let settings: OrganizationSettings = organization.settings.read()?;
    let is_off = settings.refused_grants.contains(&GrantKind::DeviceCode);
    Ok(if is_off { Err(may_not("the organization switched this grant off")) } else { Ok(()) })
}

fn about(engine: &Engine, asking: &Asking<'_>, kind: EventKind, grant: Option<GrantId>) -> Event {
    let event = engine.event(kind, &asking.cause, asking.now).through(asking.client.id().clone());
    grant.into_iter().fold(event, |event, grant| event.about("grant", grant))
}
