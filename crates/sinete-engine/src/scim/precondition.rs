//! Version preconditions (RFC 7644 §3.14).

use crate::organizations::precondition_failed;
use sinete_core::refusal::Refusal;

/// The version precondition of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScimPrecondition {
    /// None.
    #[default]
    Any,
    /// One of these entity tags.
    OneOf(Vec<String>),
}

impl ScimPrecondition {
    /// Parses `If-Match`, or the version of a bulk operation.
    pub fn parse(text: Option<&str>) -> Self {
        match text.map(str::trim) {
            None | Some("" | "*") => Self::Any,
            Some(tags) => Self::OneOf(tags.split(',').map(opaque_tag).collect()),
        }
    }

    /// Requires a matching version. Directories return the weak tags they received, so weak and strong tags
    /// are treated as equal (docs/contribute/decisions/0142-scim-users-are-memberships.md).
    pub(super) fn require_version(&self, version: &str) -> Result<(), Refusal> {
        match self {
            Self::Any => Ok(()),
            Self::OneOf(tags) if tags.contains(&opaque_tag(version)) => Ok(()),
            Self::OneOf(_) => Err(precondition_failed()),
        }
    }

    /// Whether the reader already has this version.
    pub fn matches_version(&self, version: &str) -> bool {
        matches!(self, Self::OneOf(tags) if tags.contains(&opaque_tag(version)))
    }
}

fn opaque_tag(tag: &str) -> String {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scim_if_match_accepts_weak_strong_and_absent_etags() {
        for text in [None, Some("*"), Some(""), Some("W/\"7\""), Some("\"7\""), Some("\"6\", W/\"7\"")] {
            assert!(ScimPrecondition::parse(text).require_version("W/\"7\"").is_ok(), "{text:?}");
        }
        for text in ["\"8\"", "W/\"77\"", "x"] {
            assert!(ScimPrecondition::parse(Some(text)).require_version("W/\"7\"").is_err(), "{text}");
        }
        assert!(
            ScimPrecondition::parse(Some("W/\"7\"")).matches_version("W/\"7\"")
                && !ScimPrecondition::parse(None).matches_version("W/\"7\"")
        );
    }
}
