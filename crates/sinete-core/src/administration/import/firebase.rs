//! Users of a Firebase project, as `firebase auth:export` writes them in JSON.

use super::{
    AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, read_flag, read_text,
};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let password = match (read_text(raw, "passwordHash"), read_text(raw, "salt")) {
        (Some(tag), Some(salt)) => {
            Some(ImportedPasswordHash::Firebase { salt: salt.to_owned(), tag: tag.to_owned() })
        }
        (Some(_), None) => return Err(AccountImportRejection::new("its password has no salt")),
        (None, _) => None,
    };
    let account = RawImportedAccount {
        id: read_text(raw, "localId"),
        email: read_text(raw, "email"),
        is_verified: read_flag(raw, "emailVerified").unwrap_or(false),
        name: read_text(raw, "displayName"),
        language: None,
        is_disabled: read_flag(raw, "disabled") == Some(true),
        password,
    };
    account.validate()
}
