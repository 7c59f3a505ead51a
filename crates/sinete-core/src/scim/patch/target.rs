//! What a path of a patch means (RFC 7644 §3.5.2, figure 7).

use crate::refusal::{Refusal, RefusalCode};
use crate::scim::ScimResourceType;
use crate::scim::attribute::ScimAttribute;
use crate::scim::filter::ScimFilter;
use crate::scim::place::ScimAttributePath;

/// What is changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScimPatchTarget {
    /// All attributes of the extension.
    Extension(&'static [ScimAttribute]),
    /// An attribute.
    Whole { is_extension: bool, attribute: &'static ScimAttribute },
    /// A part of a compound, or of each element of many.
    Part { is_extension: bool, attribute: &'static ScimAttribute, part: &'static ScimAttribute },
    /// The elements that fulfil a condition, or a part of each.
    Elements {
        is_extension: bool,
        attribute: &'static ScimAttribute,
        filter: ScimFilter,
        part: Option<&'static ScimAttribute>,
    },
}

impl ScimPatchTarget {
    pub(super) fn read(kind: ScimResourceType, path: &str) -> Result<Self, Refusal> {
        if let Some((schema, attributes)) = kind.extension()
            && path.eq_ignore_ascii_case(schema)
        {
            return Ok(Self::Extension(attributes));
        }
        let Some((before, rest)) = path.split_once('[') else {
            let ScimAttributePath { is_extension, attribute, part } =
                ScimAttributePath::read(kind, path).ok_or_else(nowhere)?;
            return Ok(match part {
                None => Self::Whole { is_extension, attribute },
                Some(part) => Self::Part { is_extension, attribute, part },
            });
        };
        let place = ScimAttributePath::read(kind, before.trim_end()).ok_or_else(nowhere)?;
        // A text in the condition may hold a bracket; the path ends behind the last one.
        let (condition, after) = rest.rsplit_once(']').ok_or_else(nowhere)?;
        if place.part.is_some() || !place.attribute.is_many || place.attribute.parts.is_empty() {
            return Err(nowhere());
        }
        let part = match after.strip_prefix('.') {
            None if after.is_empty() => None,
            None => return Err(nowhere()),
            Some(part) => Some(place.attribute.part(part).ok_or_else(nowhere)?),
        };
        let filter = ScimFilter::of_elements(place.attribute, condition)?;
        Ok(Self::Elements { is_extension: place.is_extension, attribute: place.attribute, filter, part })
    }

    /// Whether nobody may change it.
    pub(super) fn is_ours(&self) -> bool {
        match self {
            Self::Extension(_) => false,
            Self::Whole { attribute, .. } => attribute.is_ours(),
            Self::Part { attribute, part, .. } => attribute.is_ours() || part.is_ours(),
            Self::Elements { attribute, part, .. } => {
                attribute.is_ours() || part.is_some_and(ScimAttribute::is_ours)
            }
        }
    }
}

fn nowhere() -> Refusal {
    Refusal::new(RefusalCode::InvalidPath, "the path names nothing that is known here", "")
}
