//! Sign-in alerts: a new device, or a place too far from the previous one for the time between. The message
//! contains a link to report the sign-in.

use crate::platform::email::{EmailKind, EmailMessage, EmailedLinkOrCode, LinkOrCodeKind, SignInDetails};
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

/// The path of the report link, below the issuer.
pub const REPORT_SIGN_IN_PATH: &str = "/not-me";

/// A sign-in that just happened.
pub(crate) struct CompletedSignIn<'a> {
    /// The account.
    pub(crate) account: AccountId,
    /// The known device, if any.
    pub(crate) device: Option<&'a Digest<DeviceCookie>>,
    /// The previous sessions.
    pub(crate) previous_sessions: &'a [SessionRow],
}

/// Adds the alerts to the batch that starts a session.
pub(crate) async fn alert_on_sign_in(
    engine: &Engine,
    batch: WriteBatch,
    arrival: CompletedSignIn<'_>,
    cause: &EventCause,
) -> Result<WriteBatch, Failure> {
    let (CompletedSignIn { account, device, previous_sessions: before }, now) = (arrival, engine.now());
    let is_new = match device {
        Some(device) if known_devices::has_known_device(engine.store(), account).await? => {
            !known_devices::is_known_device(engine.store(), account, device, now).await?
        }
        // The first sign-in of an account is always on a new device and causes no alert.
        Some(_) | None => false,
    };
    let came_too_fast = has_impossible_travel(engine, before, cause, now)?;
    let mut batch = batch;
    for (happened, kind) in
        [(is_new, EventKind::NewDeviceSeen), (came_too_fast, EventKind::ImpossibleTravelSeen)]
    {
        if happened {
            let event = SecurityEvent::new(kind, SecurityEventActor::Account(account), now, engine.entropy())
                .with_origin(&cause.origin)
                .with_subject("account", account);
            batch = batch.with_event(&event);
        }
    }
    if !is_new && !came_too_fast {
        return Ok(batch);
    }
    let details = sign_in_details(engine, cause, now);
    let email_kind =
        if came_too_fast { EmailKind::ImpossibleTravel(&details) } else { EmailKind::NewDevice(&details) };
    notify_owner(engine, batch, account, email_kind).await
}

/// Adds a message with a report link to the batch; unchanged if the user has no address.
pub(crate) async fn notify_owner(
    engine: &Engine,
    batch: WriteBatch,
    account: AccountId,
    email_kind: EmailKind<'_>,
) -> Result<WriteBatch, Failure> {
    let Some(address) = find_notification_address(engine, account).await? else { return Ok(batch) };
    notify_address(engine, batch, account, &address, email_kind).await
}

/// Notifies the user at every verified address.
pub(crate) async fn notify_every_address(
    engine: &Engine,
    mut batch: WriteBatch,
    account: AccountId,
    email_kind: EmailKind<'_>,
) -> Result<WriteBatch, Failure> {
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let contact_rows = contacts.iter().filter(|it| it.kind == ContactKind::Email && it.verified_at.is_some());
    for address in contact_rows.filter_map(|it| it.address.parse().ok()) {
        batch = notify_address(engine, batch, account, &address, email_kind).await?;
    }
    Ok(batch)
}

async fn notify_address(
    engine: &Engine,
    batch: WriteBatch,
    account: AccountId,
    address: &EmailAddress,
    email_kind: EmailKind<'_>,
) -> Result<WriteBatch, Failure> {
    let (now, token) = (engine.now(), Secret::<AccountLink>::mint(engine.entropy()));
    let link = action_links::issue_action_link(
        &token.digest(),
        account,
        AccountActionPurpose::ReportSignIn,
        now,
        now.plus(REPORT_SIGN_IN_LIFETIME),
    );
    let message = EmailMessage {
        kind: email_kind,
        origin: engine.email_origin(),
        reader: flows::preferred_reader(engine, Some(account), Language::default()).await?,
        proof: Some(EmailedLinkOrCode {
            kind: report_link(engine, &token.reveal()),
            lifetime: REPORT_SIGN_IN_LIFETIME,
        }),
    };
    Ok(batch.with_statement(link).with_statement(outbox::enqueue_email(
        engine,
        &message,
        address,
        ALERT_LIFETIME,
    )?))
}

/// The address for notifications, if there is one.
pub(crate) async fn find_notification_address(
    engine: &Engine,
    account: AccountId,
) -> Result<Option<EmailAddress>, Failure> {
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let contact_rows = contacts.iter().filter(|it| it.kind == ContactKind::Email && it.verified_at.is_some());
    Ok(contact_rows.max_by_key(|it| it.is_primary).and_then(|it| it.address.parse().ok()))
}

/// The report link, or the token if there is no interface.
fn report_link(engine: &Engine, token: &str) -> LinkOrCodeKind {
    let link = engine.settings().flows.interaction.link(engine, REPORT_SIGN_IN_PATH, "not_me", token);
    link.map_or_else(|| LinkOrCodeKind::Code(token.to_owned()), LinkOrCodeKind::Link)
}

/// Whether the distance to the last used location is too large for the time between, if both are known.
fn has_impossible_travel(
    engine: &Engine,
    before: &[SessionRow],
    cause: &EventCause,
    now: Timestamp,
) -> Result<bool, Failure> {
    let Some(latest) = before.iter().max_by_key(|session| session.used_at) else { return Ok(false) };
    let description: DeviceDescription = latest.description.parse()?;
    let point = |address| engine.geo_ip().locate(address).and_then(|geo_location| geo_location.point);
    let (Some(then), Some(geo_point)) =
        (description.address.and_then(point), cause.origin.address.and_then(point))
    else {
        return Ok(false);
    };
    let (then, location_sighting) = (
        LocationSighting { point: then, at: latest.used_at },
        LocationSighting { point: geo_point, at: now },
    );
    Ok(is_impossible_travel(&then, &location_sighting))
}

fn sign_in_details(engine: &Engine, cause: &EventCause, now: Timestamp) -> SignInDetails {
    let address = cause.origin.address;
    SignInDetails {
        at: Some(now),
        device: Some(DeviceDescription::from_origin(&cause.origin).device),
        location: locate_origin(engine, cause),
        address: address.map(|address| address.to_string()),
    }
}

/// The location of the request, if known.
pub(crate) fn locate_origin(engine: &Engine, cause: &EventCause) -> Option<String> {
    let geo_location = cause.origin.address.and_then(|address| engine.geo_ip().locate(address))?;
    (!geo_location.label.is_empty()).then_some(geo_location.label)
}
