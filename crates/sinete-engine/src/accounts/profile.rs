//! The account's own profile and language.

use crate::organizations::precondition_failed;
use crate::sign_in::account_holder::AccountHolder;
use crate::{Engine, Error, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::standard_claims::StandardClaims;
use sinete_core::events::security_event::EventKind;
pub use sinete_store::accounts::AccountRow;
use sinete_store::accounts::pictures;
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, WriteBatch, accounts};

/// A change of the profile.
#[derive(Clone, Debug)]
pub struct ProfileChange {
    /// The standard claims.
    pub claims: StandardClaims,
    /// The preferred language; `None` if unknown.
    pub language: Option<Language>,
}

/// Loads the account.
pub async fn show(engine: &Engine, account_holder: &AccountHolder) -> Result<AccountRow, Failure> {
    account_holder.load_account(engine).await
}

/// Changes the account, given the version that was read. A picture that the profile no longer refers to is deleted.
pub async fn change(
    engine: &Engine,
    account_holder: &AccountHolder,
    expected_version: i64,
    changed: &ProfileChange,
) -> Result<AccountRow, Error> {
    let before: StandardClaims = show(engine, account_holder).await?.profile.parse()?;
    let is_replaced = before.picture != changed.claims.picture;
    let unused = is_replaced.then(|| pictures::delete_account_picture(account_holder.account()));
    commit_change(engine, account_holder, expected_version, changed, unused).await
}

/// Commits a change together with that of the picture.
pub(super) async fn commit_change(
    engine: &Engine,
    account_holder: &AccountHolder,
    expected_version: i64,
    changed: &ProfileChange,
    picture: impl IntoIterator<Item = GuardedStatement>,
) -> Result<AccountRow, Error> {
    let account = show(engine, account_holder).await?;
    if account.version != expected_version {
        return Err(precondition_failed().into());
    }
    let claims =
        StandardClaims { updated_at: Some(account_holder.now().seconds()), ..changed.claims.clone() };
    let language = changed.language.map(Language::stored_value);
    let event = account_holder.event(engine, EventKind::AccountChanged).with_subject("account", account.id);
    let step = accounts::change_account_profile(&account, &JsonDocument::from_value(&claims)?, language);
    let batch = WriteBatch::new().with_statement(step).with_statements(picture).with_event(&event);
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(show(engine, account_holder).await?),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}
