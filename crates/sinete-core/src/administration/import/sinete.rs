//! Our own import format: one JSON object per line; unknown members are rejected.

use super::{AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount};
use crate::accounts::language::Language;
use serde::Deserialize;
use serde_json::Value;

/// One account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SineteImportLine {
    id: Option<String>,
    email: String,
    #[serde(default)]
    email_verified: bool,
    name: Option<String>,
    language: Option<Language>,
    #[serde(default = "default_true")]
    enabled: bool,
    password_hash: Option<String>,
}

const fn default_true() -> bool {
    true
}

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let line =
        SineteImportLine::deserialize(raw).map_err(|error| AccountImportRejection(error.to_string()))?;
    let account = RawImportedAccount {
        id: line.id.as_deref(),
        email: Some(&line.email),
        is_verified: line.email_verified,
        name: line.name.as_deref(),
        language: line.language,
        is_disabled: !line.enabled,
        password: line.password_hash.map(ImportedPasswordHash::SelfContained),
    };
    account.validate()
}
