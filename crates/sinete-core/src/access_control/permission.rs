//! A permission has the form `resource:action`. The action `*` covers every action of one resource; wildcards
//! are allowed nowhere else.

use crate::json_schema::impl_value_schema;
use crate::limits::PERMISSION_PART_CHARACTERS_MAX;
use compact_str::CompactString;
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// One permission, such as `invoices:read` or `invoices:*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "CompactString")]
pub struct Permission {
    text: CompactString,
    /// The byte offset of the colon.
    colon: usize,
}

/// The wildcard action.
const WILDCARD: &str = "*";

impl Permission {
    /// Whether this permission includes the other. A wildcard covers every action of its resource; no list of
    /// actions covers the wildcard.
    pub fn covers(&self, other: &Self) -> bool {
        self.resource() == other.resource() && (self.is_wildcard() || self.action() == other.action())
    }

    /// The resource: the part before the colon.
    pub fn resource(&self) -> &str {
        &self.text[..self.colon]
    }

    /// Whether it covers every action of its resource.
    pub fn is_wildcard(&self) -> bool {
        self.action() == WILDCARD
    }

    /// The permission as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn action(&self) -> &str {
        &self.text[self.colon + 1..]
    }
}

impl Ord for Permission {
    /// Orders by resource, then the wildcard before all other actions.
    fn cmp(&self, other: &Self) -> Ordering {
        self.resource().cmp(other.resource()).then_with(|| self.action().cmp(other.action()))
    }
}
impl PartialOrd for Permission {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl_value_schema!(Permission, {
    "type": "string",
    "minLength": 3,
    "maxLength": 2 * PERMISSION_PART_CHARACTERS_MAX + 1,
    "pattern": r"^[a-z][a-z0-9_.-]*:([a-z][a-z0-9_.-]*|\*)$",
});

/// The text is not a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a permission such as invoices:read or invoices:*, in lower-case words")]
pub struct InvalidPermission;

impl FromStr for Permission {
    type Err = InvalidPermission;

    fn from_str(text: &str) -> Result<Self, InvalidPermission> {
        let (resource, action) = text.split_once(':').ok_or(InvalidPermission)?;
        if is_word(resource) && (action == WILDCARD || is_word(action)) {
            Ok(Self { text: text.into(), colon: resource.len() })
        } else {
            Err(InvalidPermission)
        }
    }
}

/// Lower-case ASCII only, so that no two different permissions look alike.
fn is_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= PERMISSION_PART_CHARACTERS_MAX
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.'))
}

impl fmt::Display for Permission {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}
impl TryFrom<CompactString> for Permission {
    type Error = InvalidPermission;
    fn try_from(text: CompactString) -> Result<Self, InvalidPermission> {
        text.parse()
    }
}
impl Serialize for Permission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A set of permissions, held by a role or requested. It grants nothing by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PermissionSet(BTreeSet<Permission>);

impl PermissionSet {
    /// Whether a permission of the set covers this one.
    pub fn covers(&self, permission: &Permission) -> bool {
        self.0.contains(permission) || self.0.iter().any(|held_permission| held_permission.covers(permission))
    }

    /// The union of the sets.
    pub fn union<'a>(sets: impl Iterator<Item = &'a Self>) -> Self {
        sets.flat_map(|set| set.0.iter().cloned()).collect()
    }

    /// The permissions that both sets cover.
    pub fn intersect(&self, other: &Self) -> Self {
        let mine = self.0.iter().filter(|permission| other.covers(permission));
        let theirs = other.0.iter().filter(|permission| self.covers(permission));
        mine.chain(theirs).cloned().collect()
    }

    /// Iterates over the permissions in order.
    pub fn iter(&self) -> impl Iterator<Item = &Permission> {
        self.0.iter()
    }

    /// Keeps the permissions for which the predicate is true.
    #[must_use]
    pub fn retain(mut self, counts: impl FnMut(&Permission) -> bool) -> Self {
        self.0.retain(counts);
        self
    }

    /// The number of permissions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the set is empty.
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
    fn permission_wildcard_covers_the_actions_of_its_resource_only() {
        let [all, read, files] =
            ["invoices:*", "invoices:read", "files:read"].map(|text| text.parse::<Permission>().unwrap());
        assert!(all.covers(&read) && all.covers(&all) && read.covers(&read));
        assert!(!read.covers(&all) && !all.covers(&files) && !files.covers(&read));
    }

    #[test]
    fn permission_with_invalid_syntax_is_refused() {
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
            assert_eq!(text.parse::<Permission>(), Err(InvalidPermission), "{text:?}");
        }
        assert!(format!("{}:read", "x".repeat(65)).parse::<Permission>().is_err());
    }

    #[test]
    fn permissions_sort_by_resource_with_the_wildcard_first() {
        let set: PermissionSet = ["a:read", "a-b:read", "a:*", "a.b:x", "a1:z"]
            .map(|text| text.parse().unwrap())
            .into_iter()
            .collect();
        let order: Vec<_> = set.iter().map(Permission::as_str).collect();
        assert_eq!(order, ["a:*", "a:read", "a-b:read", "a.b:x", "a1:z"]);
    }

    proptest! {
        #[test]
        fn permission_round_trips(text in "[a-z][a-z0-9_.-]{0,20}:([a-z][a-z0-9_.-]{0,20}|\\*)") {
            prop_assert_eq!(text.parse::<Permission>().unwrap().to_string(), text);
        }

        #[test]
        fn permission_parsing_never_panics(text in ".{0,200}") {
            if let Ok(permission) = text.parse::<Permission>() {
                prop_assert_eq!(permission.to_string(), text);
            }
        }
    }
}
