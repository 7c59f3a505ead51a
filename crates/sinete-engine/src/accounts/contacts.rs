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
pub async fn list(engine: &Engine, account_holder: &AccountHolder) -> Result<Vec<ContactRow>, Failure> {
    Ok(contacts::list_account_contacts(engine.store(), account_holder.account()).await?)
}

/// Adds an unverified contact. Does not reveal whether another account has verified it.
pub async fn add(
    engine: &Engine,
    account_holder: &AccountHolder,
    request: &ContactRequest,
) -> Result<ContactRow, Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let (kind, address, lookup) = match request {
        ContactRequest::Email(address) => (ContactKind::Email, address.as_str(), address.lookup_key()),
        ContactRequest::Phone(number) => (ContactKind::Phone, number.as_str(), number.as_str().to_owned()),
    };
    let contacts = list(engine, account_holder).await?;
    if contacts.iter().any(|contact| contact.kind == kind && contact.lookup == lookup) {
        return Err(conflict_refusal(AccountRefusal::ContactExists).into());
    }
    if contacts.len() >= ACCOUNT_CONTACTS_MAX {
        return Err(conflict_refusal(AccountRefusal::ContactLimit).into());
    }
    let id = ContactId::mint(account_holder.now(), engine.entropy());
    let new = NewContact {
        id,
        account: account_holder.account(),
        kind,
        address,
        lookup: &lookup,
        is_primary: false,
        created_at: account_holder.now(),
    };
    let event = account_holder.event(engine, EventKind::ContactAdded).with_subject("contact", id);
    match engine
        .store()
        .commit(WriteBatch::new().with_statement(contacts::add_contact(&new)).with_event(&event))
        .await?
    {
        BatchOutcome::Committed(_) => find(engine, account_holder, id).await,
        BatchOutcome::Conflict(_) => Err(conflict_refusal(AccountRefusal::ContactExists).into()),
    }
}

/// Makes a verified contact the primary one of its kind. The previous e-mail address is notified and can
/// restore itself.
pub async fn make_primary(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ContactId,
) -> Result<ContactRow, Error> {
    let contact = find_for_sensitive_change(engine, account_holder, id).await?;
    if contact.verified_at.is_none() {
        return Err(conflict_refusal(AccountRefusal::ContactNotVerified).into());
    }
    let mut steps: Vec<GuardedStatement> = contacts::make_contact_primary(&contact).into();
    let contacts = list(engine, account_holder).await?;
    let former = primary_address(&contacts)
        .filter(|former| contact.kind == ContactKind::Email && former.id != contact.id);
    if let Some(former) = former {
        let account = account_holder.account();
        let language = flows::preferred_language(engine, Some(account), Language::default()).await?;
        steps.extend(flows::notify_former_address(
            engine,
            account,
            &former.address,
            &contact.address,
            language,
        )?);
    }
    commit_change(engine, account_holder, steps, EventKind::ContactMadePrimary, id).await?;
    find(engine, account_holder, id).await
}

/// Removes a contact that is not primary.
pub async fn remove(engine: &Engine, account_holder: &AccountHolder, id: ContactId) -> Result<(), Error> {
    let contact = find_for_sensitive_change(engine, account_holder, id).await?;
    if contact.is_primary {
        return Err(conflict_refusal(AccountRefusal::PrimaryContact).into());
    }
    let steps = vec![contacts::remove_contact(account_holder.account(), id)];
    commit_change(engine, account_holder, steps, EventKind::ContactRemoved, id).await
}

async fn find_for_sensitive_change(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ContactId,
) -> Result<ContactRow, Error> {
    account_holder.require_fresh_authentication(engine).await?;
    find(engine, account_holder, id).await
}

async fn find(engine: &Engine, account_holder: &AccountHolder, id: ContactId) -> Result<ContactRow, Error> {
    let contacts = list(engine, account_holder).await?;
    let contact_row = contacts.into_iter().find(|contact| contact.id == id);
    Ok(contact_row.ok_or_else(|| not_found("no such contact of this account"))?)
}

async fn commit_change(
    engine: &Engine,
    account_holder: &AccountHolder,
    steps: Vec<GuardedStatement>,
    kind: EventKind,
    id: ContactId,
) -> Result<(), Error> {
    let event = account_holder.event(engine, kind).with_subject("contact", id);
    let committed =
        engine.store().commit(WriteBatch::new().with_statements(steps).with_event(&event)).await?;
    committed.into_result().map_err(|_| Refusal::because(RequestRefusal::ConcurrentChange, ""))?;
    Ok(())
}

fn conflict_refusal(reason: AccountRefusal) -> Refusal {
    Refusal::because(reason, "")
}
