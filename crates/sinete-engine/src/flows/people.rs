//! Who somebody is to a flow.

use crate::{Engine, Failed};
use sinete_core::flow::person::{Person, Way};
use sinete_core::id::AccountId;
use sinete_store::credentials::{self, Credential, Kind};

/// Somebody with everything they have set up to prove themselves with.
pub async fn person(engine: &Engine, account: AccountId) -> Result<Person, Failed> {
    let credentials = credentials::of_account(engine.store(), account).await?;
    Ok(of(account, &credentials))
}

/// The same, of credentials that were read already. What was not shown to work, or is switched off, is none.
pub(super) fn of(account: AccountId, credentials: &[Credential]) -> Person {
    let in_use = credentials.iter().filter(|it| it.confirmed_at.is_some() && it.disabled_at.is_none());
    let way = |credential: &Credential| match credential.kind {
        Kind::Passkey => Way::Passkey,
        Kind::Password => Way::Password,
        Kind::Totp => Way::Totp,
        Kind::RecoveryCodes => Way::RecoveryCode,
    };
    Person { account, ways: in_use.map(way).collect() }
}
