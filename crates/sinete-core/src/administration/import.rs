//! Accounts imported from the export of another system.

mod auth0;
mod firebase;
mod keycloak;
mod sinete;

use crate::accounts::email_address::EmailAddress;
use crate::accounts::language::Language;
use crate::limits::IMPORTED_ID_BYTES_MAX;
use crate::validation::ValidationErrors;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The system that an export comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountImportFormat {
    /// Our own format, for any other system.
    Sinete,
    /// Keycloak.
    Keycloak,
    /// Auth0.
    Auth0,
    /// Firebase.
    Firebase,
}

/// The layout of an export file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFileLayout {
    /// A JSON object on each line.
    JsonLines,
    /// One JSON document with a list of `users`.
    Users,
}

/// The operator's name for the source of an import. Accounts imported under a name are not imported again
/// under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSourceName(Box<str>);

/// The text is not a valid source name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a source must be 1 to 32 lower-case letters, digits and hyphens")]
pub struct InvalidImportSourceName;

/// An account to import.
#[derive(Clone, PartialEq, Eq)]
pub struct ImportedAccount {
    /// The account's id at the source.
    pub id: String,
    /// The e-mail address.
    pub address: EmailAddress,
    /// Whether the source says that the address is verified.
    pub is_verified: bool,
    /// The display name.
    pub name: Option<String>,
    /// The preferred language.
    pub language: Option<Language>,
    /// Whether the account was enabled at the source.
    pub is_enabled: bool,
    /// The password hash, if the account has a password.
    pub password: Option<ImportedPasswordHash>,
}

/// A password hash in the format of the source.
#[derive(Clone, PartialEq, Eq)]
pub enum ImportedPasswordHash {
    /// A self-contained hash string.
    SelfContained(String),
    /// A Firebase hash, which also needs the hash parameters of its project.
    Firebase {
        /// The salt.
        salt: String,
        /// The hash value.
        tag: String,
    },
}

/// Why an account is not imported, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AccountImportRejection(pub String);

impl AccountImportFormat {
    /// The layout of this system's exports.
    pub const fn layout(self) -> ImportFileLayout {
        match self {
            Self::Sinete | Self::Auth0 => ImportFileLayout::JsonLines,
            Self::Keycloak | Self::Firebase => ImportFileLayout::Users,
        }
    }

    /// Parses one account.
    pub fn parse_account(self, raw: &Value) -> Result<ImportedAccount, AccountImportRejection> {
        match self {
            Self::Sinete => sinete::parse_account(raw),
            Self::Keycloak => keycloak::parse_account(raw),
            Self::Auth0 => auth0::parse_account(raw),
            Self::Firebase => firebase::parse_account(raw),
        }
    }
}

impl AccountImportRejection {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for ImportedAccount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "account {:?}", self.id)
    }
}

impl ImportSourceName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ImportSourceName {
    type Err = InvalidImportSourceName;

    fn from_str(text: &str) -> Result<Self, InvalidImportSourceName> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let fits = (1..=32).contains(&text.len()) && text.bytes().all(plain);
        if fits { Ok(Self(text.into())) } else { Err(InvalidImportSourceName) }
    }
}

/// An account as read from an export, before validation.
#[derive(Default)]
struct RawImportedAccount<'a> {
    id: Option<&'a str>,
    email: Option<&'a str>,
    is_verified: bool,
    name: Option<&'a str>,
    language: Option<Language>,
    is_disabled: bool,
    password: Option<ImportedPasswordHash>,
}

impl RawImportedAccount<'_> {
    /// Validates the account, which needs an e-mail address. The address also serves as id if the source gave
    /// none.
    fn validate(self) -> Result<ImportedAccount, AccountImportRejection> {
        let email = self.email.filter(|email| !email.is_empty());
        let email = email.ok_or_else(|| AccountImportRejection::new("there is no e-mail address"))?;
        let address: EmailAddress =
            email.parse().map_err(|address| AccountImportRejection(format!("{address}")))?;
        let id = match self.id {
            Some(id) => id.to_owned(),
            None => address.lookup_key(),
        };
        let id_fits = (1..=IMPORTED_ID_BYTES_MAX).contains(&id.len()) && !id.chars().any(char::is_control);
        if !id_fits {
            return Err(AccountImportRejection(format!(
                "its id must have 1 to {IMPORTED_ID_BYTES_MAX} bytes of text"
            )));
        }
        let name = self.name.map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = name {
            let mut errors = ValidationErrors::default();
            errors.check_display_text("/name", name);
            if let Some(fault) = errors.iter().next() {
                return Err(AccountImportRejection(format!("the name must be {}", fault.text)));
            }
        }
        Ok(ImportedAccount {
            id,
            address,
            is_verified: self.is_verified,
            name: name.map(str::to_owned),
            language: self.language,
            is_enabled: !self.is_disabled,
            password: self.password,
        })
    }
}

/// Reads a string member. A value of another type counts as absent.
fn read_text<'a>(raw: &'a Value, name: &str) -> Option<&'a str> {
    raw.get(name).and_then(Value::as_str)
}

fn read_flag(raw: &Value, name: &str) -> Option<bool> {
    raw.get(name).and_then(Value::as_bool)
}

/// The supported language for a tag such as `pt-BR`, if there is one.
fn parse_language(tag: &str) -> Option<Language> {
    Language::from_locale_list(&tag.replace('_', "-"))
}

#[cfg(test)]
mod tests;
