//! Telling people what they should know about their account: a device it was not seen on before, and a sign-in from
//! farther away than anybody travels. The message carries a link that says it was somebody else.

use crate::letters::{About, Given, Letter, Proof, Seen};
use crate::{Cause, Engine, Failed, deliver, flows};
use sinete_core::id::AccountId;
use sinete_core::limits::{ALERT_LIFETIME, NOT_ME_LIFETIME};
use sinete_core::people::address::EmailAddress;
use sinete_core::people::language::Language;
use sinete_core::secret::{AccountLink, DeviceCookie, Digest, Secret};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_core::security::travel::{Sighting, is_impossible};
use sinete_core::session::device::Description;
use sinete_core::time::Timestamp;
use sinete_store::account_links::{self, Purpose};
use sinete_store::contacts::{self, Kind};
use sinete_store::sessions::Session;
use sinete_store::{Act, devices};

/// Where the link that says it was somebody else leads, below the issuer.
pub const NOT_ME_PATH: &str = "/not-me";

/// Somebody who has just signed in.
pub(crate) struct Arrival<'a> {
    /// Whose account it is.
    pub(crate) account: AccountId,
    /// The device they are on, where that is known.
    pub(crate) device: Option<&'a Digest<DeviceCookie>>,
    /// The sessions there were before.
    pub(crate) before: &'a [Session],
}

/// The act in which a session starts, with what its owner is told.
pub(crate) async fn at_sign_in(
    engine: &Engine,
    act: Act,
    arrival: Arrival<'_>,
    cause: &Cause,
) -> Result<Act, Failed> {
    let (Arrival { account, device, before }, now) = (arrival, engine.now());
    let is_new = match device {
        Some(device) if devices::has_any(engine.store(), account).await? => {
            !devices::is_known(engine.store(), account, device, now).await?
        }
        // Whoever signs in for the first time is on a new device, and knows it.
        Some(_) | None => false,
    };
    let came_too_fast = came_too_fast(engine, before, cause, now)?;
    let mut act = act;
    for (happened, kind) in
        [(is_new, EventKind::NewDeviceSeen), (came_too_fast, EventKind::ImpossibleTravelSeen)]
    {
        if happened {
            let event = Event::new(kind, Actor::Account(account), now, engine.entropy())
                .from_origin(&cause.origin)
                .about("account", account);
            act = act.record(&event);
        }
    }
    if !is_new && !came_too_fast {
        return Ok(act);
    }
    let seen = seen(engine, cause, now);
    let about = if came_too_fast { About::ImpossibleTravel(&seen) } else { About::NewDevice(&seen) };
    tell(engine, act, account, about).await
}

/// The act with a message to the owner of the account, and the link in it; as it was, where they cannot be written to.
pub(crate) async fn tell(
    engine: &Engine,
    act: Act,
    account: AccountId,
    about: About<'_>,
) -> Result<Act, Failed> {
    let Some(address) = address_of(engine, account).await? else { return Ok(act) };
    let (now, token) = (engine.now(), Secret::<AccountLink>::mint(engine.entropy()));
    let link = account_links::issue(&token.digest(), account, Purpose::NotMe, now, now.plus(NOT_ME_LIFETIME));
    let letter = Letter {
        about,
        issuer: &engine.settings().issuer,
        language: flows::language(engine, Some(account), Language::default()).await?,
        proof: Some(Proof { given: given(engine, &token.reveal()), lifetime: NOT_ME_LIFETIME }),
    };
    Ok(act.with(link).with(deliver::post(engine, &letter, &address, ALERT_LIFETIME)?))
}

/// Where the owner of the account is written to, if anywhere.
pub(crate) async fn address_of(engine: &Engine, account: AccountId) -> Result<Option<EmailAddress>, Failed> {
    let known = contacts::of_account(engine.store(), account).await?;
    let proven = known.iter().filter(|it| it.kind == Kind::Email && it.verified_at.is_some());
    Ok(proven.max_by_key(|it| it.is_primary).and_then(|it| it.address.parse().ok()))
}

/// A link to where people are led; where that is nowhere, what a program passes on for them.
fn given(engine: &Engine, token: &str) -> Given {
    let link = engine.settings().flows.interaction.link(engine, NOT_ME_PATH, "not_me", token);
    link.map_or_else(|| Given::Code(token.to_owned()), Given::Link)
}

/// Whether the place of this sign-in is too far from where the account was used last, as far as anybody knows.
fn came_too_fast(engine: &Engine, before: &[Session], cause: &Cause, now: Timestamp) -> Result<bool, Failed> {
    let Some(latest) = before.iter().max_by_key(|session| session.used_at) else { return Ok(false) };
    let description: Description = latest.description.read()?;
    let point = |address| engine.places().locate(address).and_then(|place| place.point);
    let (Some(then), Some(here)) =
        (description.address.and_then(point), cause.origin.address.and_then(point))
    else {
        return Ok(false);
    };
    let (then, here) = (Sighting { point: then, at: latest.used_at }, Sighting { point: here, at: now });
    Ok(is_impossible(&then, &here))
}

fn seen(engine: &Engine, cause: &Cause, now: Timestamp) -> Seen {
    let address = cause.origin.address;
    Seen {
        at: Some(now),
        device: Some(Description::of(&cause.origin).device),
        place: place_of(engine, cause),
        address: address.map(|address| address.to_string()),
    }
}

/// Where whoever asks is, as people call it, if that is known.
pub(crate) fn place_of(engine: &Engine, cause: &Cause) -> Option<String> {
    let place = cause.origin.address.and_then(|address| engine.places().locate(address))?;
    (!place.label.is_empty()).then_some(place.label)
}
