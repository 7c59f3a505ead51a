//! Users of a Firebase project, as `firebase auth:export` writes them in JSON.

use super::{AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, flag, text};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let password = match (text(raw, "passwordHash"), text(raw, "salt")) {
        (Some(tag), Some(salt)) => {
            Some(ImportedPasswordHash::Firebase { salt: salt.to_owned(), tag: tag.to_owned() })
        }
        (Some(_), None) => return Err(AccountImportRejection::new("its password has no salt")),
        (None, _) => None,
    };
    let account = RawImportedAccount {
        id: text(raw, "localId"),
        email: text(raw, "email"),
        is_verified: flag(raw, "emailVerified").unwrap_or(false),
        name: text(raw, "displayName"),
        language: None,
        is_disabled: flag(raw, "disabled") == Some(true),
        password,
    };
    account.validate()
}
