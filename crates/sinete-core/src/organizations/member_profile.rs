//! An organization's profile of a member, visible only to that organization.

use crate::accounts::email_address::EmailAddress;
use crate::accounts::profile_text::ProfileText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The profile of a membership. `None` fields are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemberProfile {
    /// The full display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<ProfileText>,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<ProfileText>,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<ProfileText>,
    /// The e-mail address at the organization. It is released to applications while it is in a verified
    /// domain of the organization.
    #[schemars(
        description = "The member's e-mail address at the organization. It is released to applications while its domain is a verified domain of the organization."
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<EmailAddress>,
    /// The job title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<ProfileText>,
    /// The department.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub department: Option<ProfileText>,
    /// The employee number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_number: Option<ProfileText>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::DISPLAY_TEXT_CHARACTERS_MAX;

    #[test]
    fn member_profile_round_trips_without_unknown_values() {
        let text = r#"{"name":" Ana Souza ","title":"Contadora"}"#;
        let profile: MemberProfile = serde_json::from_str(text).unwrap();
        let profile_json = serde_json::to_string(&profile).unwrap();
        assert_eq!(profile_json, r#"{"name":"Ana Souza","title":"Contadora"}"#);
        assert_eq!(serde_json::to_string(&MemberProfile::default()).unwrap(), "{}");
    }

    #[test]
    fn member_profile_with_unknown_empty_long_or_misleading_text_is_refused() {
        let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(DISPLAY_TEXT_CHARACTERS_MAX + 1));
        for text in [
            r#"{"phone":"1"}"#,
            r#"{"email":"a"}"#,
            r#"{"name":" "}"#,
            r#"{"name":"a\u202eb"}"#,
            r#"{"name":1}"#,
            &long,
        ] {
            assert!(serde_json::from_str::<MemberProfile>(text).is_err(), "{text}");
        }
    }
}
