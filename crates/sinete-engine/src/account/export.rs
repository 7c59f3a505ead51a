//! Everything that is kept about a person, for them to take along.

use super::applications::{self, Granted};
use super::contacts::{self, Contact};
use super::credentials::{self, Shown};
use super::memberships::{self, Belonging};
use super::{Oneself, events, profile};
use crate::{Engine, Failed, sessions};
use sinete_core::refusal::Refusal;
use sinete_core::security::event::EventKind;
use sinete_store::accounts::Account;
pub use sinete_store::address_changes::AddressChange;
pub use sinete_store::devices::Device;
pub use sinete_store::identities::Linked;
use sinete_store::security_log::Entry;
use sinete_store::{Act, address_changes, devices, identities};

/// Events that are read at once.
const PAGE: u32 = 500;
/// The most events that are taken along; the list of events has the rest.
const EVENTS_MAX: usize = 5_000;

/// Everything about one person.
#[derive(Debug)]
pub struct Everything {
    /// The account.
    pub account: Account,
    /// Addresses and numbers.
    pub contacts: Vec<Contact>,
    /// What they sign in with.
    pub credentials: Vec<Shown>,
    /// Addresses they were reached at before and may be again.
    pub former_addresses: Vec<AddressChange>,
    /// Devices they were seen on.
    pub devices: Vec<Device>,
    /// Who they are elsewhere.
    pub identities: Vec<Linked>,
    /// Where they are signed in.
    pub sessions: Vec<sessions::Shown>,
    /// Where they belong.
    pub memberships: Vec<Belonging>,
    /// What they let applications do.
    pub applications: Vec<Granted>,
    /// What happened, oldest first.
    pub events: Vec<Entry>,
}

/// Takes everything out, and says so in the log.
pub async fn export(engine: &Engine, oneself: &Oneself) -> Result<Result<Everything, Refusal>, Failed> {
    if let Err(refusal) = oneself.must_be_fresh(engine).await? {
        return Ok(Err(refusal));
    }
    let exported = oneself.event(engine, EventKind::AccountExported).about("account", oneself.account());
    if engine.store().commit(Act::new().record(&exported)).await?.is_err() {
        return Err(Failed::Contended);
    }
    let mut all = Vec::new();
    loop {
        let after = all.last().map(|entry: &Entry| entry.event.id);
        let page = events(engine, oneself, after, PAGE).await?;
        if page.is_empty() || all.len() >= EVENTS_MAX {
            break;
        }
        all.extend(page);
    }
    Ok(Ok(Everything {
        account: profile::show(engine, oneself).await?,
        contacts: contacts::list(engine, oneself).await?,
        credentials: credentials::list(engine, oneself).await?,
        former_addresses: address_changes::of_account(engine.store(), oneself.account()).await?,
        devices: devices::of_account(engine.store(), oneself.account()).await?,
        identities: identities::of_account(engine.store(), oneself.account()).await?,
        sessions: sessions::list(engine, oneself.account()).await?,
        memberships: memberships::list(engine, oneself).await?,
        applications: applications::list(engine, oneself).await?,
        events: all,
    }))
}
