//! The credentials of an account: listing, renaming, removing. Secrets are never shown.

pub mod passkey;
pub mod password;
pub mod password_change;

use super::account_holder::{AccountHolder, list_sign_in_methods, not_found, sign_in_method};
use crate::organizations::precondition_failed;
use crate::platform::email;
use crate::platform::email::EmailKind;
use crate::sign_in::backchannel_logout;
use crate::sign_in::{sessions, sign_in_alerts};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::CredentialId;
use sinete_core::limits::CREDENTIAL_NAME_CHARACTERS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::sign_in_methods::allow_sign_in;
use sinete_core::validation::{ValidationErrors, is_display_text};
use sinete_crypto::sign_in::credentials::webauthn::StoredPasskey;
use sinete_store::WriteBatch;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::recovery_codes;
pub use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};

/// A credential, as shown to the account holder.
#[derive(Clone, Debug)]
pub struct ListedCredential {
    /// The credential. Its secret material is not shown.
    pub credential: CredentialRow,
    /// The passkey data, if it is a passkey.
    pub passkey: Option<StoredPasskey>,
    /// The number of unused recovery codes, if it is a set of them.
    pub codes_left: Option<i64>,
}

/// Lists the credentials, oldest first.
pub async fn list(engine: &Engine, account_holder: &AccountHolder) -> Result<Vec<ListedCredential>, Failure> {
    let mut all = Vec::new();
    for credential in credentials::list_account_credentials(engine.store(), account_holder.account()).await? {
        all.push(to_overview(engine, credential).await?);
    }
    Ok(all)
}

/// Renames a credential.
pub async fn rename(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: CredentialId,
    name: &str,
) -> Result<ListedCredential, Error> {
    let name = check_credential_name(name)?;
    let credential = find(engine, account_holder, id).await?;
    let event = account_holder.event(engine, EventKind::CredentialRenamed).with_subject("credential", id);
    let batch = WriteBatch::new()
        .with_statement(credentials::rename_credential(&credential, name))
        .with_event(&event);
    if !engine.store().commit(batch).await?.is_committed() {
        return Err(precondition_failed().into());
    }
    let credential = find(engine, account_holder, id).await?;
    Ok(to_overview(engine, credential).await?)
}

/// Removes a credential permanently, if the user can still sign in without it. Other sessions end, because
/// they may be based on it.
pub async fn remove(engine: &Engine, account_holder: &AccountHolder, id: CredentialId) -> Result<(), Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let (account, now) = (account_holder.account(), account_holder.now());
    for _ in 0..ATTEMPTS_MAX {
        // Guarded by the account's version, so that two concurrent requests cannot remove the last two
        // credentials.
        let account_row = account_holder.load_account(engine).await?;
        let credential = find(engine, account_holder, id).await?;
        let mut sign_in_methods = list_sign_in_methods(engine, account).await?;
        let position = sign_in_method(&credential)
            .and_then(|sign_in_method| sign_in_methods.iter().position(|it| *it == sign_in_method));
        if let Some(index) = position {
            sign_in_methods.remove(index);
        }
        if !allow_sign_in(&sign_in_methods) {
            return Err(Refusal::because(SignInRefusal::LastCredential, "the last sign-in method").into());
        }
        let event = account_holder.event(engine, EventKind::CredentialRemoved).with_subject("credential", id);
        let batch = WriteBatch::new()
            .with_statement(sinete_store::accounts::advance_account_version(&account_row))
            .with_statement(credentials::remove_credential(&credential, now))
            .with_event(&event.with_detail("kind", kind_name(credential.kind)));
        let kept_session = Some(account_holder.signed_in.session.id);
        let (batch, ended) =
            sessions::end_other_sessions(engine, batch, account, kept_session, &account_holder.cause).await?;
        let removed = email::NotifiedCredential { kind: credential.kind, name: &credential.name };
        let email_kind = EmailKind::CredentialRemoved(removed);
        let batch = sign_in_alerts::notify_owner(engine, batch, account, email_kind).await?;
        if engine.store().commit(batch).await?.is_committed() {
            drop(backchannel_logout::spawn_notifications(engine, ended, &account_holder.cause));
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// The public name of a credential kind.
pub const fn kind_name(kind: StoredCredentialKind) -> &'static str {
    match kind {
        StoredCredentialKind::Passkey => "passkey",
        StoredCredentialKind::Password => "password",
        StoredCredentialKind::Totp => "totp",
        StoredCredentialKind::RecoveryCodes => "recovery_codes",
    }
}

/// Checks a name for a credential.
pub(crate) fn check_credential_name(name: &str) -> Result<&str, Refusal> {
    let name = name.trim();
    if is_display_text(name, CREDENTIAL_NAME_CHARACTERS_MAX) {
        return Ok(name);
    }
    let mut errors = ValidationErrors::default();
    errors.add("/name", "must be 1 to 100 visible characters, without control or direction characters");
    Err(Refusal::from_validation_errors(errors))
}

async fn find(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: CredentialId,
) -> Result<CredentialRow, Error> {
    let credentials = credentials::list_account_credentials(engine.store(), account_holder.account()).await?;
    let credential_row = credentials.into_iter().find(|credential| credential.id == id);
    Ok(credential_row.ok_or_else(|| not_found("no such credential of this account"))?)
}

async fn to_overview(engine: &Engine, credential: CredentialRow) -> Result<ListedCredential, Failure> {
    let passkey = match credential.kind {
        StoredCredentialKind::Passkey => StoredPasskey::from_bytes(&credential.material).ok(),
        StoredCredentialKind::Password | StoredCredentialKind::Totp | StoredCredentialKind::RecoveryCodes => {
            None
        }
    };
    let codes_left = match credential.kind {
        StoredCredentialKind::RecoveryCodes => {
            Some(recovery_codes::count_unused_codes(engine.store(), credential.id).await?)
        }
        StoredCredentialKind::Passkey | StoredCredentialKind::Password | StoredCredentialKind::Totp => None,
    };
    Ok(ListedCredential { credential, passkey, codes_left })
}
