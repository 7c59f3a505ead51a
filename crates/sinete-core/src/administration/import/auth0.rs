//! Users of an Auth0 tenant, one JSON object per line: both the export with password hashes from Auth0's
//! support and the format of Auth0's own import.

use super::{
    AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, parse_language,
    read_flag, read_text,
};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let id = raw.pointer("/_id/$oid").and_then(Value::as_str);
    let id =
        read_text(raw, "user_id").or(id).or_else(|| read_text(raw, "_id")).or_else(|| read_text(raw, "id"));
    let parts = match (read_text(raw, "given_name"), read_text(raw, "family_name")) {
        (Some(given_name), Some(family)) => Some(format!("{given_name} {family}")),
        (Some(_), None) | (None, _) => None,
    };
    // Auth0 uses the address as the name if it knows no better one.
    let name = read_text(raw, "name").filter(|name| Some(*name) != read_text(raw, "email"));
    let account = RawImportedAccount {
        id,
        email: read_text(raw, "email"),
        is_verified: read_flag(raw, "email_verified").unwrap_or(false),
        name: name.or(parts.as_deref()),
        language: raw.pointer("/user_metadata/locale").and_then(Value::as_str).and_then(parse_language),
        is_disabled: read_flag(raw, "blocked") == Some(true),
        password: parse_password(raw)?,
    };
    account.validate()
}

fn parse_password(raw: &Value) -> Result<Option<ImportedPasswordHash>, AccountImportRejection> {
    let plain = read_text(raw, "passwordHash").or_else(|| read_text(raw, "password_hash"));
    if let Some(plain) = plain {
        return Ok(Some(ImportedPasswordHash::SelfContained(plain.to_owned())));
    }
    let Some(custom) = raw.get("custom_password_hash") else { return Ok(None) };
    let algorithm = read_text(custom, "algorithm").unwrap_or_default();
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
