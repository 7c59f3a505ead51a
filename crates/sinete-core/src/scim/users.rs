//! Users, as stored in memberships.

use super::{ENTERPRISE_SCHEMA, refuse_attribute};
use crate::accounts::profile_text::ProfileText;
use crate::organizations::member_profile::MemberProfile;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value, json};

/// A user as a directory describes them.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimUser {
    /// The `userName`.
    pub user_name: String,
    /// The directory's `externalId`.
    pub external_id: Option<String>,
    /// Whether the user is active; `None` if not given, or if a patch removed it.
    pub active: Option<bool>,
    /// The profile visible in the organization.
    pub profile: MemberProfile,
    /// All other attributes, as sent.
    pub other_attributes: Map<String, Value>,
}

/// The paths of the profile's texts in a resource.
const PROFILE_PATHS: [(Option<&str>, &str); 6] = [
    (None, "displayName"),
    (Some("name"), "givenName"),
    (Some("name"), "familyName"),
    (None, "title"),
    (Some(ENTERPRISE_SCHEMA), "department"),
    (Some(ENTERPRISE_SCHEMA), "employeeNumber"),
];

impl ScimUser {
    /// Reads a user from a resource normalized by [`super::normalization`].
    pub fn from_resource(mut resource: Map<String, Value>) -> Result<Self, Refusal> {
        let user_name = take_text(&mut resource, "userName")
            .ok_or_else(|| refuse_attribute(ScimRefusal::ValueInvalid("is required"), "userName"))?;
        let external_id = take_text(&mut resource, "externalId");
        let active = resource.remove("active").and_then(|value| value.as_bool());
        let mut profile = MemberProfile::default();
        for ((parent, name), field) in PROFILE_PATHS.into_iter().zip(profile_fields_mut(&mut profile)) {
            let raw_value = match parent {
                None => resource.remove(name),
                Some(parent) => resource.get_mut(parent).and_then(|it| it.as_object_mut()?.remove(name)),
            };
            let text = raw_value.and_then(|value| value.as_str().map(str::to_owned));
            let wrong = |_| {
                refuse_attribute(
                    ScimRefusal::ValueInvalid("is too long or contains characters that are not allowed"),
                    name,
                )
            };
            *field = text.map(ProfileText::try_from).transpose().map_err(wrong)?;
        }
        resource.retain(|_, value| value.as_object().is_none_or(|parts| !parts.is_empty()));
        profile.email = usual_email(&resource).and_then(|address| address.parse().ok());
        Ok(Self { user_name, external_id, active, profile, other_attributes: resource })
    }

    /// Converts the user back to a resource.
    pub fn to_resource(&self) -> Map<String, Value> {
        let mut resource = self.other_attributes.clone();
        let mut profile = self.profile.clone();
        for ((parent, name), field) in PROFILE_PATHS.into_iter().zip(profile_fields_mut(&mut profile)) {
            let Some(text) = field.take() else { continue };
            let home = match parent {
                None => &mut resource,
                Some(parent) => match resource.entry(parent).or_insert_with(|| Value::Object(Map::new())) {
                    Value::Object(home) => home,
                    _ => continue,
                },
            };
            home.insert(name.to_owned(), text.as_str().into());
        }
        if let Some(email) = &self.profile.email
            && usual_email(&resource) != Some(email.as_str())
        {
            // If the organization changed the address in the profile, that address is primary.
            set_primary_email(&mut resource, email.as_str());
        }
        resource.insert("userName".to_owned(), self.user_name.as_str().into());
        resource.extend(self.external_id.as_deref().map(|it| ("externalId".to_owned(), it.into())));
        resource.extend(self.active.map(|it| ("active".to_owned(), it.into())));
        resource
    }

    /// The id of the user's manager.
    pub fn manager_id(&self) -> Option<&str> {
        self.other_attributes.get(ENTERPRISE_SCHEMA)?.get("manager")?.get("value")?.as_str()
    }

    /// The attributes to store beside the profile. A removed `active` is stored as null, so that it stays
    /// unassigned.
    pub fn stored_attributes(&self) -> Map<String, Value> {
        let mut stored = self.other_attributes.clone();
        if self.active.is_none() {
            stored.insert("active".to_owned(), Value::Null);
        }
        stored
    }

    /// Takes the mark of a removed `active` out of stored attributes, and returns whether there was one.
    pub fn take_removed_active(stored: &mut Map<String, Value>) -> bool {
        stored.remove("active").is_some()
    }

    /// The names of attributes that differ in another record, for the audit log; values are not included.
    pub fn changed_attributes(&self, other: &Self) -> Vec<String> {
        let (before, after) = (self.to_resource(), other.to_resource());
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        let mut changed: Vec<String> = names
            .filter(|name| name.as_str() != "active" && before.get(*name) != after.get(*name))
            .map(|name| if name == ENTERPRISE_SCHEMA { "enterprise".to_owned() } else { name.clone() })
            .collect();
        changed.sort();
        changed
    }
}

/// Normalizes a `userName` for comparison (RFC 7643 §4.1.1: case-insensitive).
pub fn normalize_user_name(user_name: &str) -> String {
    user_name.trim().to_lowercase()
}

/// The e-mail address for the profile: the primary one, or else the first.
fn usual_email(resource: &Map<String, Value>) -> Option<&str> {
    let emails = resource.get("emails")?.as_array()?;
    let is_primary = |email: &&Value| email.get("primary") == Some(&Value::Bool(true));
    emails.iter().find(is_primary).or(emails.first())?.get("value")?.as_str()
}

/// Makes this address the primary one.
fn set_primary_email(resource: &mut Map<String, Value>, address: &str) {
    let emails = resource.entry("emails").or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(emails) = emails else { return };
    for email in emails.iter_mut().filter_map(Value::as_object_mut) {
        email.remove("primary");
    }
    emails.retain(|email| email.get("value").and_then(Value::as_str) != Some(address));
    emails.insert(0, json!({"value": address, "type": "work", "primary": true}));
}

fn take_text(resource: &mut Map<String, Value>, name: &str) -> Option<String> {
    match resource.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// The texts of a profile, in the order of [`PROFILE_PATHS`].
fn profile_fields_mut(profile: &mut MemberProfile) -> [&mut Option<ProfileText>; 6] {
    [
        &mut profile.name,
        &mut profile.given_name,
        &mut profile.family_name,
        &mut profile.title,
        &mut profile.department,
        &mut profile.employee_number,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;

    fn full() -> Map<String, Value> {
        let Value::Object(full) = json!({
            "userName": "Ana", "externalId": "00u1", "active": true, "displayName": "Ana Souza", "title": "Contadora",
            "name": {"givenName": "Ana", "familyName": "Souza", "middleName": "B"},
            "emails": [{"value": "ana@example.org"}],
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":
                {"department": "Books", "employeeNumber": "7", "manager": {"value": "9"}},
        }) else {
            panic!()
        };
        full
    }

    #[test]
    fn scim_user_round_trips_through_its_record_and_fills_the_profile() {
        let record = ScimUser::from_resource(full()).unwrap();
        assert_eq!(record.to_resource(), full());
        assert_eq!(record.profile.name.as_ref().unwrap().as_str(), "Ana Souza");
        assert_eq!(record.profile.department.as_ref().unwrap().as_str(), "Books");
        assert_eq!(record.manager_id(), Some("9"));
        assert!(!record.other_attributes.contains_key("displayName"));
        let least = Map::from_iter([("userName".to_owned(), json!("x"))]);
        assert_eq!(ScimUser::from_resource(least.clone()).unwrap().to_resource(), least);
    }

    #[test]
    fn scim_user_primary_email_is_the_profile_email() {
        let mut record = ScimUser::from_resource(full()).unwrap();
        assert_eq!(record.profile.email.as_ref().unwrap().as_str(), "ana@example.org");
        record.profile.email = Some("ana@acme.example".parse().unwrap());
        let emails = json!([
            {"value": "ana@acme.example", "type": "work", "primary": true}, {"value": "ana@example.org"}]);
        assert_eq!(record.to_resource()["emails"], emails);
        assert_eq!(
            ScimUser::from_resource(record.to_resource()).unwrap().to_resource(),
            record.to_resource()
        );
        record.other_attributes.remove("emails");
        record.profile.email = None;
        assert!(!record.to_resource().contains_key("emails"));
    }

    #[test]
    fn scim_user_without_active_is_stored_with_a_marker_that_is_not_returned() {
        let mut record = ScimUser::from_resource(full()).unwrap();
        assert!(!record.stored_attributes().contains_key("active"));
        record.active = None;
        let mut stored = record.stored_attributes();
        assert!(stored["active"].is_null());
        assert!(ScimUser::take_removed_active(&mut stored) && !ScimUser::take_removed_active(&mut stored));
        assert_eq!(stored, record.other_attributes);
        assert!(!record.to_resource().contains_key("active"));
    }

    #[test]
    fn scim_user_without_a_user_name_is_refused() {
        assert_eq!(ScimUser::from_resource(Map::new()).unwrap_err().code(), RefusalCode::InvalidValue);
    }

    #[test]
    fn scim_user_changes_are_recorded_by_attribute_name_without_values() {
        let before = ScimUser::from_resource(full()).unwrap();
        let mut after = full();
        after.insert("nickName".to_owned(), json!("A"));
        after.insert("active".to_owned(), json!(false));
        after.remove("title");
        after.insert(
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User".to_owned(),
            json!({"division": "x"}),
        );
        let after = ScimUser::from_resource(after).unwrap();
        assert_eq!(before.changed_attributes(&after), ["enterprise", "nickName", "title"]);
        assert!(before.changed_attributes(&before).is_empty());
    }

    #[test]
    fn scim_user_name_is_compared_case_insensitively() {
        assert_eq!(normalize_user_name(" Ana@Example.ORG "), normalize_user_name("ana@example.org"));
        assert_ne!(normalize_user_name("ana"), normalize_user_name("anna"));
    }
}
