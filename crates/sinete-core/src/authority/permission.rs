//! A permission says `resource:action`. A wildcard stands for every action of one resource, and only there.

use crate::limits::PERMISSION_WORD_CHARACTERS_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// One permission, such as `invoices:read` or `invoices:*`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Permission {
    resource: Box<str>,
    action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Action {
    Any,
    Named(Box<str>),
}

impl Permission {
    /// Whether holding this one is enough for the other. A wildcard covers the actions of its resource;
    /// no number of actions covers the wildcard.
    pub fn covers(&self, other: &Self) -> bool {
        self.resource == other.resource && (self.action == Action::Any || self.action == other.action)
    }

    /// What the permission is about: the part before the colon.
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// Whether it stands for every action of its resource.
    pub fn is_wildcard(&self) -> bool {
        self.action == Action::Any
    }

    fn wildcard_of(resource: &str) -> Self {
        Self { resource: resource.into(), action: Action::Any }
    }
}

/// The text is not a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a permission is written resource:action or resource:*, in lower-case words such as invoices:read")]
pub struct NotAPermission;

impl FromStr for Permission {
    type Err = NotAPermission;

    fn from_str(text: &str) -> Result<Self, NotAPermission> {
        let (resource, action) = text.split_once(':').ok_or(NotAPermission)?;
        if !is_word(resource) {
            return Err(NotAPermission);
        }
        let action = match action {
            "*" => Action::Any,
            word if is_word(word) => Action::Named(word.into()),
            _ => return Err(NotAPermission),
        };
        Ok(Self { resource: resource.into(), action })
    }
}

/// Lower-case ASCII only, so that two permissions that look alike are alike.
fn is_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= PERMISSION_WORD_CHARACTERS_MAX
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.'))
}

impl fmt::Display for Permission {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Action::Any => write!(out, "{}:*", self.resource),
            Action::Named(action) => write!(out, "{}:{action}", self.resource),
        }
    }
}
impl TryFrom<String> for Permission {
    type Error = NotAPermission;
    fn try_from(text: String) -> Result<Self, NotAPermission> {
        text.parse()
    }
}
impl From<Permission> for String {
    fn from(permission: Permission) -> Self {
        permission.to_string()
    }
}

/// A set of permissions, as a role holds it or a request asks for it. It confers nothing by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PermissionSet(BTreeSet<Permission>);

impl PermissionSet {
    /// Whether one of the set is enough for the permission.
    pub fn covers(&self, permission: &Permission) -> bool {
        self.0.contains(permission) || self.0.contains(&Permission::wildcard_of(permission.resource()))
    }

    /// Every permission of every set.
    pub fn union_of<'a>(sets: impl Iterator<Item = &'a Self>) -> Self {
        sets.flat_map(|set| set.0.iter().cloned()).collect()
    }

    /// What both sets cover.
    pub fn common_with(&self, other: &Self) -> Self {
        let mine = self.0.iter().filter(|permission| other.covers(permission));
        let theirs = other.0.iter().filter(|permission| self.covers(permission));
        mine.chain(theirs).cloned().collect()
    }

    /// The permissions, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Permission> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<T: IntoIterator<Item = Permission>>(permissions: T) -> Self {
        Self(permissions.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_wildcard_works_one_way_and_within_its_resource() {
        let [all, read, files] =
            ["invoices:*", "invoices:read", "files:read"].map(|text| text.parse::<Permission>().unwrap());
        assert!(all.covers(&read) && all.covers(&all) && read.covers(&read));
        assert!(!read.covers(&all) && !all.covers(&files) && !files.covers(&read));
    }

    #[test]
    fn what_only_looks_like_a_permission_is_none() {
        for text in [
            "",
            ":",
            "*",
            "*:*",
            "*:read",
            "invoices",
            "invoices:",
            ":read",
            "invoices:*:x",
            "invoices:read:all",
            "invoices*",
            "invoices:re*",
            "invoices:**",
            "Invoices:read",
            "invoices:Read",
            "invoices：read",
            "invoices: read",
            " invoices:read",
            "invoices:read ",
            "ınvoices:read",
            "1nvoices:read",
            "invoices:\n",
        ] {
            assert_eq!(text.parse::<Permission>(), Err(NotAPermission), "{text:?}");
        }
        assert!(format!("{}:read", "x".repeat(65)).parse::<Permission>().is_err());
    }

    proptest! {
        #[test]
        fn a_permission_survives_its_text(text in "[a-z][a-z0-9_.-]{0,20}:([a-z][a-z0-9_.-]{0,20}|\\*)") {
            prop_assert_eq!(text.parse::<Permission>().unwrap().to_string(), text);
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,200}") {
            if let Ok(permission) = text.parse::<Permission>() {
                prop_assert_eq!(permission.to_string(), text);
            }
        }
    }
}
