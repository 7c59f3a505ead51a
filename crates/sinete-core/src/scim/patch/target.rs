//! The target of a patch path (RFC 7644 §3.5.2, figure 7).

use crate::limits::SCIM_EXTENSION_SCHEMA_BYTES_MAX;
use crate::organizations::scim_settings::ScimExtensionSchemas;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use crate::scim::ScimResourceType;
use crate::scim::attribute::ScimAttribute;
use crate::scim::attribute_path::ScimAttributePath;
use crate::scim::extension::is_attribute_name;
use crate::scim::filter::ScimFilter;

/// The target of an operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScimPatchTarget {
    /// All attributes of the extension.
    Extension(&'static [ScimAttribute]),
    /// An attribute.
    Attribute { is_extension: bool, attribute: &'static ScimAttribute },
    /// A sub-attribute of a complex value, or of each element of a multi-valued attribute.
    SubAttribute {
        is_extension: bool,
        attribute: &'static ScimAttribute,
        sub_attribute: &'static ScimAttribute,
    },
    /// The elements that match a value filter, or a sub-attribute of each.
    Elements {
        is_extension: bool,
        attribute: &'static ScimAttribute,
        filter: ScimFilter,
        sub_attribute: Option<&'static ScimAttribute>,
    },
    /// Something of an extension that the organization registered.
    RegisteredExtension(RegisteredAttribute),
}

/// A registered extension, an attribute of it, or a sub-attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RegisteredAttribute {
    pub(super) schema: String,
    pub(super) attribute: Option<String>,
    pub(super) sub_attribute: Option<String>,
}

impl ScimPatchTarget {
    /// Parses a path; `None` if it is well-formed and names an attribute that is not stored.
    pub(super) fn parse(
        kind: ScimResourceType,
        path: &str,
        registered: &ScimExtensionSchemas,
    ) -> Result<Option<Self>, Refusal> {
        if let Some((schema, attributes)) = kind.extension()
            && path.eq_ignore_ascii_case(schema)
        {
            return Ok(Some(Self::Extension(attributes)));
        }
        if kind == ScimResourceType::User
            && let Some(attribute) = RegisteredAttribute::parse(path, registered)?
        {
            return Ok(Some(Self::RegisteredExtension(attribute)));
        }
        let Some((before, rest)) = path.split_once('[') else {
            return match ScimAttributePath::parse(kind, path) {
                Some(ScimAttributePath { is_extension, attribute, sub_attribute: None }) => {
                    Ok(Some(Self::Attribute { is_extension, attribute }))
                }
                Some(ScimAttributePath { is_extension, attribute, sub_attribute: Some(part) }) => {
                    Ok(Some(Self::SubAttribute { is_extension, attribute, sub_attribute: part }))
                }
                None => unknown_unless_malformed(path),
            };
        };
        // A string in the filter may contain a bracket, so the filter ends at the last one.
        let (condition, after) = rest.rsplit_once(']').ok_or_else(invalid_path)?;
        let part = match after.strip_prefix('.') {
            None if after.is_empty() => None,
            None => return Err(invalid_path()),
            Some(part) => Some(part),
        };
        let Some(path) = ScimAttributePath::parse(kind, before.trim_end()) else {
            return unknown_unless_malformed(before.trim_end());
        };
        if path.sub_attribute.is_some()
            || !path.attribute.is_multi_valued
            || path.attribute.sub_attributes.is_empty()
        {
            return Err(invalid_path());
        }
        let filter = ScimFilter::parse_element_filter(path.attribute, condition)?;
        let part = match part {
            None => None,
            Some(name) => match path.attribute.find_sub_attribute(name) {
                Some(part) => Some(part),
                None => return unknown_unless_malformed(name),
            },
        };
        let ScimAttributePath { is_extension, attribute, .. } = path;
        Ok(Some(Self::Elements { is_extension, attribute, filter, sub_attribute: part }))
    }

    /// Whether the target is read-only.
    pub(super) fn is_read_only(&self) -> bool {
        match self {
            Self::Extension(_) | Self::RegisteredExtension(_) => false,
            Self::Attribute { attribute, .. } => attribute.is_read_only(),
            Self::SubAttribute { attribute, sub_attribute: part, .. } => {
                attribute.is_read_only() || part.is_read_only()
            }
            Self::Elements { attribute, sub_attribute: part, .. } => {
                attribute.is_read_only() || part.is_some_and(ScimAttribute::is_read_only)
            }
        }
    }
}

impl RegisteredAttribute {
    /// Parses `URN`, `URN:attribute` or `URN:attribute.part` of a registered schema; `None` if it is another.
    fn parse(path: &str, registered: &ScimExtensionSchemas) -> Result<Option<Self>, Refusal> {
        if let Some(schema) = registered.find_schema(path) {
            return Ok(Some(Self { schema: schema.to_owned(), attribute: None, sub_attribute: None }));
        }
        let Some((schema, rest)) = registered.split_attribute(path) else { return Ok(None) };
        let (attribute, part) = match rest.split_once('.') {
            Some((attribute, part)) => (attribute, Some(part)),
            None => (rest, None),
        };
        // Values of a registered extension have no schema to filter by.
        if !is_attribute_name(attribute) || part.is_some_and(|part| !is_attribute_name(part)) {
            return Err(invalid_path());
        }
        let (attribute, part) = (Some(attribute.to_owned()), part.map(str::to_owned));
        Ok(Some(Self { schema: schema.to_owned(), attribute, sub_attribute: part }))
    }
}

/// Whether a text has the form of an attribute path, with or without a schema (RFC 7644 §3.10).
pub(super) fn is_attribute_path(path: &str) -> bool {
    let (schema, name) = path.rsplit_once(':').map_or(("", path), |(schema, name)| (schema, name));
    let is_schema_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    path.len() <= SCIM_EXTENSION_SCHEMA_BYTES_MAX
        && (schema.is_empty() || schema.split(':').all(is_schema_part))
        && name.split('.').count() <= 3
        && name.split('.').all(|part| is_attribute_name(part) || part.bytes().all(|it| it.is_ascii_digit()))
        && !name.split('.').any(str::is_empty)
}

fn unknown_unless_malformed<T>(path: &str) -> Result<Option<T>, Refusal> {
    if is_attribute_path(path) { Ok(None) } else { Err(invalid_path()) }
}

fn invalid_path() -> Refusal {
    Refusal::because(ScimRefusal::PathUnknown, "")
}
