//! People brought over from somewhere else, as the export of another program describes them.

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

/// The program an export comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountImportFormat {
    /// Any: the form of ours that whoever comes from elsewhere can write.
    Sinete,
    /// Keycloak.
    Keycloak,
    /// Auth0.
    Auth0,
    /// Firebase.
    Firebase,
}

/// How an export is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFileLayout {
    /// A JSON object on each line.
    Lines,
    /// One JSON document with a list of `users`.
    Users,
}

/// The name an operator gives to where people come from. What was imported under it is not imported again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSourceName(Box<str>);

/// The text cannot name a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a source is 1 to 32 lower-case letters, digits and hyphens")]
pub struct InvalidImportSourceName;

/// Somebody who is to be brought over.
#[derive(Clone, PartialEq, Eq)]
pub struct ImportedAccount {
    /// What the source calls them.
    pub id: String,
    /// Their address.
    pub address: EmailAddress,
    /// Whether the source says that they proved it.
    pub is_verified: bool,
    /// What they are called.
    pub name: Option<String>,
    /// The language they read.
    pub language: Option<Language>,
    /// Whether they could sign in there.
    pub is_enabled: bool,
    /// The hash of their password, if they have one.
    pub password: Option<ImportedPasswordHash>,
}

/// A hash as the source wrote it.
#[derive(Clone, PartialEq, Eq)]
pub enum ImportedPasswordHash {
    /// A text that says everything.
    Whole(String),
    /// One of Firebase's, which needs what the hashes of its project have in common.
    OfFirebase {
        /// Its salt.
        salt: String,
        /// What came of it.
        tag: String,
    },
}

/// Why somebody is not brought over, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AccountImportRejection(pub String);

impl AccountImportFormat {
    /// How its exports are laid out.
    pub const fn layout(self) -> ImportFileLayout {
        match self {
            Self::Sinete | Self::Auth0 => ImportFileLayout::Lines,
            Self::Keycloak | Self::Firebase => ImportFileLayout::Users,
        }
    }

    /// Reads one person.
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
        write!(out, "somebody called {:?}", self.id)
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

/// What an export said of somebody, before it is known to be of any use.
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
    /// Somebody, if there is an address to know them by. Whom the source gave no id is known by the address.
    fn validate(self) -> Result<ImportedAccount, AccountImportRejection> {
        let email = self.email.filter(|email| !email.is_empty());
        let email = email.ok_or_else(|| AccountImportRejection::new("there is no e-mail address"))?;
        let address: EmailAddress = email.parse().map_err(|why| AccountImportRejection(format!("{why}")))?;
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
            let mut faults = ValidationErrors::default();
            faults.check_display_text("/name", name);
            if let Some(fault) = faults.iter().next() {
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

/// A text of an object; something else in its place is as good as nothing.
fn text<'a>(raw: &'a Value, name: &str) -> Option<&'a str> {
    raw.get(name).and_then(Value::as_str)
}

fn flag(raw: &Value, name: &str) -> Option<bool> {
    raw.get(name).and_then(Value::as_bool)
}

/// The language of a tag such as `pt-BR`, where we write in it.
fn language(tag: &str) -> Option<Language> {
    let first = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    [Language::English, Language::Portuguese].into_iter().find(|language| language.tag() == first)
}

#[cfg(test)]
mod tests;
