//! Groups, as stored in roles.

use super::refuse_attribute;
use crate::access_control::role::Role;
use crate::limits::ROLE_NAME_CHARACTERS_MAX;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value};

/// A group as a directory describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimGroup {
    /// The display name.
    pub display_name: String,
    /// The directory's `externalId`.
    pub external_id: Option<String>,
    /// The distinct member ids.
    pub members: Vec<String>,
}

impl ScimGroup {
    /// Reads a group from a resource normalized by [`super::normalization`].
    pub fn from_resource(resource: &Map<String, Value>) -> Result<Self, Refusal> {
        let text = |name: &str| resource.get(name).and_then(Value::as_str).map(str::to_owned);
        let display_name = text("displayName")
            .ok_or_else(|| refuse_attribute(ScimRefusal::ValueInvalid("is required"), "displayName"))?;
        let members =
            resource.get("members").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let ids = members.iter().filter_map(|member| member.get("value")?.as_str());
        let mut members: Vec<String> = ids.map(str::to_ascii_lowercase).collect();
        members.sort();
        members.dedup();
        Ok(Self { display_name, external_id: text("externalId"), members })
    }
}

/// Derives the role name of a group: its display name in the characters that role names allow, with a number
/// appended if the name is taken.
pub fn derive_role_name(called: &str, taken_names: &[&str]) -> String {
    let mut name = String::new();
    for character in called.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    let name = if name.is_empty() { "group" } else { name };
    let numbered = |number: usize| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let room = ROLE_NAME_CHARACTERS_MAX.saturating_sub(suffix.len());
        let head: String = name.chars().take(room).collect();
        format!("{}{suffix}", head.trim_end_matches('-'))
    };
    // One of these numbers is free, because each taken name uses at most one.
    let mut names = (1..=taken_names.len() + 1).map(numbered);
    names.find(|name| !taken_names.contains(&name.as_str())).unwrap_or_default()
}

/// Normalizes a display name for comparison.
pub fn normalize_display_name(called: &str) -> String {
    called.trim().to_lowercase()
}

/// Creates a role without permissions for a new group.
pub fn create_empty_role(name: &str) -> Result<Role, Refusal> {
    Role::new(name, [].into_iter().collect()).map_err(|_| {
        refuse_attribute(ScimRefusal::ValueInvalid("is not a valid name of a role"), "displayName")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use serde_json::json;

    #[test]
    fn scim_group_role_name_is_a_slug_of_its_display_name() {
        for (called, name) in [
            ("Engineering", "engineering"),
            ("R&D – São Paulo", "r-d-s-o-paulo"),
            ("  (Ops)  ", "ops"),
            ("日本", "group"),
            ("on_call-2", "on_call-2"),
        ] {
            assert_eq!(derive_role_name(called, &[]), name);
            assert!(create_empty_role(&derive_role_name(called, &[])).is_ok(), "{called}");
        }
    }

    #[test]
    fn scim_group_role_names_are_unique() {
        assert_eq!(derive_role_name("Admin", &["admin", "owner"]), "admin-2");
        assert_eq!(derive_role_name("a", &["a", "a-2", "a-3"]), "a-4");
        let long = "x".repeat(500);
        let first = derive_role_name(&long, &[]);
        let second = derive_role_name(&long, &[&first]);
        assert_ne!(first, second);
        assert!(create_empty_role(&first).is_ok() && create_empty_role(&second).is_ok());
    }

    #[test]
    fn scim_group_needs_a_display_name_and_lists_each_member_once() {
        let Value::Object(resource) =
            json!({"displayName": "x", "members": [{"value": "B"}, {"value": "a"}, {"value": "b"}]})
        else {
            panic!()
        };
        assert_eq!(ScimGroup::from_resource(&resource).unwrap().members, ["a", "b"]);
        assert_eq!(ScimGroup::from_resource(&Map::new()).unwrap_err().code(), RefusalCode::InvalidValue);
    }
}
