//! Patch requests (RFC 7644 §3.5.2), including the variants that directories send in practice.

mod extension;
mod target;
mod values;

use super::attribute::ScimAttribute;
use super::{ENTERPRISE_SCHEMA, ScimResourceType, normalization, refuse_attribute};
use crate::limits::{SCIM_IGNORED_ATTRIBUTES_MAX, SCIM_PATCH_OPERATIONS_MAX};
use crate::organizations::scim_settings::{ScimSettings, UnknownAttributePolicy};
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use crate::validation::ValidationErrors;
use serde_json::{Map, Value};
use target::ScimPatchTarget;

/// The schema of a patch request.
pub const SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/// One patch operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimPatchOperation {
    op: ScimPatchOp,
    path: Option<String>,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScimPatchOp {
    Add,
    Replace,
    Remove,
}

/// Parses the operations.
pub fn parse_patch(body: &Value) -> Result<Vec<ScimPatchOperation>, Refusal> {
    let malformed = |text| Refusal::because(ScimRefusal::SyntaxInvalid(text), "");
    let Value::Object(body) = body else {
        return Err(malformed("The PATCH request is not a JSON object. Send one with the array Operations."));
    };
    normalization::require_schema(body, SCHEMA)?;
    let operations = find_member(body, "Operations").and_then(Value::as_array);
    let operations =
        operations.ok_or_else(|| malformed("The PATCH request has no array Operations. Send one."))?;
    if operations.is_empty() || operations.len() > SCIM_PATCH_OPERATIONS_MAX {
        return Err(malformed("The array Operations is empty or too long. Send 1 to 1000 operations."));
    }
    let read = |operation: &Value| {
        let Value::Object(operation) = operation else {
            return Err(malformed("An operation is not an object. Send objects with op, path and value."));
        };
        let op_name = find_member(operation, "op").and_then(Value::as_str).unwrap_or_default();
        // Entra ID capitalizes them.
        let op = match op_name.to_ascii_lowercase().as_str() {
            "add" => ScimPatchOp::Add,
            "replace" => ScimPatchOp::Replace,
            "remove" => ScimPatchOp::Remove,
            _ => return Err(malformed("The member op has an unknown value. Send add, replace or remove.")),
        };
        let path = match find_member(operation, "path") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if path.trim().is_empty() => None,
            Some(Value::String(path)) => Some(path.trim().to_owned()),
            Some(_) => {
                return Err(malformed("The member path is not a string. Send the path of an attribute."));
            }
        };
        let value = find_member(operation, "value").cloned().unwrap_or_default();
        Ok(ScimPatchOperation { op, path, value })
    };
    operations.iter().map(read).collect()
}

fn find_member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A resource after a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchedResource {
    /// The resource.
    pub resource: Map<String, Value>,
    /// The names of attributes that are not stored here and were ignored, without their values.
    pub ignored: Vec<String>,
}

/// Applies all operations to a resource, or none. An operation on an attribute that is not stored is ignored,
/// unless the organization refuses it (docs/contribute/decisions/0260-scim-patch-ignores-unknown-attributes.md).
pub fn apply_patch(
    kind: ScimResourceType,
    before: &Map<String, Value>,
    operations: &[ScimPatchOperation],
    settings: &ScimSettings,
) -> Result<PatchedResource, Refusal> {
    let mut patched = PatchedResource { resource: before.clone(), ignored: Vec::new() };
    for (index, operation) in operations.iter().enumerate() {
        patched.apply(kind, operation, settings).map_err(|refusal| with_operation_pointer(refusal, index))?;
    }
    Ok(patched)
}

/// Names the operation in a refusal that names no attribute.
fn with_operation_pointer(refusal: Refusal, index: usize) -> Refusal {
    if !refusal.validation_errors().is_empty() {
        return refusal;
    }
    let mut errors = ValidationErrors::default();
    errors.add(format!("/Operations/{index}"), refusal.public_text());
    refusal.with_validation_errors(errors)
}

impl PatchedResource {
    fn apply(
        &mut self,
        kind: ScimResourceType,
        operation: &ScimPatchOperation,
        settings: &ScimSettings,
    ) -> Result<(), Refusal> {
        match (&operation.path, operation.op) {
            (Some(path), op) => match ScimPatchTarget::parse(kind, path, &settings.extension_schemas)? {
                Some(target) if target.is_read_only() => {
                    Err(refuse_attribute(ScimRefusal::AttributeReadOnly, path))
                }
                Some(target) => apply_change(&mut self.resource, &target, op, &operation.value),
                None if settings.unknown_attributes == UnknownAttributePolicy::Refuse => {
                    Err(refuse_attribute(ScimRefusal::PathUnknown, path))
                }
                None => {
                    self.record_ignored(path);
                    Ok(())
                }
            },
            (None, ScimPatchOp::Remove) => Err(Refusal::because(ScimRefusal::PathMissing, "")),
            (None, op) => self.change_members(kind, op, &operation.value, settings),
        }
    }

    /// Applies an operation without a path: each member of the value is a change. Names may be paths, as Entra ID
    /// sends them. Unknown and read-only attributes are ignored.
    fn change_members(
        &mut self,
        kind: ScimResourceType,
        op: ScimPatchOp,
        value: &Value,
        settings: &ScimSettings,
    ) -> Result<(), Refusal> {
        let Value::Object(members) = value else {
            return Err(Refusal::because(ScimRefusal::ValueNotObject, ""));
        };
        for (name, value) in members {
            match ScimPatchTarget::parse(kind, name, &settings.extension_schemas) {
                Ok(Some(target)) if target.is_read_only() => {}
                Ok(Some(target)) => apply_change(&mut self.resource, &target, op, value)?,
                Ok(None) | Err(_) => self.record_ignored(name),
            }
        }
        Ok(())
    }

    /// Notes the name of an ignored attribute, without the filter of its path, which may hold personal data.
    fn record_ignored(&mut self, path: &str) {
        let name = path.split_once('[').map_or(path, |(name, _)| name).trim();
        let is_plain = target::is_attribute_path(name);
        if is_plain
            && self.ignored.len() < SCIM_IGNORED_ATTRIBUTES_MAX
            && !self.ignored.iter().any(|ignored_name| ignored_name == name)
        {
            self.ignored.push(name.to_owned());
        }
    }
}

fn apply_change(
    resource: &mut Map<String, Value>,
    target: &ScimPatchTarget,
    op: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    match target {
        ScimPatchTarget::Extension(attributes) => change_extension(resource, attributes, op, value),
        ScimPatchTarget::Attribute { is_extension, attribute } => {
            change_within(resource, *is_extension, |home| match op {
                ScimPatchOp::Add => values::add(home, attribute, value),
                ScimPatchOp::Replace => values::replace(home, attribute, value),
                ScimPatchOp::Remove => values::remove(home, attribute, value),
            })
        }
        ScimPatchTarget::RegisteredExtension(attribute) => {
            extension::change_registered(resource, attribute, op, value)
        }
        ScimPatchTarget::SubAttribute { is_extension, attribute, sub_attribute: part } => {
            change_within(resource, *is_extension, |home| {
                let value = if op == ScimPatchOp::Remove {
                    None
                } else {
                    normalization::normalize_value(part, value)?
                };
                values::change_sub_attribute(home, attribute, part, value)
            })
        }
        ScimPatchTarget::Elements { is_extension, attribute, .. } => {
            change_within(resource, *is_extension, |home| {
                values::change_elements(home, target, op, value)?;
                values::remove_if_empty(home, attribute)
            })
        }
    }
}

fn change_extension(
    resource: &mut Map<String, Value>,
    attributes: &'static [ScimAttribute],
    op: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    if op == ScimPatchOp::Remove {
        resource.remove(ENTERPRISE_SCHEMA);
        return Ok(());
    }
    let Value::Object(members) = value else {
        return Err(refuse_attribute(ScimRefusal::ExtensionNotObject, ENTERPRISE_SCHEMA));
    };
    for (name, value) in members {
        let scim_attribute = attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        let Some(attribute) = scim_attribute else { continue };
        apply_change(resource, &ScimPatchTarget::Attribute { is_extension: true, attribute }, op, value)?;
    }
    Ok(())
}

/// Runs a change on the object that holds the attribute; an object that is empty afterwards is removed.
fn change_within(
    resource: &mut Map<String, Value>,
    is_extension: bool,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    if !is_extension {
        return change(resource);
    }
    let mut extension = match resource.remove(ENTERPRISE_SCHEMA) {
        Some(Value::Object(extension)) => extension,
        _ => Map::new(),
    };
    change(&mut extension)?;
    if !extension.is_empty() {
        resource.insert(ENTERPRISE_SCHEMA.to_owned(), Value::Object(extension));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
