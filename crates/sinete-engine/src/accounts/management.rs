//! Account management by operators: list, show, disable, enable, end sessions. Operators can start a password
//! reset, which only the user can complete.

pub mod account_access;
mod password_reset;

pub use password_reset::start_password_reset;

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::with_audit_log_event;
use crate::organizations::former_members;
use crate::organizations::precondition_failed;
use crate::sign_in::account_holder::list_sign_in_methods;
use crate::sign_in::backchannel_logout;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccessRevocation;
use crate::sign_in::sessions;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_ACCOUNTS;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::AccountId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::sign_in::sign_in_methods::SignInMethod;
use sinete_store::accounts::contacts;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::sign_in::sessions as stored_sessions;
use sinete_store::{BatchOutcome, WriteBatch, accounts, organizations};

use std::collections::BTreeMap;

pub use sinete_store::accounts::contacts::{ContactKind, ContactRow};
pub use sinete_store::accounts::{AccountPage, AccountRow};
pub use sinete_store::organizations::memberships::MembershipRow;

/// The required permission.
const MANAGE_PERMISSION: &str = MANAGE_ACCOUNTS;

/// An account as shown to operators.
#[derive(Clone, Debug)]
pub struct AccountOverview {
    /// The account.
    pub account: AccountRow,
    /// Contacts, verified or not.
    pub contacts: Vec<ContactRow>,
    /// Memberships, each with the name of its organization.
    pub memberships: Vec<(MembershipRow, String)>,
    /// The usable sign-in methods.
    pub sign_in_methods: Vec<SignInMethod>,
    /// The number of sessions.
    pub sessions: usize,
}

/// Which accounts are listed.
#[derive(Clone, Copy, Debug)]
pub enum AccountFilter<'a> {
    /// All.
    All,
    /// The one with this verified address.
    Email(&'a EmailAddress),
    /// Those with an address or name that begins with this text, or whose id or external id it is.
    Search(&'a str),
}

/// Lists accounts, oldest first.
pub async fn list(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    filter: AccountFilter<'_>,
    after: Option<AccountId>,
    limit: u32,
) -> Result<AccountPage, Error> {
    instance_admin.require_permission(MANAGE_PERMISSION)?;
    let store = engine.store();
    let email = match filter {
        AccountFilter::All => {
            return Ok(accounts::list_accounts(store, after, limit).await?.into());
        }
        AccountFilter::Search(text) => return search_by_text(engine, text.trim(), after, limit).await,
        AccountFilter::Email(email) => email,
    };
    let contact_row = contacts::find_verified_contact(store, ContactKind::Email, &email.lookup_key()).await?;
    let Some(contact) = contact_row.filter(|_| after.is_none()) else {
        return Ok(AccountPage::default());
    };
    let account = accounts::find_account(store, contact.account).await?;
    Ok(Vec::from_iter(account).into())
}

/// Searches accounts. A whole verified address and an id are found by an index; the beginning of a name
/// or address by reading accounts in their order, a bounded number of them
/// (docs/contribute/decisions/0326-accounts-search-compares-a-bounded-number.md).
async fn search_by_text(
    engine: &Engine,
    text: &str,
    after: Option<AccountId>,
    limit: u32,
) -> Result<AccountPage, Error> {
    let store = engine.store();
    let account = match (text.parse::<AccountId>(), text.parse::<EmailAddress>()) {
        (Ok(id), _) => Some(id),
        (Err(_), Ok(email)) => {
            contacts::find_verified_contact(store, ContactKind::Email, &email.lookup_key())
                .await?
                .map(|contact| contact.account)
        }
        (Err(_), Err(_)) => None,
    };
    match account {
        Some(_) if after.is_some() => Ok(AccountPage::default()),
        Some(id) => Ok(Vec::from_iter(accounts::find_account(store, id).await?).into()),
        None => Ok(accounts::search_accounts(store, text, after, limit).await?),
    }
}

/// The primary e-mail address of each of these accounts, in their order.
pub async fn list_primary_addresses(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    accounts: &[AccountRow],
) -> Result<Vec<Option<String>>, Error> {
    instance_admin.require_permission(MANAGE_PERMISSION)?;
    let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
    let emails: BTreeMap<_, _> =
        contacts::list_primary_emails(engine.store(), &ids).await?.into_iter().collect();
    Ok(ids.iter().map(|id| emails.get(id).cloned()).collect())
}

/// Shows one account.
pub async fn show(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<AccountOverview, Error> {
    let account = find_manageable(engine, instance_admin, id).await?;
    let mut belongings = Vec::new();
    for membership in memberships::list_account_memberships(engine.store(), id).await? {
        let organization =
            organizations::find_organization(engine.store(), membership.organization, instance_admin.now())
                .await?;
        belongings.push((membership, organization.map(|it| it.name).unwrap_or_default()));
    }
    Ok(AccountOverview {
        contacts: contacts::list_account_contacts(engine.store(), id).await?,
        memberships: belongings,
        sign_in_methods: list_sign_in_methods(engine, id).await?,
        sessions: sessions::list(engine, id).await?.len(),
        account,
    })
}

/// Disables the account: it cannot sign in and its grants are invalid until it is enabled again.
pub async fn disable(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<AccountRow, Error> {
    change_condition(engine, instance_admin, id, LifecycleCondition::Suspended).await
}

/// Enables the account.
pub async fn enable(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<AccountRow, Error> {
    change_condition(engine, instance_admin, id, LifecycleCondition::Enabled).await
}

async fn change_condition(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
    condition: LifecycleCondition,
) -> Result<AccountRow, Error> {
    let account = match find_manageable(engine, instance_admin, id).await? {
        account if account.condition == condition => return Ok(account),
        account if account.condition == LifecycleCondition::Ended => return Err(account_deleted().into()),
        account => account,
    };
    if condition == LifecycleCondition::Suspended && is_own_account(engine, instance_admin, id).await? {
        return Err(Refusal::because(AccountRefusal::OwnAccountDisable, "one's own account").into());
    }
    let kind = match condition {
        LifecycleCondition::Enabled => EventKind::AccountEnabled,
        LifecycleCondition::Suspended | LifecycleCondition::Ended => EventKind::AccountDisabled,
    };
    let mut batch = WriteBatch::new().with_statement(accounts::change_account_condition(
        id,
        account.version,
        condition,
        instance_admin.now(),
    ));
    if condition == LifecycleCondition::Suspended {
        // Recorded so that an identity provider cannot bring a disabled member back as a new account.
        for membership in memberships::list_account_memberships(engine.store(), id).await? {
            batch = batch.with_statements(
                former_members::record_former_member_identifiers(engine, &membership).await?,
            );
        }
    }
    let event = account_event(engine, instance_admin, kind, id);
    let batch = record_for_organizations(engine, instance_admin, batch, &event, id).await?;
    // There are none while the account is disabled, so clients are notified only when it gets disabled.
    let sessions = stored_sessions::list_account_sessions(engine.store(), id, instance_admin.now()).await?;
    let (batch, ended) = backchannel_logout::enqueue_backchannel_logout(
        engine,
        batch,
        sessions.iter().map(|session| session.id).collect(),
    );
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_notifications(engine, ended, instance_admin.cause()));
            Ok(accounts::find_account(engine.store(), id).await?.ok_or_else(no_such_account)?)
        }
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

/// Ends all sessions of the account and all access without a session.
pub async fn end_sessions(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<(), Error> {
    find_manageable(engine, instance_admin, id).await?;
    let eviction =
        LongLivedAccessRevocation { account: id, session: None, keep: &[], reason: "signed_out_by_operator" };
    let (batch, ended) = long_lived_access::revoke_long_lived_access(
        engine,
        WriteBatch::new(),
        &eviction,
        instance_admin.cause(),
    )
    .await?;
    let event = account_event(engine, instance_admin, EventKind::AccountSessionsEnded, id)
        .with_detail("sessions", ended.len());
    let batch = record_for_organizations(engine, instance_admin, batch, &event, id).await?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_notifications(engine, ended, instance_admin.cause()));
            Ok(())
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

/// Ends all sessions of the instance, including the operator's own.
pub async fn end_all_sessions(engine: &Engine, instance_admin: &InstanceAdmin) -> Result<(), Error> {
    instance_admin.require_permission(MANAGE_PERMISSION)?;
    let now = instance_admin.now();
    let ended = stored_sessions::count_active_sessions(engine.store(), now).await?;
    let event = instance_admin
        .event(engine, EventKind::InstanceSessionsEnded, instance_admin.operator_organization())
        .with_subject("instance", engine.instance_id())
        .with_detail("sessions", ended);
    let batch = WriteBatch::new().with_statement(stored_sessions::end_all_sessions(now));
    let (batch, everybodys) = backchannel_logout::enqueue_instance_logout(batch, now);
    match engine.store().commit(instance_admin.record(batch, &event, "")?).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_instance_notifications(
                engine,
                everybodys,
                instance_admin.cause(),
            ));
            Ok(())
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

async fn find_manageable(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<AccountRow, Error> {
    instance_admin.require_permission(MANAGE_PERMISSION)?;
    Ok(accounts::find_account(engine.store(), id).await?.ok_or_else(no_such_account)?)
}

/// Whether the account is the caller's own.
async fn is_own_account(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<bool, Failure> {
    let membership = memberships::find_membership(
        engine.store(),
        instance_admin.operator_organization(),
        instance_admin.membership(),
    )
    .await?;
    Ok(membership.is_some_and(|membership| membership.holder == MembershipHolder::User(id)))
}

/// Adds the event to the operators' audit log, and one of the same kind to the audit log of each organization
/// that the account is a member of. All operator actions on accounts are recorded here, in their own
/// transaction. An organization's entry names the membership and nothing of the account.
async fn record_for_organizations(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    batch: WriteBatch,
    event: &SecurityEvent,
    id: AccountId,
) -> Result<WriteBatch, Failure> {
    let mut batch = instance_admin.record(batch, event, "")?;
    for membership in memberships::list_account_memberships(engine.store(), id).await? {
        let organization = membership.organization;
        if organization != instance_admin.operator_organization()
            && membership.condition != LifecycleCondition::Ended
        {
            let security_event = instance_admin
                .event(engine, event.kind, organization)
                .with_subject("membership", membership.id);
            batch = with_audit_log_event(batch, &security_event, organization, "")?;
        }
    }
    Ok(batch)
}

fn account_event(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    kind: EventKind,
    id: AccountId,
) -> SecurityEvent {
    instance_admin.event(engine, kind, instance_admin.operator_organization()).with_subject("account", id)
}

fn account_deleted() -> Refusal {
    Refusal::because(AccountRefusal::AccountDisabled, "not enabled")
}

fn no_such_account() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such account")
}
