//! Sets the password of an account within any transaction.

use crate::sign_in::lockout;
use crate::sign_in::lockout::factor;
use crate::{Engine, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::sign_in::credentials::password::PasswordHash;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{NewCredential, StoredCredentialKind};
use sinete_store::{GuardedStatement, WriteBatch};

/// Adds the password to a batch, replacing any other, and resets the counters of unknown devices.
pub(crate) async fn set_password(
    engine: &Engine,
    batch: WriteBatch,
    account: AccountId,
    hash: &PasswordHash,
    cause: &EventCause,
) -> Result<WriteBatch, Failure> {
    let now = engine.now();
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    let old = credentials
        .iter()
        .filter(|it| it.kind == StoredCredentialKind::Password)
        .map(|it| credentials::remove_credential(it, now));
    let old: Vec<GuardedStatement> = old.collect();
    let event = engine.event(EventKind::PasswordSet, cause, now).with_subject("account", account);
    let password = NewCredential {
        id: CredentialId::mint(now, engine.entropy()),
        account,
        kind: StoredCredentialKind::Password,
        name: "",
        handle: None,
        material: hash.0.as_bytes(),
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    };
    Ok(batch
        .with_statements(old)
        .with_statement(credentials::add_credential(&password))
        .with_statements(lockout::reset_unknown_devices(account, factor::PASSWORD))
        .with_event(&event))
}
