//! Telling people what they should know about their account: a device it was not seen on before, and a sign-in from
//! farther away than anybody travels. The message carries a link that says it was somebody else.

use crate::platform::email::{EmailKind, EmailMessage, EmailProof, EmailProofKind, SignInSighting};
use crate::platform::outbox;
use crate::sign_in::flows;
use crate::{Engine, EventCause, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::limits::{ALERT_LIFETIME, REPORT_SIGN_IN_LIFETIME};
use sinete_core::secret::{AccountLink, DeviceCookie, Digest, Secret};
use sinete_core::sign_in::impossible_travel::{LocationSighting, is_impossible_travel};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::accounts::action_links;
use sinete_store::accounts::action_links::AccountActionPurpose;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::known_devices;
use sinete_store::sign_in::sessions::SessionRow;

/// Where the link that says it was somebody else leads, below the issuer.
pub const REPORT_SIGN_IN_PATH: &str = "/not-me";

/// Somebody who has just signed in.
pub(crate) struct SignInArrival<'a> {
    /// Whose account it is.
    pub(crate) account: AccountId,
    /// The device they are on, where that is known.
    pub(crate) device: Option<&'a Digest<DeviceCookie>>,
    /// The sessions there were before.
    pub(crate) previous_sessions: &'a [SessionRow],
}

/// The act in which a session starts, with what its owner is told.
pub(crate) async fn alert_on_sign_in(
    engine: &Engine,
    act: WriteBatch,
    arrival: SignInArrival<'_>,
    cause: &EventCause,
) -> Result<WriteBatch, Failure> {
    let (SignInArrival { account, device, previous_sessions: before }, now) = (arrival, engine.now());
    let is_new = match device {
        Some(device) if known_devices::has_known_device(engine.store(), account).await? => {
            !known_devices::is_known_device(engine.store(), account, device, now).await?
        }
        // Whoever signs in for the first time is on a new device, and knows it.
        Some(_) | None => false,
    };
    let came_too_fast = has_impossible_travel(engine, before, cause, now)?;
    let mut act = act;
    for (happened, kind) in
        [(is_new, EventKind::NewDeviceSeen), (came_too_fast, EventKind::ImpossibleTravelSeen)]
    {
        if happened {
            let event = SecurityEvent::new(kind, SecurityEventActor::Account(account), now, engine.entropy())
                .with_origin(&cause.origin)
                .with_subject("account", account);
            act = act.with_event(&event);
        }
    }
    if !is_new && !came_too_fast {
        return Ok(act);
    }
    let seen = sign_in_sighting(engine, cause, now);
    let about = if came_too_fast { EmailKind::ImpossibleTravel(&seen) } else { EmailKind::NewDevice(&seen) };
    notify_owner(engine, act, account, about).await
}

/// The act with a message to the owner of the account, and the link in it; as it was, where they cannot be written to.
pub(crate) async fn notify_owner(
    engine: &Engine,
    act: WriteBatch,
    account: AccountId,
    about: EmailKind<'_>,
) -> Result<WriteBatch, Failure> {
    let Some(address) = find_notification_address(engine, account).await? else { return Ok(act) };
    let (now, token) = (engine.now(), Secret::<AccountLink>::mint(engine.entropy()));
    let link = action_links::issue_action_link(
        &token.digest(),
        account,
        AccountActionPurpose::NotMe,
        now,
        now.plus(REPORT_SIGN_IN_LIFETIME),
    );
    let letter = EmailMessage {
        kind: about,
        issuer: &engine.settings().issuer,
        language: flows::preferred_language(engine, Some(account), Language::default()).await?,
        proof: Some(EmailProof {
            kind: report_link(engine, &token.reveal()),
            lifetime: REPORT_SIGN_IN_LIFETIME,
        }),
    };
    Ok(act.with_statement(link).with_statement(outbox::enqueue_email(
        engine,
        &letter,
        &address,
        ALERT_LIFETIME,
    )?))
}

/// Where the owner of the account is written to, if anywhere.
pub(crate) async fn find_notification_address(
    engine: &Engine,
    account: AccountId,
) -> Result<Option<EmailAddress>, Failure> {
    let known = contacts::list_account_contacts(engine.store(), account).await?;
    let proven = known.iter().filter(|it| it.kind == ContactKind::Email && it.verified_at.is_some());
    Ok(proven.max_by_key(|it| it.is_primary).and_then(|it| it.address.parse().ok()))
}

/// A link to where people are led; where that is nowhere, what a program passes on for them.
fn report_link(engine: &Engine, token: &str) -> EmailProofKind {
    let link = engine.settings().flows.interaction.link(engine, REPORT_SIGN_IN_PATH, "not_me", token);
    link.map_or_else(|| EmailProofKind::Code(token.to_owned()), EmailProofKind::Link)
}

/// Whether the place of this sign-in is too far from where the account was used last, as far as anybody knows.
fn has_impossible_travel(
    engine: &Engine,
    before: &[SessionRow],
    cause: &EventCause,
    now: Timestamp,
) -> Result<bool, Failure> {
    let Some(latest) = before.iter().max_by_key(|session| session.used_at) else { return Ok(false) };
    let description: DeviceDescription = latest.description.parse()?;
    let point = |address| engine.geo_ip().locate(address).and_then(|place| place.point);
    let (Some(then), Some(here)) =
        (description.address.and_then(point), cause.origin.address.and_then(point))
    else {
        return Ok(false);
    };
    let (then, here) =
        (LocationSighting { point: then, at: latest.used_at }, LocationSighting { point: here, at: now });
    Ok(is_impossible_travel(&then, &here))
}

fn sign_in_sighting(engine: &Engine, cause: &EventCause, now: Timestamp) -> SignInSighting {
    let address = cause.origin.address;
    SignInSighting {
        at: Some(now),
        device: Some(DeviceDescription::from_origin(&cause.origin).device),
        place: locate_origin(engine, cause),
        address: address.map(|address| address.to_string()),
    }
}

/// Where whoever asks is, as people call it, if that is known.
pub(crate) fn locate_origin(engine: &Engine, cause: &EventCause) -> Option<String> {
    let place = cause.origin.address.and_then(|address| engine.geo_ip().locate(address))?;
    (!place.label.is_empty()).then_some(place.label)
}
