//! Users of an Auth0 tenant, one JSON object per line: both the export with password hashes from Auth0's
//! support and the format of Auth0's own import.

use super::{
    AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, flag, language, text,
};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let id = raw.pointer("/_id/$oid").and_then(Value::as_str);
    let id = text(raw, "user_id").or(id).or_else(|| text(raw, "_id")).or_else(|| text(raw, "id"));
    let parts = match (text(raw, "given_name"), text(raw, "family_name")) {
        (Some(given), Some(family)) => Some(format!("{given} {family}")),
        (Some(_), None) | (None, _) => None,
    };
    // Auth0 uses the address as the name if it knows no better one.
    let name = text(raw, "name").filter(|name| Some(*name) != text(raw, "email"));
    let account = RawImportedAccount {
        id,
        email: text(raw, "email"),
        is_verified: flag(raw, "email_verified").unwrap_or(false),
        name: name.or(parts.as_deref()),
        language: raw.pointer("/user_metadata/locale").and_then(Value::as_str).and_then(language),
        is_disabled: flag(raw, "blocked") == Some(true),
        password: password(raw)?,
    };
    account.validate()
}

fn password(raw: &Value) -> Result<Option<ImportedPasswordHash>, AccountImportRejection> {
    let plain = text(raw, "passwordHash").or_else(|| text(raw, "password_hash"));
    if let Some(plain) = plain {
        return Ok(Some(ImportedPasswordHash::SelfContained(plain.to_owned())));
    }
    let Some(custom) = raw.get("custom_password_hash") else { return Ok(None) };
    let algorithm = text(custom, "algorithm").unwrap_or_default();
    if !["argon2", "bcrypt", "pbkdf2"].contains(&algorithm) {
        return Err(AccountImportRejection(format!(
            "its password was hashed by {algorithm:?}, which is not supported"
        )));
    }
    let value = custom.pointer("/hash/value").and_then(Value::as_str);
    let value =
        value.ok_or_else(|| AccountImportRejection::new("its custom_password_hash has no /hash/value"))?;
    if custom.pointer("/hash/encoding").and_then(Value::as_str).is_some_and(|encoding| encoding != "utf8") {
        return Err(AccountImportRejection::new("its custom_password_hash is not encoded as utf8"));
    }
    Ok(Some(ImportedPasswordHash::SelfContained(value.to_owned())))
}
