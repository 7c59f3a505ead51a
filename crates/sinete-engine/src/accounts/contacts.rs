//! An account's e-mail addresses and phone numbers: adding, choosing the primary one, removing. Verification
//! is a flow.

use crate::sign_in::account_holder::{AccountHolder, not_found};
use crate::sign_in::flows;
use crate::sign_in::restore_email::primary_address;
use crate::{Engine, Error, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::ContactId;
use sinete_core::limits::ACCOUNT_CONTACTS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::NewContact;
pub use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch};

/// A contact to add.
#[derive(Clone, Debug)]
pub enum ContactRequest {
    /// An e-mail address.
    Email(EmailAddress),
    /// A phone number.
    Phone(PhoneNumber),
}

/// Lists the contacts, oldest first.
pub async fn list(engine: &Engine, oneself: &AccountHolder) -> Result<Vec<ContactRow>, Failure> {
    Ok(contacts::list_account_contacts(engine.store(), oneself.account()).await?)
}

/// Adds an unverified contact. Does not reveal whether another account has verified it.
pub async fn add(
    engine: &Engine,
    oneself: &AccountHolder,
    wanted: &ContactRequest,
) -> Result<ContactRow, Error> {
    oneself.require_fresh_authentication(engine).await?;
    let (kind, address, lookup) = match wanted {
        ContactRequest::Email(address) => (ContactKind::Email, address.as_str(), address.lookup_key()),
        ContactRequest::Phone(number) => (ContactKind::Phone, number.as_str(), number.as_str().to_owned()),
    };
    let known = list(engine, oneself).await?;
    if known.iter().any(|contact| contact.kind == kind && contact.lookup == lookup) {
        return Err(conflict(AccountRefusal::ContactExists).into());
    }
    if known.len() >= ACCOUNT_CONTACTS_MAX {
        return Err(conflict(AccountRefusal::ContactLimit).into());
    }
    let id = ContactId::mint(oneself.now(), engine.entropy());
    let new = NewContact {
        id,
        account: oneself.account(),
        kind,
        address,
        lookup: &lookup,
        is_primary: false,
        created_at: oneself.now(),
    };
    let event = oneself.event(engine, EventKind::ContactAdded).with_subject("contact", id);
    match engine
        .store()
        .commit(WriteBatch::new().with_statement(contacts::add_contact(&new)).with_event(&event))
        .await?
    {
        BatchOutcome::Committed(_) => find(engine, oneself, id).await,
        BatchOutcome::Conflict(_) => Err(conflict(AccountRefusal::ContactExists).into()),
    }
}

/// Makes a verified contact the primary one of its kind. The previous e-mail address is notified and can
/// restore itself.
pub async fn make_primary(
    engine: &Engine,
    oneself: &AccountHolder,
    id: ContactId,
) -> Result<ContactRow, Error> {
    let contact = find_for_sensitive_change(engine, oneself, id).await?;
    if contact.verified_at.is_none() {
        return Err(conflict(AccountRefusal::ContactNotVerified).into());
    }
    let mut steps: Vec<GuardedStatement> = contacts::make_contact_primary(&contact).into();
    let known = list(engine, oneself).await?;
    let former = primary_address(&known)
        .filter(|former| contact.kind == ContactKind::Email && former.id != contact.id);
    if let Some(former) = former {
        let account = oneself.account();
        let language = flows::preferred_language(engine, Some(account), Language::default()).await?;
        steps.extend(flows::notify_former_address(
            engine,
            account,
            &former.address,
            &contact.address,
            language,
        )?);
    }
    commit_change(engine, oneself, steps, EventKind::ContactMadePrimary, id).await?;
    find(engine, oneself, id).await
}

/// Removes a contact that is not primary.
pub async fn remove(engine: &Engine, oneself: &AccountHolder, id: ContactId) -> Result<(), Error> {
    let contact = find_for_sensitive_change(engine, oneself, id).await?;
    if contact.is_primary {
        return Err(conflict(AccountRefusal::PrimaryContact).into());
    }
    let steps = vec![contacts::remove_contact(oneself.account(), id)];
    commit_change(engine, oneself, steps, EventKind::ContactRemoved, id).await
}

async fn find_for_sensitive_change(
    engine: &Engine,
    oneself: &AccountHolder,
    id: ContactId,
) -> Result<ContactRow, Error> {
    oneself.require_fresh_authentication(engine).await?;
    find(engine, oneself, id).await
}

async fn find(engine: &Engine, oneself: &AccountHolder, id: ContactId) -> Result<ContactRow, Error> {
    let known = list(engine, oneself).await?;
    let found = known.into_iter().find(|contact| contact.id == id);
    Ok(found.ok_or_else(|| not_found("no such contact of this account"))?)
}

async fn commit_change(
    engine: &Engine,
    oneself: &AccountHolder,
    steps: Vec<GuardedStatement>,
    kind: EventKind,
    id: ContactId,
) -> Result<(), Error> {
    let event = oneself.event(engine, kind).with_subject("contact", id);
    let committed =
        engine.store().commit(WriteBatch::new().with_statements(steps).with_event(&event)).await?;
    committed.into_result().map_err(|_| Refusal::because(RequestRefusal::ConcurrentChange, ""))?;
    Ok(())
}

fn conflict(reason: AccountRefusal) -> Refusal {
    Refusal::because(reason, "")
}
