//! What a person signs in with: listed, named, removed. Nothing secret is ever shown of it.

pub mod passkey;
pub mod password;
pub mod password_change;

use super::account_holder::{AccountHolder, list_sign_in_methods, not_found, sign_in_method};
use crate::oauth::logout;
use crate::organizations::precondition_failed;
use crate::platform::email;
use crate::platform::email::EmailKind;
use crate::sign_in::{sessions, sign_in_alerts};
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::CredentialId;
use sinete_core::limits::CREDENTIAL_NAME_CHARACTERS_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::sign_in_methods::allow_sign_in;
use sinete_core::validation::{ValidationErrors, is_display_text};
use sinete_crypto::sign_in::credentials::webauthn::StoredPasskey;
use sinete_store::WriteBatch;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::recovery_codes;
pub use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};

/// A credential, as its owner is shown it.
#[derive(Clone, Debug)]
pub struct CredentialOverview {
    /// The credential. Its material stays here.
    pub credential: CredentialRow,
    /// What is known of a passkey beside its key.
    pub passkey: Option<StoredPasskey>,
    /// How many codes of a set are left.
    pub codes_left: Option<i64>,
}

/// What the person has to sign in with, oldest first.
pub async fn list(engine: &Engine, oneself: &AccountHolder) -> Result<Vec<CredentialOverview>, Failure> {
    let mut all = Vec::new();
    for credential in credentials::list_account_credentials(engine.store(), oneself.account()).await? {
        all.push(to_overview(engine, credential).await?);
    }
    Ok(all)
}

/// Gives a credential another name.
pub async fn rename(
    engine: &Engine,
    oneself: &AccountHolder,
    id: CredentialId,
    name: &str,
) -> Result<Result<CredentialOverview, Refusal>, Failure> {
    let name = match check_credential_name(name) {
        Ok(name) => name,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let credential = match find(engine, oneself, id).await? {
        Ok(credential) => credential,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let event = oneself.event(engine, EventKind::CredentialRenamed).with_subject("credential", id);
    let act = WriteBatch::new()
        .with_statement(credentials::rename_credential(&credential, name))
        .with_event(&event);
    if engine.store().commit(act).await?.is_err() {
        return Ok(Err(precondition_failed()));
    }
    match find(engine, oneself, id).await? {
        Ok(credential) => to_overview(engine, credential).await.map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Removes a credential for good, if the person can still sign in without it. Their other sessions end: whoever
/// was let in by it is let in no longer.
pub async fn remove(
    engine: &Engine,
    oneself: &AccountHolder,
    id: CredentialId,
) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = oneself.require_fresh_authentication(engine).await? {
        return Ok(Err(refusal));
    }
    let (account, now) = (oneself.account(), oneself.now());
    for _ in 0..ATTEMPTS_MAX {
        // Two acts do not both move the account on from one version: of two last credentials that are removed
        // together one remains.
        let person = crate::accounts::profile::show(engine, oneself).await?;
        let credential = match find(engine, oneself, id).await? {
            Ok(credential) => credential,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut kept = list_sign_in_methods(engine, account).await?;
        let place = sign_in_method(&credential).and_then(|way| kept.iter().position(|it| *it == way));
        if let Some(place) = place {
            kept.remove(place);
        }
        if !allow_sign_in(&kept) {
            let public = "this is the last thing you can sign in with: set up another first";
            return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "the last way in")));
        }
        let event = oneself.event(engine, EventKind::CredentialRemoved).with_subject("credential", id);
        let act = WriteBatch::new()
            .with_statement(sinete_store::accounts::advance_account_version(&person))
            .with_statement(credentials::remove_credential(&credential, now))
            .with_event(&event.with_detail("kind", kind_name(credential.kind)));
        let kept = Some(oneself.signed_in.session.id);
        let (act, ended) = sessions::end_other_sessions(engine, act, account, kept, &oneself.cause).await?;
        let removed = email::EmailedCredential { kind: credential.kind, name: &credential.name };
        let about = EmailKind::CredentialRemoved(removed);
        let act = sign_in_alerts::notify_owner(engine, act, account, about).await?;
        if engine.store().commit(act).await?.is_ok() {
            drop(logout::spawn_notifications(engine, ended, &oneself.cause));
            return Ok(Ok(()));
        }
    }
    Err(Failure::Contended)
}

/// The name of a kind of credential, as the outside reads it.
pub const fn kind_name(kind: StoredCredentialKind) -> &'static str {
    match kind {
        StoredCredentialKind::Passkey => "passkey",
        StoredCredentialKind::Password => "password",
        StoredCredentialKind::Totp => "totp",
        StoredCredentialKind::RecoveryCodes => "recovery_codes",
    }
}

/// A name somebody gives to a credential.
pub(crate) fn check_credential_name(name: &str) -> Result<&str, Refusal> {
    let name = name.trim();
    if is_display_text(name, CREDENTIAL_NAME_CHARACTERS_MAX) {
        return Ok(name);
    }
    let mut faults = ValidationErrors::default();
    faults.add("/name", "1 to 100 visible characters without control or direction marks");
    Err(Refusal::from_validation_errors(faults))
}

async fn find(
    engine: &Engine,
    oneself: &AccountHolder,
    id: CredentialId,
) -> Result<Result<CredentialRow, Refusal>, Failure> {
    let known = credentials::list_account_credentials(engine.store(), oneself.account()).await?;
    let found = known.into_iter().find(|credential| credential.id == id);
    Ok(found.ok_or_else(|| not_found("no such credential of this account")))
}

async fn to_overview(engine: &Engine, credential: CredentialRow) -> Result<CredentialOverview, Failure> {
    let passkey = match credential.kind {
        StoredCredentialKind::Passkey => StoredPasskey::from_bytes(&credential.material).ok(),
        StoredCredentialKind::Password | StoredCredentialKind::Totp | StoredCredentialKind::RecoveryCodes => {
            None
        }
    };
    let codes_left = match credential.kind {
        StoredCredentialKind::RecoveryCodes => {
            Some(recovery_codes::count_unspent_codes(engine.store(), credential.id).await?)
        }
        StoredCredentialKind::Passkey | StoredCredentialKind::Password | StoredCredentialKind::Totp => None,
    };
    Ok(CredentialOverview { credential, passkey, codes_left })
}
