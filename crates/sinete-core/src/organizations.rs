//! Organizations: the tenants, each with its own members, roles and settings.

pub mod api_catalog;
pub mod audit_log_settings;
pub mod branding;
pub mod client_documents;
pub mod domains;
pub mod effective_date;
pub mod former_members;
pub mod invitation_list;
pub mod invitations;
pub mod member_profile;
pub mod member_search;
pub mod memberships;
pub mod scim_settings;
pub mod settings;

use crate::json_schema::impl_value_schema;
use crate::limits::{SLUG_CHARACTERS_MAX, SLUG_CHARACTERS_MIN};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An organization's short name in URLs and parameters, unique in the instance and never reused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrganizationSlug(Box<str>);

/// The text is not a valid slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be {SLUG_CHARACTERS_MIN} to {SLUG_CHARACTERS_MAX} lower-case letters, digits or inner hyphens, and must not look like an id"
)]
pub struct InvalidSlug;

impl_value_schema!(OrganizationSlug, {
    "type": "string",
    "minLength": SLUG_CHARACTERS_MIN,
    "maxLength": SLUG_CHARACTERS_MAX,
    "pattern": "^[a-z0-9][a-z0-9-]*[a-z0-9]$",
});

impl OrganizationSlug {
    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for OrganizationSlug {
    type Err = InvalidSlug;

    /// A slug never looks like an id, so that a parameter accepts either.
    fn from_str(text: &str) -> Result<Self, InvalidSlug> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let fits =
            (SLUG_CHARACTERS_MIN..=SLUG_CHARACTERS_MAX).contains(&text.len()) && text.bytes().all(plain);
        if !fits
            || text.starts_with('-')
            || text.ends_with('-')
            || text.parse::<crate::id::OrganizationId>().is_ok()
        {
            return Err(InvalidSlug);
        }
        Ok(Self(text.into()))
    }
}
impl TryFrom<String> for OrganizationSlug {
    type Error = InvalidSlug;
    fn try_from(text: String) -> Result<Self, InvalidSlug> {
        text.parse()
    }
}
impl From<OrganizationSlug> for String {
    fn from(slug: OrganizationSlug) -> Self {
        slug.0.into()
    }
}
impl fmt::Display for OrganizationSlug {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organization_slug_is_plain_and_never_an_id() {
        assert_eq!("acme-2".parse::<OrganizationSlug>().unwrap().as_str(), "acme-2");
        for text in [
            "",
            "a",
            "-acme",
            "acme-",
            "Acme",
            "a cme",
            "açme",
            "a/b",
            "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
            &"x".repeat(64),
        ] {
            assert_eq!(text.parse::<OrganizationSlug>(), Err(InvalidSlug), "{text}");
        }
    }
}
