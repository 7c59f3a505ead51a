//! Changing the primary e-mail address: the new one is verified first, and the previous one is notified and
//! can restore itself.

use super::FlowActor;
use super::apply::FlowTransitionBuilder;
use crate::platform::email::{EmailKind, EmailMessage, EmailedLinkOrCode, LinkOrCodeKind};
use crate::platform::outbox;
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::restore_email::{UNDO_EMAIL_PATH, primary_address};
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::limits::{ACCOUNT_CONTACTS_MAX, NOTICE_LIFETIME, PREVIOUS_EMAIL_LIFETIME};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{AccountLink, Secret};
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::EmailChallenge;
use sinete_core::validation::ValidationErrors;
use sinete_store::GuardedStatement;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow, NewContact};
use sinete_store::accounts::email_changes;
use sinete_store::accounts::email_changes::NewEmailChange;

/// Starts the change after recent authentication. It does not reveal whether the address belongs to another
/// account: only its owner is notified.
pub(crate) async fn start_email_change(
    engine: &Engine,
    email: &str,
    actor: &FlowActor,
) -> Result<FlowPurpose, Error> {
    let Some(signed_in) = actor.session.clone() else { return Err(super::start::not_signed_in().into()) };
    let cause = EventCause {
        actor: SecurityEventActor::Account(signed_in.session.account),
        origin: actor.origin.clone(),
    };
    let account_holder = AccountHolder::new(signed_in, cause, engine.now());
    account_holder.require_fresh_authentication(engine).await?;
    let mut errors = ValidationErrors::default();
    let Some(address) = errors.parse_text::<EmailAddress>("/email", email) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let (account, lookup) = (account_holder.account(), address.lookup_key());
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let contact = contacts.iter().find(|it| it.kind == ContactKind::Email && it.lookup == lookup);
    if contact.is_some_and(|contact| contact.verified_at.is_some()) {
        return Err(Refusal::because(SignInRefusal::EmailAlreadyYours, "their own address").into());
    }
    if contact.is_none() && contacts.len() > ACCOUNT_CONTACTS_MAX {
        return Err(Refusal::because(SignInRefusal::ContactLimit, "too many contacts").into());
    }
    let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
    let account = owner.is_none().then_some(account);
    let challenge =
        EmailChallenge { address, account, new_account: None, password: None, passkey: None, name: None };
    Ok(FlowPurpose::ChangeEmail { mailed: challenge })
}

impl FlowTransitionBuilder<'_> {
    /// Makes the new address primary, if the session of the request is still active.
    pub(crate) async fn change_email(
        &mut self,
        account: AccountId,
        address: &EmailAddress,
    ) -> Result<(), Error> {
        let engine = self.engine;
        let live =
            sinete_store::sign_in::sessions::list_account_sessions(engine.store(), account, engine.now())
                .await?;
        if !live.iter().any(|session| Some(session.id) == self.flow.session()) {
            return Err(Refusal::because(AccessRefusal::SessionEnded, "the session is over").into());
        }
        let contacts = contacts::list_account_contacts(engine.store(), account).await?;
        let former = primary_address(&contacts).cloned();
        let steps = make_primary_statements(engine, account, &contacts, address);
        let event = self.account_event(EventKind::EmailChanged, account).with_subject("account", account);
        self.extend_batch(|batch| batch.with_statements(steps).with_event(&event));
        let Some(former) = former else { return Ok(()) };
        self.extend_batch(|batch| batch.with_statement(contacts::remove_contact(account, former.id)));
        let language = super::preferred_language(engine, Some(account), self.actor.language).await?;
        let statements = notify_former_address(engine, account, &former.address, address.as_str(), language)?;
        self.extend_batch(|batch| batch.with_statements(statements));
        Ok(())
    }
}

/// The statements that notify the previous address, with the link to restore it.
pub(crate) fn notify_former_address(
    engine: &Engine,
    account: AccountId,
    former: &str,
    address: &str,
    language: Language,
) -> Result<Vec<GuardedStatement>, Failure> {
    let Ok(to) = former.parse::<EmailAddress>() else { return Ok(Vec::new()) };
    let (now, token) = (engine.now(), Secret::<AccountLink>::mint(engine.entropy()));
    let change = email_changes::record_email_change(&NewEmailChange {
        digest: &token.digest(),
        account,
        former,
        created_at: now,
        expires_at: now.plus(PREVIOUS_EMAIL_LIFETIME),
    });
    let token = token.reveal();
    let link = engine.settings().flows.interaction.link(engine, UNDO_EMAIL_PATH, "undo_email", &token);
    let message = EmailMessage {
        kind: EmailKind::EmailChanged { address },
        origin: engine.email_origin(),
        reader: language.into(),
        proof: Some(EmailedLinkOrCode {
            kind: link.map_or(LinkOrCodeKind::Code(token), LinkOrCodeKind::Link),
            lifetime: PREVIOUS_EMAIL_LIFETIME,
        }),
    };
    Ok(vec![change, outbox::enqueue_email(engine, &message, &to, NOTICE_LIFETIME)?])
}

/// The statements that make this verified address primary and remove it from other accounts.
pub(crate) fn make_primary_statements(
    engine: &Engine,
    account: AccountId,
    contacts: &[ContactRow],
    address: &EmailAddress,
) -> Vec<GuardedStatement> {
    let (now, lookup) = (engine.now(), address.lookup_key());
    let contact_row = contacts.iter().find(|it| it.kind == ContactKind::Email && it.lookup == lookup);
    let id = contact_row.map_or_else(|| ContactId::mint(now, engine.entropy()), |contact| contact.id);
    let mut steps = Vec::new();
    if contact_row.is_none() {
        steps.push(contacts::add_contact(&NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address: address.as_str(),
            lookup: &lookup,
            is_primary: false,
            created_at: now,
        }));
    }
    if contact_row.is_none_or(|contact| contact.verified_at.is_none()) {
        steps.push(contacts::verify_contact(account, id, now));
    }
    steps.push(contacts::delete_unverified_claims(account, ContactKind::Email, &lookup));
    let contact = ContactRow {
        id,
        account,
        kind: ContactKind::Email,
        address: address.as_str().to_owned(),
        lookup,
        is_primary: false,
        verified_at: Some(now),
    };
    steps.extend(contacts::make_contact_primary(&contact));
    steps
}
