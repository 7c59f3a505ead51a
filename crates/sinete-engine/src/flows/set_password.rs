//! Giving an account a password, in whichever act that happens.

use super::attempts::{self, factor};
use crate::{Cause, Engine, Failed};
use sinete_core::flow::credential::password::PasswordHash;
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::security::event::EventKind;
use sinete_store::credentials::{self, Kind, NewCredential};
use sinete_store::{Act, Step};

/// Adds to an act that the account has this password and no other. What strangers did to the old one is forgotten.
pub(crate) async fn set_password(
    engine: &Engine,
    act: Act,
    account: AccountId,
    hash: &PasswordHash,
    cause: &Cause,
) -> Result<Act, Failed> {
    let now = engine.now();
    let kept = credentials::of_account(engine.store(), account).await?;
    let old = kept.iter().filter(|it| it.kind == Kind::Password).map(|it| credentials::remove(it, now));
    let old: Vec<Step> = old.collect();
    let event = engine.event(EventKind::PasswordSet, cause, now).about("account", account);
    let password = NewCredential {
        id: CredentialId::mint(now, engine.entropy()),
        account,
        kind: Kind::Password,
        name: "",
        handle: None,
        material: hash.0.as_bytes(),
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    };
    Ok(act
        .with_all(old)
        .with(credentials::add(&password))
        .with_all(attempts::forgive(account, factor::PASSWORD))
        .record(&event))
}
