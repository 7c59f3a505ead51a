//! Users of a full or partial Keycloak realm export. A password hash is spread over two strings that contain
//! JSON.

use super::{
    AccountImportRejection, ImportedAccount, ImportedPasswordHash, RawImportedAccount, parse_language,
    read_flag, read_text,
};
use serde_json::Value;

pub(super) fn parse_account(raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
    let name = match (read_text(raw, "firstName"), read_text(raw, "lastName")) {
        (Some(first), Some(last)) => format!("{first} {last}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    };
    let locale = raw.pointer("/attributes/locale/0").and_then(Value::as_str);
    if read_flag(raw, "serviceAccountClientId").is_some()
        || read_text(raw, "serviceAccountClientId").is_some()
    {
        return Err(AccountImportRejection::new("it is the account of a client, not of a user"));
    }
    let account = RawImportedAccount {
        id: read_text(raw, "id"),
        email: read_text(raw, "email"),
        is_verified: read_flag(raw, "emailVerified").unwrap_or(false),
        name: Some(&name),
        language: locale.and_then(parse_language),
        is_disabled: read_flag(raw, "enabled") == Some(false),
        password: parse_password(raw)?,
    };
    account.validate()
}

/// Finds the password among the credentials; other kinds are not imported.
fn parse_password(raw: &Value) -> Result<Option<ImportedPasswordHash>, AccountImportRejection> {
    let credentials = raw.get("credentials").and_then(Value::as_array);
    let is_password = |it: &&Value| read_text(it, "type") == Some("password");
    let Some(credential) = credentials.and_then(|all| all.iter().find(is_password)) else { return Ok(None) };
    let hash = match (
        parse_json_member(credential, "credentialData")?,
        parse_json_member(credential, "secretData")?,
    ) {
        (Some(data), Some(secret)) => KeycloakPasswordHash {
            algorithm: read_text(&data, "algorithm").map(str::to_owned),
            iterations: data.get("hashIterations").and_then(Value::as_u64),
            salt: read_text(&secret, "salt").map(str::to_owned),
            tag: read_text(&secret, "value").map(str::to_owned),
            additional_parameters: data.get("additionalParameters").cloned().unwrap_or_default(),
        },
        // Realms exported before version 8 have all parts in the credential itself.
        (None, _) | (_, None) => KeycloakPasswordHash {
            algorithm: read_text(credential, "algorithm").map(str::to_owned),
            iterations: credential.get("hashIterations").and_then(Value::as_u64),
            salt: read_text(credential, "salt").map(str::to_owned),
            tag: read_text(credential, "hashedSaltedValue").map(str::to_owned),
            additional_parameters: Value::Null,
        },
    };
    hash.to_phc_text().map(|phc_text| Some(ImportedPasswordHash::SelfContained(phc_text)))
}

/// Parses a string member that contains JSON.
fn parse_json_member(credential: &Value, name: &str) -> Result<Option<Value>, AccountImportRejection> {
    let Some(inner) = read_text(credential, name) else { return Ok(None) };
    serde_json::from_str(inner)
        .map(Some)
        .map_err(|error| AccountImportRejection(format!("its {name} is not JSON: {error}")))
}

struct KeycloakPasswordHash {
    algorithm: Option<String>,
    iterations: Option<u64>,
    salt: Option<String>,
    tag: Option<String>,
    additional_parameters: Value,
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
                let memory = self.find_parameter("memory").ok_or_else(missing)?;
                let lanes = self.find_parameter("parallelism").ok_or_else(missing)?;
                let kind = self.find_parameter("type").unwrap_or("id");
                let version = if self.find_parameter("version") == Some("1.0") { 16 } else { 19 };
                Ok(format!("$argon2{kind}$v={version}$m={memory},t={iterations},p={lanes}${salt}${tag}"))
            }
            other => Err(AccountImportRejection(format!(
                "its password was hashed by {other:?}, which is not supported"
            ))),
        }
    }

    /// Reads one of the additional parameters, each of which is a list with one item.
    fn find_parameter(&self, name: &str) -> Option<&str> {
        self.additional_parameters.get(name)?.get(0)?.as_str()
    }
}
