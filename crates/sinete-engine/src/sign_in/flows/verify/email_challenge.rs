//! Whether a sent code or link may still be used: the address must have the same owner, who can sign in.

use super::{NO_ACCOUNT, build_flow_account};
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{EmailChallenge, SmsChallenge};
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::sign_in::credentials;

/// The current owner of the mailbox, with respect to a flow.
pub(in crate::sign_in::flows) enum MailReader {
    /// No account that this flow can be about.
    NoAccount,
    /// An account that can sign in, with its sign-in methods.
    Account(FlowAccount),
    /// No account yet: one can be created for the address.
    NewAccount,
    /// Another account that verified the address in the meantime.
    OtherAccount,
}

/// Finds the current owner of the mailbox, with the same work for unknown addresses.
pub(in crate::sign_in::flows) async fn find_mail_reader(
    engine: &Engine,
    flow: &AuthenticationFlow,
    challenge: &EmailChallenge,
) -> Result<MailReader, Failure> {
    let id = challenge.account.unwrap_or(NO_ACCOUNT);
    let account = accounts::find_account(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let lookup = challenge.address.lookup_key();
    let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
    if challenge.creates_account() {
        return Ok(match (challenge.account, owner) {
            (None, None) => MailReader::NewAccount,
            (None, Some(_)) => MailReader::OtherAccount,
            (Some(_), _) => MailReader::NoAccount,
        });
    }
    let is_theirs = match flow.kind() {
        // The account has not verified the address yet: that is the purpose of the flow.
        FlowKind::VerifyEmail => {
            let contacts = contacts::list_account_contacts(engine.store(), id).await?;
            contacts
                .iter()
                .any(|contact: &ContactRow| contact.kind == ContactKind::Email && contact.lookup == lookup)
        }
        // The address must not belong to an account.
        FlowKind::ChangeEmail => owner.is_none(),
        _ => owner.is_some_and(|contact| contact.account == id),
    };
    let account = build_flow_account(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { MailReader::Account(account) } else { MailReader::NoAccount })
}

/// The same for a phone number.
pub(in crate::sign_in::flows) async fn find_phone_owner(
    engine: &Engine,
    flow: &AuthenticationFlow,
    challenge: &SmsChallenge,
) -> Result<MailReader, Failure> {
    let id = challenge.account.unwrap_or(NO_ACCOUNT);
    let account = accounts::find_account(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let number = challenge.number.as_str();
    let is_claim_enough = flow.kind() == FlowKind::VerifyPhone;
    let contacts = contacts::list_account_contacts(engine.store(), id).await?;
    let is_theirs = contacts.iter().any(|contact| {
        contact.kind == ContactKind::Phone
            && contact.lookup == number
            && (is_claim_enough || contact.verified_at.is_some())
    });
    let account = build_flow_account(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { MailReader::Account(account) } else { MailReader::NoAccount })
}

/// The refusal if another account verified the address meanwhile. It may be revealed, because the user proved
/// access to the address.
pub(in crate::sign_in::flows) fn address_taken() -> Refusal {
    Refusal::because(SignInRefusal::EmailTakenMeanwhile, "the address is taken")
}
