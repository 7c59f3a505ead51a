//! The target of a patch path (RFC 7644 §3.5.2, figure 7).

use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use crate::scim::ScimResourceType;
use crate::scim::attribute::ScimAttribute;
use crate::scim::attribute_path::ScimAttributePath;
use crate::scim::filter::ScimFilter;

/// The target of an operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScimPatchTarget {
    /// All attributes of the extension.
    Extension(&'static [ScimAttribute]),
    /// An attribute.
    Whole { is_extension: bool, attribute: &'static ScimAttribute },
    /// A sub-attribute of a complex value, or of each element of a multi-valued attribute.
    Part { is_extension: bool, attribute: &'static ScimAttribute, part: &'static ScimAttribute },
    /// The elements that match a value filter, or a sub-attribute of each.
    Elements {
        is_extension: bool,
        attribute: &'static ScimAttribute,
        filter: ScimFilter,
        part: Option<&'static ScimAttribute>,
    },
}

impl ScimPatchTarget {
    pub(super) fn parse(kind: ScimResourceType, path: &str) -> Result<Self, Refusal> {
        if let Some((schema, attributes)) = kind.extension()
            && path.eq_ignore_ascii_case(schema)
        {
            return Ok(Self::Extension(attributes));
        }
        let Some((before, rest)) = path.split_once('[') else {
            let ScimAttributePath { is_extension, attribute, part } =
                ScimAttributePath::parse(kind, path).ok_or_else(invalid_path)?;
            return Ok(match part {
                None => Self::Whole { is_extension, attribute },
                Some(part) => Self::Part { is_extension, attribute, part },
            });
        };
        let place = ScimAttributePath::parse(kind, before.trim_end()).ok_or_else(invalid_path)?;
        // A string in the filter may contain a bracket, so the filter ends at the last one.
        let (condition, after) = rest.rsplit_once(']').ok_or_else(invalid_path)?;
        if place.part.is_some() || !place.attribute.is_many || place.attribute.parts.is_empty() {
            return Err(invalid_path());
        }
        let part = match after.strip_prefix('.') {
            None if after.is_empty() => None,
            None => return Err(invalid_path()),
            Some(part) => Some(place.attribute.find_sub_attribute(part).ok_or_else(invalid_path)?),
        };
        let filter = ScimFilter::parse_element_filter(place.attribute, condition)?;
        Ok(Self::Elements { is_extension: place.is_extension, attribute: place.attribute, filter, part })
    }

    /// Whether the target is read-only.
    pub(super) fn is_read_only(&self) -> bool {
        match self {
            Self::Extension(_) => false,
            Self::Whole { attribute, .. } => attribute.is_read_only(),
            Self::Part { attribute, part, .. } => attribute.is_read_only() || part.is_read_only(),
            Self::Elements { attribute, part, .. } => {
                attribute.is_read_only() || part.is_some_and(ScimAttribute::is_read_only)
            }
        }
    }
}

fn invalid_path() -> Refusal {
    Refusal::because(ScimRefusal::PathUnknown, "")
}
