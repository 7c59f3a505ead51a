//! Users of a full or partial Keycloak realm export. A password hash is spread over two strings that contain
//! JSON.

use super::{
    AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, flag, language, text,
};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let name = match (text(raw, "firstName"), text(raw, "lastName")) {
        (Some(first), Some(last)) => format!("{first} {last}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    };
    let locale = raw.pointer("/attributes/locale/0").and_then(Value::as_str);
    if flag(raw, "serviceAccountClientId").is_some() || text(raw, "serviceAccountClientId").is_some() {
        return Err(AccountImportRejection::new("it is the account of a client, not of a user"));
    }
    let account = RawImportedAccount {
        id: text(raw, "id"),
        email: text(raw, "email"),
        is_verified: flag(raw, "emailVerified").unwrap_or(false),
        name: Some(&name),
        language: locale.and_then(language),
        is_disabled: flag(raw, "enabled") == Some(false),
        password: password(raw)?,
    };
    account.validate()
}

/// Finds the password among the credentials; other kinds are not imported.
fn password(raw: &Value) -> Result<Option<ImportedPasswordHash>, AccountImportRejection> {
    let credentials = raw.get("credentials").and_then(Value::as_array);
    let is_password = |it: &&Value| text(it, "type") == Some("password");
    let Some(credential) = credentials.and_then(|all| all.iter().find(is_password)) else { return Ok(None) };
    let hash = match (part(credential, "credentialData")?, part(credential, "secretData")?) {
        (Some(data), Some(secret)) => KeycloakPasswordHash {
            algorithm: text(&data, "algorithm").map(str::to_owned),
            iterations: data.get("hashIterations").and_then(Value::as_u64),
            salt: text(&secret, "salt").map(str::to_owned),
            tag: text(&secret, "value").map(str::to_owned),
            more: data.get("additionalParameters").cloned().unwrap_or_default(),
        },
        // Realms exported before version 8 have all parts in the credential itself.
        (None, _) | (_, None) => KeycloakPasswordHash {
            algorithm: text(credential, "algorithm").map(str::to_owned),
            iterations: credential.get("hashIterations").and_then(Value::as_u64),
            salt: text(credential, "salt").map(str::to_owned),
            tag: text(credential, "hashedSaltedValue").map(str::to_owned),
            more: Value::Null,
        },
    };
    hash.to_phc_text().map(|whole| Some(ImportedPasswordHash::SelfContained(whole)))
}

/// Parses a string member that contains JSON.
fn part(credential: &Value, name: &str) -> Result<Option<Value>, AccountImportRejection> {
    let Some(inner) = text(credential, name) else { return Ok(None) };
    serde_json::from_str(inner)
        .map(Some)
        .map_err(|error| AccountImportRejection(format!("its {name} is not JSON: {error}")))
}

struct KeycloakPasswordHash {
    algorithm: Option<String>,
    iterations: Option<u64>,
    salt: Option<String>,
    tag: Option<String>,
    more: Value,
}

impl KeycloakPasswordHash {
    /// Converts the hash to the PHC string format.
    fn to_phc_text(&self) -> Result<String, AccountImportRejection> {
        let missing = || {
            AccountImportRejection::new(
                "its password lacks an algorithm, a number of iterations, a salt or a value",
            )
        };
        let algorithm = self.algorithm.as_deref().ok_or_else(missing)?;
        let iterations = self.iterations.ok_or_else(missing)?;
        let salt = self.salt.as_deref().ok_or_else(missing)?.trim_end_matches('=');
        let tag = self.tag.as_deref().ok_or_else(missing)?.trim_end_matches('=');
        match algorithm {
            "pbkdf2" => Ok(format!("$pbkdf2-sha1${iterations}${salt}${tag}")),
            "pbkdf2-sha256" | "pbkdf2-sha512" => Ok(format!("${algorithm}${iterations}${salt}${tag}")),
            "argon2" => {
                let memory = self.parameter("memory").ok_or_else(missing)?;
                let lanes = self.parameter("parallelism").ok_or_else(missing)?;
                let kind = self.parameter("type").unwrap_or("id");
                let version = if self.parameter("version") == Some("1.0") { 16 } else { 19 };
                Ok(format!("$argon2{kind}$v={version}$m={memory},t={iterations},p={lanes}${salt}${tag}"))
            }
            other => Err(AccountImportRejection(format!(
                "its password was hashed by {other:?}, which is not supported"
            ))),
        }
    }

    /// Reads one of the additional parameters, each of which is a list with one item.
    fn parameter(&self, name: &str) -> Option<&str> {
        self.more.get(name)?.get(0)?.as_str()
    }
}
