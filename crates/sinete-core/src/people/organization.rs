//! Organizations: the tenants, each with its own members, roles and rules.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What an organization is to the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrganizationKind {
    /// A tenant.
    Customer,
    /// The operators' own: instance permissions live here and nowhere else.
    Operator,
    /// Where people belong whom nobody invited anywhere.
    Home,
}

impl OrganizationKind {
    /// Every kind there is.
    pub const ALL: [Self; 3] = [Self::Customer, Self::Operator, Self::Home];

    /// The slug of the operators' own organization.
    pub const OPERATORS: &'static str = "operator";

    /// The slug of the organization of people whom nobody invited.
    pub const HOME: &'static str = "home";

    /// The kind, as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Operator => "operator",
            Self::Home => "home",
        }
    }
}

/// The text names no kind of organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an organization is a customer's, the operator's or the home organization")]
pub struct NotAKind;

impl FromStr for OrganizationKind {
    type Err = NotAKind;
    fn from_str(text: &str) -> Result<Self, NotAKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(NotAKind)
    }
}

/// An organization's short name in addresses and parameters, unique in the instance and never reused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(Box<str>);

/// The text cannot be a slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a slug is 2 to 63 lower-case letters, digits or inner hyphens, and does not look like an id")]
pub struct NotASlug;

impl Slug {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Slug {
    type Err = NotASlug;

    /// A slug never looks like an id, so that a parameter may take either.
    fn from_str(text: &str) -> Result<Self, NotASlug> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let fits = (2..=63).contains(&text.len()) && text.bytes().all(plain);
        if !fits
            || text.starts_with('-')
            || text.ends_with('-')
            || text.parse::<crate::id::OrganizationId>().is_ok()
        {
            return Err(NotASlug);
        }
        Ok(Self(text.into()))
    }
}
impl TryFrom<String> for Slug {
    type Error = NotASlug;
    fn try_from(text: String) -> Result<Self, NotASlug> {
        text.parse()
    }
}
impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0.into()
    }
}
impl fmt::Display for Slug {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_plain_and_is_no_id() {
        assert_eq!("acme-2".parse::<Slug>().unwrap().as_str(), "acme-2");
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
            assert_eq!(text.parse::<Slug>(), Err(NotASlug), "{text}");
        }
    }

    #[test]
    fn kinds_survive_their_text() {
        for kind in OrganizationKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!("tenant".parse::<OrganizationKind>(), Err(NotAKind));
    }
}
