//! Roles: named sets of permissions, assigned to memberships.

use super::built_in_permissions::{ADMINISTER_ORGANIZATIONS, IMPERSONATE_ACCOUNTS};
use super::permission::{Permission, PermissionSet};
use super::permission_catalog::is_built_in_resource;
use crate::limits::{ROLE_NAME_CHARACTERS_MAX, ROLE_PERMISSIONS_MAX};

/// A role of one organization.
///
/// The constructor rejects permissions that no role may hold:
/// ```
/// # use sinete_core::access_control::{permission::PermissionSet, role::Role};
/// fn make(permissions: PermissionSet) -> Role { Role::new("clerk", permissions).unwrap() }
/// ```
/// A role cannot be constructed directly:
/// ```compile_fail,E0451
/// # use sinete_core::access_control::{permission::PermissionSet, role::Role};
/// fn make(permissions: PermissionSet) -> Role { Role { name: "clerk".into(), permissions } }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: Box<str>,
    permissions: PermissionSet,
}

/// Why a role is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRole {
    /// The name is too long or has characters that would make the `role` claim ambiguous.
    #[error("a role's name is 1 to {ROLE_NAME_CHARACTERS_MAX} lower-case letters, digits, '-' or '_'")]
    Name,
    /// The set contains a permission that only an assignment may grant, or a wildcard that covers it.
    #[error("{0} cannot be in a role; only an assignment with a reason and an end grants it")]
    Reserved(Permission),
    /// The set exceeds the maximum number of permissions.
    #[error("a role can have at most {ROLE_PERMISSIONS_MAX} permissions")]
    TooMany,
}

impl Role {
    /// Creates a role with this name and these permissions.
    pub fn new(name: &str, permissions: PermissionSet) -> Result<Self, InvalidRole> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
        if !(1..=ROLE_NAME_CHARACTERS_MAX).contains(&name.len()) || !name.bytes().all(plain) {
            return Err(InvalidRole::Name);
        }
        if permissions.len() > ROLE_PERMISSIONS_MAX {
            return Err(InvalidRole::TooMany);
        }
        for reserved in [ADMINISTER_ORGANIZATIONS, IMPERSONATE_ACCOUNTS] {
            // Both constants parse; a text that did not would simply not be in the set.
            if let Ok(reserved) = reserved.parse::<Permission>()
                && permissions.covers(&reserved)
            {
                return Err(InvalidRole::Reserved(reserved));
            }
        }
        Ok(Self { name: name.into(), permissions })
    }

    /// Creates a built-in role; a test shows that [`Role::new`] would accept it.
    pub(crate) fn new_built_in(name: &str, permissions: PermissionSet) -> Self {
        Self { name: name.into(), permissions }
    }

    /// Restricts the role to built-in permissions and those that APIs currently define. A permission that an
    /// API removed or no longer offers is not granted by a role that still names it.
    #[must_use]
    pub fn restrict_to_defined(self, defined: &PermissionSet) -> Self {
        let counts = |permission: &Permission| {
            is_built_in_resource(permission.resource()) || defined.iter().any(|it| permission.covers(it))
        };
        Self { permissions: self.permissions.retain(counts), ..self }
    }

    /// Whether the role includes permissions defined by an API.
    pub fn includes_api_permissions(&self) -> bool {
        self.permissions.iter().any(|permission| !is_built_in_resource(permission.resource()))
    }

    /// The name, as in the `role` claim.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The role's permissions.
    pub const fn permissions(&self) -> &PermissionSet {
        &self.permissions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(permissions: &[&str]) -> PermissionSet {
        permissions.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn role_with_administer_or_impersonate_permissions_is_refused() {
        for permission in
            ["organizations:administer", "organizations:*", "accounts:impersonate", "accounts:*"]
        {
            assert!(
                matches!(Role::new("boss", set(&[permission])), Err(InvalidRole::Reserved(_))),
                "{permission}"
            );
        }
        assert!(Role::new("boss", set(&["organizations:create", "accounts:manage"])).is_ok());
    }

    #[test]
    fn role_grants_built_in_permissions_and_only_defined_api_permissions() {
        let role = Role::new("clerk", set(&["members:read", "invoices:read", "invoices:void", "files:*"]));
        let role = role.unwrap();
        let counts = |defined: &[&str]| role.clone().restrict_to_defined(&set(defined)).permissions().clone();
        assert_eq!(
            counts(&["invoices:read", "files:send"]),
            set(&["members:read", "invoices:read", "files:*"])
        );
        assert_eq!(counts(&["invoice:read", "filesystem:send"]), set(&["members:read"]));
        assert!(role.includes_api_permissions());
        assert!(!Role::new("reader", set(&["members:read"])).unwrap().includes_api_permissions());
    }

    #[test]
    fn role_name_that_would_break_the_roles_claim_is_refused() {
        for name in ["", "two words", "Owner", "a\tb", &"x".repeat(65)] {
            assert_eq!(Role::new(name, PermissionSet::default()), Err(InvalidRole::Name), "{name:?}");
        }
    }
}
