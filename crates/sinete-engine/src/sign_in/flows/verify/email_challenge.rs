//! Whether what was mailed may still lead on: the address is whose it was, and they can sign in.

use super::NO_ACCOUNT;
use crate::sign_in::flows::account;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{EmailChallenge, SmsChallenge};
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::sign_in::credentials;

/// Whose mail it is by now.
pub(in crate::sign_in::flows) enum MailReader {
    /// Nobody's that this flow could be about.
    Nobody,
    /// Somebody's who can sign in, with what they have set up.
    Person(FlowAccount),
    /// Nobody's yet: an account can be made for the address.
    Newcomer,
    /// Somebody else's, who proved the address meanwhile.
    Taken,
}

/// Whose mail it is by now. As much is asked about an address that is nobody's.
pub(in crate::sign_in::flows) async fn find_mail_reader(
    engine: &Engine,
    flow: &AuthenticationFlow,
    mailed: &EmailChallenge,
) -> Result<MailReader, Failure> {
    let id = mailed.account.unwrap_or(NO_ACCOUNT);
    let account = accounts::find_account(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let lookup = mailed.address.lookup_key();
    let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
    if flow.kind() == FlowKind::SignUp {
        return Ok(match (mailed.account, owner) {
            (None, None) => MailReader::Newcomer,
            (None, Some(_)) => MailReader::Taken,
            (Some(_), _) => MailReader::Nobody,
        });
    }
    let is_theirs = match flow.kind() {
        // The account claims the address and has not proven it: that is what the flow is for.
        FlowKind::VerifyEmail => {
            let known = contacts::list_account_contacts(engine.store(), id).await?;
            known
                .iter()
                .any(|contact: &ContactRow| contact.kind == ContactKind::Email && contact.lookup == lookup)
        }
        // Nobody's yet: whoever reads it may be reached at it.
        FlowKind::ChangeEmail => owner.is_none(),
        _ => owner.is_some_and(|contact| contact.account == id),
    };
    let person = account::build_person(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { MailReader::Person(person) } else { MailReader::Nobody })
}

/// The same of a telephone.
pub(in crate::sign_in::flows) async fn find_phone_owner(
    engine: &Engine,
    flow: &AuthenticationFlow,
    texted: &SmsChallenge,
) -> Result<MailReader, Failure> {
    let id = texted.account.unwrap_or(NO_ACCOUNT);
    let account = accounts::find_account(engine.store(), id).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let number = texted.number.as_str();
    let is_claim_enough = flow.kind() == FlowKind::VerifyPhone;
    let known = contacts::list_account_contacts(engine.store(), id).await?;
    let is_theirs = known.iter().any(|contact| {
        contact.kind == ContactKind::Phone
            && contact.lookup == number
            && (is_claim_enough || contact.verified_at.is_some())
    });
    let person = account::build_person(engine, id, &credentials).await?;
    Ok(if is_enabled && is_theirs { MailReader::Person(person) } else { MailReader::Nobody })
}

/// Whoever proved an address may know that somebody else proved it meanwhile.
pub(in crate::sign_in::flows) fn address_taken() -> Refusal {
    let public = "an account with this address was made meanwhile: sign in to it";
    Refusal::new(RefusalCode::Conflict, public, "the address is taken")
}
