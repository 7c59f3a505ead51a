//! The account's own profile and language.

use crate::organizations::precondition_failed;
use crate::sign_in::account_holder::AccountHolder;
use crate::{Engine, Error, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::standard_claims::StandardClaims;
use sinete_core::events::security_event::EventKind;
pub use sinete_store::accounts::AccountRow;
use sinete_store::{BatchOutcome, JsonDocument, WriteBatch, accounts};

/// A change of the profile.
#[derive(Clone, Debug)]
pub struct ProfileChange {
    /// The standard claims.
    pub claims: StandardClaims,
    /// The preferred language; `None` if unknown.
    pub language: Option<Language>,
}

/// Loads the account.
pub async fn show(engine: &Engine, oneself: &AccountHolder) -> Result<AccountRow, Failure> {
    oneself.load_account(engine).await
}

/// Changes the account, given the version that was read.
pub async fn change(
    engine: &Engine,
    oneself: &AccountHolder,
    seen: i64,
    changed: &ProfileChange,
) -> Result<AccountRow, Error> {
    let account = show(engine, oneself).await?;
    if account.version != seen {
        return Err(precondition_failed().into());
    }
    let claims = StandardClaims { updated_at: Some(oneself.now().seconds()), ..changed.claims.clone() };
    let language = changed.language.map(Language::stored_value);
    let event = oneself.event(engine, EventKind::AccountChanged).with_subject("account", account.id);
    let step = accounts::change_account_profile(&account, &JsonDocument::from_value(&claims)?, language);
    match engine.store().commit(WriteBatch::new().with_statement(step).with_event(&event)).await? {
        BatchOutcome::Committed(_) => Ok(show(engine, oneself).await?),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}
