//! Which version of a thing a request is about (RFC 7644 §3.14).

use crate::organizations::outrun;
use sinete_core::refusal::Refusal;

/// What a request says about the version that it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScimPrecondition {
    /// Nothing: whatever is there now.
    #[default]
    Unsaid,
    /// One of these entity tags.
    OneOf(Vec<String>),
}

impl ScimPrecondition {
    /// From the text of `If-Match`, or of a version in a request among many.
    pub fn read(text: Option<&str>) -> Self {
        match text.map(str::trim) {
            None | Some("" | "*") => Self::Unsaid,
            Some(tags) => Self::OneOf(tags.split(',').map(opaque).collect()),
        }
    }

    /// Whether this is the version that was seen. Directories send back the weak tags they were given, so weak and
    /// strong ones are held to be the same (docs/decisions/0142-scim-users-are-memberships.md).
    pub(super) fn must_be(&self, version: &str) -> Result<(), Refusal> {
        match self {
            Self::Unsaid => Ok(()),
            Self::OneOf(tags) if tags.contains(&opaque(version)) => Ok(()),
            Self::OneOf(_) => Err(outrun()),
        }
    }

    /// Whether a reader has this version already.
    pub fn has(&self, version: &str) -> bool {
        matches!(self, Self::OneOf(tags) if tags.contains(&opaque(version)))
    }
}

fn opaque(tag: &str) -> String {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_named_by_its_tag_weak_or_not_or_by_none() {
        for text in [None, Some("*"), Some(""), Some("W/\"7\""), Some("\"7\""), Some("\"6\", W/\"7\"")] {
            assert!(ScimPrecondition::read(text).must_be("W/\"7\"").is_ok(), "{text:?}");
        }
        for text in ["\"8\"", "W/\"77\"", "x"] {
            assert!(ScimPrecondition::read(Some(text)).must_be("W/\"7\"").is_err(), "{text}");
        }
        assert!(
            ScimPrecondition::read(Some("W/\"7\"")).has("W/\"7\"")
                && !ScimPrecondition::read(None).has("W/\"7\"")
        );
    }
}
