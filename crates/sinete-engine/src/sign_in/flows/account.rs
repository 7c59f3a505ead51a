//! Accounts, as flows see them.

use super::SmsDelivery;
use super::verify::NO_ACCOUNT;
use crate::platform::email::EmailReader;
use crate::{Engine, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::assurance::proof_method::AuthenticationProofMethod;
use sinete_core::id::AccountId;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use std::collections::BTreeSet;

/// Loads an account with all its sign-in methods.
pub async fn load_person(engine: &Engine, account: AccountId) -> Result<FlowAccount, Failure> {
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    build_person(engine, account, &credentials).await
}

/// The same with credentials that were already read. Unconfirmed credentials do not count; disabled ones
/// count as set up. A verified phone number counts if SMS can be delivered.
pub(crate) async fn build_person(
    engine: &Engine,
    account: AccountId,
    credentials: &[CredentialRow],
) -> Result<FlowAccount, Failure> {
    let set_up = credentials.iter().filter(|it| it.confirmed_at.is_some());
    let (in_use, closed): (Vec<_>, Vec<_>) = set_up.partition(|it| it.disabled_at.is_none());
    let way = |credential: &CredentialRow| match credential.kind {
        StoredCredentialKind::Passkey => AuthenticationProofMethod::Passkey,
        StoredCredentialKind::Password => AuthenticationProofMethod::Password,
        StoredCredentialKind::Totp => AuthenticationProofMethod::Totp,
        StoredCredentialKind::RecoveryCodes => AuthenticationProofMethod::RecoveryCode,
    };
    let number = find_sms_number(engine, account).await?.map(|_| AuthenticationProofMethod::SmsCode);
    let mut ways: BTreeSet<AuthenticationProofMethod> = in_use.into_iter().map(way).chain(number).collect();
    // A user with credentials of their own must use them: an organization's identity provider does not decide
    // about the account itself.
    let has_own = crate::sign_in::account_holder::has_own_sign_in_method(engine, account).await?;
    // Queried in every case, so that the work does not reveal whether the account exists.
    let is_linked = !super::list_usable_identities(engine, account).await?.is_empty();
    if is_linked && !has_own {
        ways.insert(AuthenticationProofMethod::SingleSignOn);
    }
    Ok(FlowAccount { account, ways, closed: closed.into_iter().map(way).collect() })
}

/// The verified phone number for codes, if SMS can be delivered.
pub(crate) async fn find_sms_number(
    engine: &Engine,
    account: AccountId,
) -> Result<Option<PhoneNumber>, Failure> {
    if engine.settings().flows.sms == SmsDelivery::Off {
        return Ok(None);
    }
    let known = contacts::list_account_contacts(engine.store(), account).await?;
    let proven = known.iter().filter(|it| it.kind == ContactKind::Phone && it.verified_at.is_some());
    Ok(proven.max_by_key(|it| it.is_primary).and_then(|it| it.address.parse().ok()))
}

/// The language of messages: the user's preference, or else that of the flow.
pub(crate) async fn preferred_language(
    engine: &Engine,
    account: Option<AccountId>,
    otherwise: Language,
) -> Result<Language, Failure> {
    Ok(preferred_reader(engine, account, otherwise).await?.language)
}

/// The language and the time zone of messages: the user's, or else the language of the flow and UTC.
pub(crate) async fn preferred_reader(
    engine: &Engine,
    account: Option<AccountId>,
    otherwise: Language,
) -> Result<EmailReader, Failure> {
    let Some(known) = accounts::find_account(engine.store(), account.unwrap_or(NO_ACCOUNT)).await? else {
        return Ok(otherwise.into());
    };
    let profile: serde_json::Map<String, serde_json::Value> = known.profile.parse()?;
    let chosen = known.language.as_deref().and_then(Language::from_locale_list);
    let time_zone = profile.get("zoneinfo").and_then(|zone| zone.as_str()).map(str::to_owned);
    Ok(EmailReader { language: chosen.unwrap_or(otherwise), time_zone })
}
