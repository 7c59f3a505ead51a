//! Access control: what a subject may do in one organization now. An authority can only be derived or
//! narrowed.

pub mod built_in_permissions;
pub mod permission;
pub mod permission_catalog;
pub mod role;
pub mod scope;
pub mod subject;

use crate::access_control::subject::{ActiveSubject, TokenSubject};
use crate::id::OrganizationId;
use permission::{Permission, PermissionSet};

/// The permissions a subject holds in one organization while everything they depend on is active.
///
/// It is derived from a proof that all of it is active:
/// ```
/// # use sinete_core::access_control::{Authority, subject::{ActiveSubject, InactiveSubject}};
/// fn derive(witness: &ActiveSubject) -> Authority { Authority::derive(witness) }
/// ```
/// and not from a subject that is suspended, disabled or revoked:
/// ```compile_fail,E0308
/// # use sinete_core::access_control::{Authority, subject::{ActiveSubject, InactiveSubject}};
/// fn derive(witness: &InactiveSubject) -> Authority { Authority::derive(witness) }
/// ```
/// It can be queried:
/// ```
/// # use sinete_core::access_control::{Authority, permission::Permission};
/// fn widen(held: Authority, more: Permission) { held.covers(&more); }
/// ```
/// but nothing can be added to it:
/// ```compile_fail,E0616
/// # use sinete_core::access_control::{Authority, permission::Permission};
/// fn widen(held: Authority, more: Permission) { held.permissions.insert(more); }
/// ```
/// it cannot be constructed directly:
/// ```compile_fail,E0451
/// # use sinete_core::access_control::{Authority, permission::PermissionSet};
/// # use sinete_core::{id::OrganizationId, access_control::subject::TokenSubject};
/// fn forge(organization: OrganizationId, subject: TokenSubject, permissions: PermissionSet) -> Authority {
///     Authority { organization, subject, permissions }
/// }
/// ```
/// and it cannot be deserialized, because it is never stored:
/// ```compile_fail,E0277
/// # use sinete_core::access_control::Authority;
/// fn load(stored: &str) -> Authority { serde_json::from_str(stored).unwrap() }
/// ```
/// ```
/// # use sinete_core::access_control::scope::ScopeSet;
/// fn load(stored: &str) -> ScopeSet { serde_json::from_str(stored).unwrap() }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    organization: OrganizationId,
    subject: TokenSubject,
    permissions: PermissionSet,
}

/// The request asks for a permission that the subject lacks. It is rejected as a whole; nothing is trimmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request asks for {permission}, which its holder does not have")]
pub struct MissingPermission {
    /// The first requested permission that is not held.
    pub permission: Permission,
}

impl Authority {
    /// Derives everything that the subject's roles grant in its organization.
    pub fn derive(subject: &ActiveSubject) -> Self {
        Self {
            organization: subject.organization(),
            subject: subject.subject().clone(),
            permissions: PermissionSet::union(subject.roles().iter().map(role::Role::permissions)),
        }
    }

    /// Narrows the authority to the requested permissions, if all of them are held.
    pub fn narrow(&self, permissions: &PermissionSet) -> Result<Self, MissingPermission> {
        match permissions.iter().find(|permission| !self.covers(permission)) {
            Some(permission) => Err(MissingPermission { permission: permission.clone() }),
            None => Ok(Self { permissions: permissions.clone(), ..self.clone() }),
        }
    }

    /// Limits the authority to a ceiling: the permissions that are both held and within it. While [`narrow`]
    /// rejects a request as a whole, this keeps a long-lived API key within its original limits while its
    /// holder's roles change.
    ///
    /// [`narrow`]: Self::narrow
    #[must_use]
    pub fn narrow_to_ceiling(&self, ceiling: &PermissionSet) -> Self {
        Self { permissions: self.permissions.intersect(ceiling), ..self.clone() }
    }

    /// Whether the permission is held, directly or through its resource's wildcard.
    pub fn covers(&self, permission: &Permission) -> bool {
        self.permissions.covers(permission)
    }

    /// The organization this authority is valid in.
    pub const fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// The subject that holds it.
    pub const fn subject(&self) -> &TokenSubject {
        &self.subject
    }

    /// The permissions held, for a token or a consent page.
    pub const fn permissions(&self) -> &PermissionSet {
        &self.permissions
    }
}

#[cfg(test)]
mod laws {
    //! The laws of narrowing, checked by an oracle that knows only sets of strings.

    use super::*;
    use crate::access_control::role::Role;
    use crate::access_control::subject::{LifecycleCondition, SubjectState};
    use crate::id::{AccountId, MembershipId};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Expands a set of permissions into every concrete action it allows in this small test universe, plus
    /// each wildcard held. Shares no code with the implementation.
    fn oracle(permission_names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for statement in permission_names {
            let (resource, action) = statement.split_once(':').unwrap();
            all.insert(statement.clone());
            if action == "*" {
                for possible in ["read", "write", "send", "delete"] {
                    all.insert(format!("{resource}:{possible}"));
                }
            }
        }
        all
    }

    fn statement() -> impl Strategy<Value = String> {
        ("(invoices|files|people)", "(read|write|send|delete|\\*)").prop_map(|(r, a)| format!("{r}:{a}"))
    }

    fn statements() -> impl Strategy<Value = BTreeSet<String>> {
        proptest::collection::btree_set(statement(), 0..6)
    }

    fn parsed(statements: &BTreeSet<String>) -> PermissionSet {
        statements.iter().map(|text| text.parse::<Permission>().unwrap()).collect()
    }

    fn holder_of(roles: &[BTreeSet<String>]) -> Authority {
        let roles = roles
            .iter()
            .enumerate()
            .map(|(number, permission_names)| {
                Role::new(&format!("role-{number}"), parsed(permission_names)).unwrap()
            })
            .collect();
        let subject_state = SubjectState {
            subject: TokenSubject::User {
                account: AccountId::from_bytes([1; 16]),
                membership: MembershipId::from_bytes([2; 16]),
            },
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles,
        };
        Authority::derive(&subject_state.require_active().unwrap())
    }

    proptest! {
        #[test]
        fn role_grants_exactly_the_permissions_of_the_oracle(
            roles in proptest::collection::vec(statements(), 1..4),
            asked in statement(),
        ) {
            let held: BTreeSet<String> = roles.iter().flatten().cloned().collect();
            let authority = holder_of(&roles);
            prop_assert_eq!(authority.covers(&asked.parse().unwrap()), oracle(&held).contains(&asked));
        }

        #[test]
        fn authority_narrowing_is_granted_or_refused_as_a_whole(held in statements(), asked in statements()) {
            let authority = holder_of(std::slice::from_ref(&held));
            let all_held = asked.iter().all(|statement| oracle(&held).contains(statement));
            match authority.narrow(&parsed(&asked)) {
                Ok(narrowed) => {
                    prop_assert!(all_held);
                    prop_assert_eq!(narrowed.permissions(), &parsed(&asked));
                }
                Err(widening) => {
                    prop_assert!(!all_held);
                    prop_assert!(!oracle(&held).contains(&widening.permission.to_string()));
                }
            }
        }

        #[test]
        fn authority_narrowing_never_reaches_permissions_it_lacked(
            held in statements(),
            requests in proptest::collection::vec(statements(), 1..5),
        ) {
            let start = holder_of(std::slice::from_ref(&held));
            let mut current = start.clone();
            for request in &requests {
                if let Ok(narrowed) = current.narrow(&parsed(request)) {
                    current = narrowed;
                }
                for resource in ["invoices", "files", "people"] {
                    for action in ["read", "write", "send", "delete", "*"] {
                        let statement = format!("{resource}:{action}");
                        if current.covers(&statement.parse().unwrap()) {
                            prop_assert!(oracle(&held).contains(&statement), "{} appeared", statement);
                        }
                    }
                }
                prop_assert_eq!(current.organization(), start.organization());
                prop_assert_eq!(current.subject(), start.subject());
            }
        }

        #[test]
        fn authority_below_a_ceiling_is_the_intersection(
            held in statements(), ceiling in statements(), asked in statement(),
        ) {
            let lowered = holder_of(std::slice::from_ref(&held)).narrow_to_ceiling(&parsed(&ceiling));
            let expected = oracle(&held).contains(&asked) && oracle(&ceiling).contains(&asked);
            prop_assert_eq!(lowered.covers(&asked.parse().unwrap()), expected);
        }

        #[test]
        fn authority_narrowed_twice_is_never_more_than_narrowed_once(
            held in statements(), first in statements(), second in statements(),
        ) {
            let start = holder_of(&[held]);
            if let Ok(narrowed) = start.narrow(&parsed(&first)).and_then(|it| it.narrow(&parsed(&second))) {
                prop_assert_eq!(start.narrow(&parsed(&second)), Ok(narrowed));
            }
        }
    }

    #[test]
    fn authority_wildcard_request_needs_the_wildcard_held() {
        let actions = ["invoices:read", "invoices:write", "invoices:send", "invoices:delete"];
        let authority = holder_of(&[actions.map(String::from).into()]);
        let refused = authority.narrow(&parsed(&["invoices:*".to_owned()].into()));
        assert_eq!(refused, Err(MissingPermission { permission: "invoices:*".parse().unwrap() }));
    }
}
