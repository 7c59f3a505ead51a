//! Who somebody is to a flow.

use super::SmsDelivery;
use super::verify::NO_ACCOUNT;
use crate::{Engine, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::id::AccountId;
use sinete_core::sign_in::flows::account::{AuthenticationProofMethod, FlowAccount};
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use std::collections::BTreeSet;

/// Somebody with everything they have set up to prove themselves with.
pub async fn load_person(engine: &Engine, account: AccountId) -> Result<FlowAccount, Failure> {
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    build_person(engine, account, &credentials).await
}

/// The same, of credentials that were read already. What was not shown to work is none; what was switched off was set up
/// all the same. A number that is proven counts where short messages leave.
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
    // Whoever has something of their own proves themselves with that: an organization's provider does not speak for
    // them where they decide about their account.
    let has_own = crate::sign_in::account_holder::has_own_sign_in_method(engine, account).await?;
    // It is asked of everybody, so that as much is asked about somebody who is not there.
    let is_linked = !super::list_usable_identities(engine, account).await?.is_empty();
    if is_linked && !has_own {
        ways.insert(AuthenticationProofMethod::SingleSignOn);
    }
    Ok(FlowAccount { account, ways, closed: closed.into_iter().map(way).collect() })
}

/// The telephone that digits are sent to for an account, if it has proven one and messages leave.
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

/// The language somebody is written to in: the one they chose, or else the one they are walking in.
pub(crate) async fn preferred_language(
    engine: &Engine,
    account: Option<AccountId>,
    otherwise: Language,
) -> Result<Language, Failure> {
    let known = accounts::find_account(engine.store(), account.unwrap_or(NO_ACCOUNT)).await?;
    let chosen = known.and_then(|account| account.language);
    Ok(chosen.and_then(|tag| Language::from_locale_list(&tag)).unwrap_or(otherwise))
}
