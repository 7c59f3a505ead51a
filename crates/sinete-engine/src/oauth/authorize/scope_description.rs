//! Descriptions of scopes, for the consent prompt and the list of authorized applications.

use super::requested_scopes::RequestedAudience;
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::permission_catalog::PERMISSION_CATALOG;
use sinete_core::access_control::scope::Scope;
use sinete_core::oauth::claims::ClaimDefinition;

/// A description in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeDescription {
    /// In English.
    pub english: String,
    /// In Portuguese.
    pub portuguese: String,
    /// Whether the action is irreversible.
    pub is_irreversible: bool,
}

impl ScopeDescription {
    fn new(english: &str, portuguese: &str) -> Self {
        Self { english: english.to_owned(), portuguese: portuguese.to_owned(), is_irreversible: false }
    }

    /// The description of a claim.
    pub(crate) fn from_claim(claim: &ClaimDefinition) -> Self {
        Self::new(claim.english, claim.portuguese)
    }

    /// The description of a scope at an audience; empty if the permission is not defined there.
    pub(crate) fn from_scope(scope: &Scope, audience: &RequestedAudience) -> Self {
        match scope {
            Scope::Identity(identity) => {
                Self::new(identity.english_description(), identity.portuguese_description())
            }
            Scope::Permission(permission) => describe_permission(permission, audience),
        }
    }
}

fn describe_permission(permission: &Permission, audience: &RequestedAudience) -> ScopeDescription {
    let covered: Vec<(&str, &str, bool)> = match audience {
        RequestedAudience::Instance(_) => PERMISSION_CATALOG
            .iter()
            .filter(|it| it.permission.parse().is_ok_and(|it: Permission| permission.covers(&it)))
            .map(|it| (it.english, it.portuguese, it.is_irreversible))
            .collect(),
        RequestedAudience::Api(api) => {
            let permission_descriptions = api.definition.permissions.iter();
            let covered = permission_descriptions.filter(|text| permission.covers(&text.permission));
            covered
                .map(|text| {
                    let portuguese = text.portuguese.as_deref().unwrap_or(&text.english);
                    (text.english.as_str(), portuguese, text.irreversible)
                })
                .collect()
        }
    };
    let is_irreversible = covered.iter().any(|(_, _, is_irreversible)| *is_irreversible);
    let together = |words: Vec<&str>| words.join("; ");
    let english = together(covered.iter().map(|(english, _, _)| *english).collect());
    let portuguese = together(covered.iter().map(|(_, portuguese, _)| *portuguese).collect());
    if covered.is_empty() || !permission.is_wildcard() {
        return ScopeDescription { english, portuguese, is_irreversible };
    }
    // A wildcard also covers actions that the API adds later.
    ScopeDescription {
        english: format!("{english}; and whatever else {} will allow", permission.resource()),
        portuguese: format!("{portuguese}; e tudo o mais que {} vier a permitir", permission.resource()),
        is_irreversible,
    }
}
