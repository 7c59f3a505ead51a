//! Export of all data about an account.

use super::contacts;
use super::contacts::ContactRow;
use super::memberships;
use super::memberships::OwnMembership;
use super::profile;
use crate::oauth::authorized_applications;
use crate::oauth::authorized_applications::ApplicationGrants;
use crate::sign_in::account_holder::{AccountHolder, list_events};
use crate::sign_in::credentials;
use crate::sign_in::credentials::ListedCredential;
use crate::sign_in::sessions;
use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_store::WriteBatch;
use sinete_store::accounts::AccountRow;
use sinete_store::accounts::email_changes;
pub use sinete_store::accounts::email_changes::EmailChangeRow;
use sinete_store::accounts::pictures;
pub use sinete_store::accounts::pictures::PictureRow;
use sinete_store::events::security_log::SecurityLogEntry;
use sinete_store::identity_providers::identities;
pub use sinete_store::identity_providers::identities::LinkedIdentityRow;
use sinete_store::sign_in::known_devices;
pub use sinete_store::sign_in::known_devices::KnownDeviceRow;

/// Page size for reading events.
const PAGE: u32 = 500;
/// Maximum exported events; the event list has the rest.
const EVENTS_MAX: usize = 5_000;

/// All data about an account.
#[derive(Debug)]
pub struct AccountExport {
    /// The account.
    pub account: AccountRow,
    /// The picture.
    pub picture: Option<PictureRow>,
    /// Contacts.
    pub contacts: Vec<ContactRow>,
    /// Credentials.
    pub credentials: Vec<ListedCredential>,
    /// Former e-mail addresses that can be restored.
    pub former_addresses: Vec<EmailChangeRow>,
    /// Known devices.
    pub devices: Vec<KnownDeviceRow>,
    /// Linked identities.
    pub identities: Vec<LinkedIdentityRow>,
    /// Sessions.
    pub sessions: Vec<sessions::SessionOverview>,
    /// Memberships.
    pub memberships: Vec<OwnMembership>,
    /// Authorized applications.
    pub applications: Vec<ApplicationGrants>,
    /// Events, oldest first.
    pub events: Vec<SecurityLogEntry>,
}

/// Exports the data, and records an event.
pub async fn export_account(engine: &Engine, account_holder: &AccountHolder) -> Result<AccountExport, Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let exported = account_holder
        .event(engine, EventKind::AccountExported)
        .with_subject("account", account_holder.account());
    if !engine.store().commit(WriteBatch::new().with_event(&exported)).await?.is_committed() {
        return Err(Failure::Contended.into());
    }
    let mut all = Vec::new();
    loop {
        let after = all.last().map(|entry: &SecurityLogEntry| entry.event.id);
        let page = list_events(engine, account_holder, after, PAGE).await?;
        if page.is_empty() || all.len() >= EVENTS_MAX {
            break;
        }
        all.extend(page);
    }
    Ok(AccountExport {
        account: profile::show(engine, account_holder).await?,
        picture: pictures::find_account_picture(engine.store(), account_holder.account()).await?,
        contacts: contacts::list(engine, account_holder).await?,
        credentials: credentials::list(engine, account_holder).await?,
        former_addresses: email_changes::list_account_email_changes(engine.store(), account_holder.account())
            .await?,
        devices: known_devices::list_account_devices(engine.store(), account_holder.account()).await?,
        identities: identities::list_account_identities(engine.store(), account_holder.account()).await?,
        sessions: sessions::list(engine, account_holder.account()).await?,
        memberships: memberships::list(engine, account_holder).await?,
        applications: authorized_applications::list(engine, account_holder).await?,
        events: all,
    })
}
