//! Restoring a replaced e-mail address, for its reader, within a week of the change. All sessions end,
//! because the change may have been made in one of them by an attacker.

use crate::sign_in::backchannel_logout;
use crate::sign_in::flows;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccessRevocation;
use crate::{Engine, Error, EventCause};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{AccountLink, Secret};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::accounts::email_changes;
use sinete_store::{BatchOutcome, WriteBatch, accounts};

/// The path of the restore link, below the issuer.
pub const UNDO_EMAIL_PATH: &str = "/undo-email";

/// The primary verified address.
pub(crate) fn primary_address(contacts: &[ContactRow]) -> Option<&ContactRow> {
    let contact_rows = contacts.iter().filter(|it| it.kind == ContactKind::Email && it.verified_at.is_some());
    contact_rows.max_by_key(|it| it.is_primary)
}

/// Uses the link: the previous address becomes primary again, its replacement is removed, all sessions end,
/// and later changes can no longer be restored. A password reset follows, which requires a proof by e-mail.
pub async fn restore_email(engine: &Engine, token: &str, origin: &RequestOrigin) -> Result<(), Error> {
    let Ok(token) = Secret::<AccountLink>::parse(token) else {
        return Err(invalid_link("the text is not a link token").into());
    };
    let (digest, now) = (token.digest(), engine.now());
    let email_change = email_changes::find_email_change(engine.store(), &digest).await?;
    let Some(change) = email_change.filter(|change| change.spent_at.is_none() && change.expires_at > now)
    else {
        return Err(invalid_link("unknown, spent or expired").into());
    };
    let account = accounts::find_account(engine.store(), change.account).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let (true, Ok(address)) = (is_enabled, change.former.parse::<EmailAddress>()) else {
        return Err(invalid_link("the account is not active, or the address is not valid").into());
    };
    let owner =
        contacts::find_verified_contact(engine.store(), ContactKind::Email, &address.lookup_key()).await?;
    if owner.is_some_and(|owner| owner.account != change.account) {
        return Err(invalid_link("the address now belongs to another account").into());
    }
    let contacts = contacts::list_account_contacts(engine.store(), change.account).await?;
    let replaced = primary_address(&contacts).filter(|it| it.lookup != address.lookup_key());
    let cause = EventCause { actor: SecurityEventActor::Account(change.account), origin: origin.clone() };
    let event = SecurityEvent::new(EventKind::EmailRestored, cause.actor.clone(), now, engine.entropy())
        .with_origin(origin)
        .with_subject("account", change.account);
    let batch = WriteBatch::new()
        .with_statement(email_changes::undo_email_change(&digest, now))
        .with_statement(email_changes::delete_later_email_changes(change.account, change.created_at))
        .with_statements(flows::make_primary_statements(engine, change.account, &contacts, &address))
        .with_statements(replaced.map(|contact| contacts::remove_contact(change.account, contact.id)))
        .with_event(&event);
    let eviction = LongLivedAccessRevocation {
        account: change.account,
        session: None,
        keep: &[],
        reason: "address_restored",
    };
    let (batch, ended) =
        long_lived_access::revoke_long_lived_access(engine, batch, &eviction, &cause).await?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_notifications(engine, ended, &cause));
            Ok(())
        }
        BatchOutcome::Conflict(_) => Err(invalid_link("the link was used concurrently").into()),
    }
}

/// The same refusal for every reason.
fn invalid_link(reason: &str) -> Refusal {
    Refusal::because(SignInRefusal::AlertLinkInvalid, reason)
}
