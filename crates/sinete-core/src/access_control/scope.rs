//! Scopes: either an OpenID Connect scope that releases identity claims, or a permission.

use super::permission::{Permission, PermissionSet};
use crate::limits::{SCOPE_BYTES_MAX, SCOPES_MAX};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// An OpenID Connect scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentityScope {
    /// `openid`: requests an ID token.
    OpenId,
    /// `profile`: name and other profile claims.
    Profile,
    /// `email`: the e-mail address.
    Email,
    /// `address`: the postal address.
    Address,
    /// `phone`: the phone number.
    Phone,
    /// `groups`: the role names as the array `groups`.
    Groups,
    /// `roles`: the role names as the array `roles`.
    Roles,
    /// `offline_access`: access beyond the session.
    OfflineAccess,
}

impl IdentityScope {
    /// All identity scopes.
    pub const ALL: [Self; 8] = [
        Self::OpenId,
        Self::Profile,
        Self::Email,
        Self::Address,
        Self::Phone,
        Self::Groups,
        Self::Roles,
        Self::OfflineAccess,
    ];

    /// The scope as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenId => "openid",
            Self::Profile => "profile",
            Self::Email => "email",
            Self::Address => "address",
            Self::Phone => "phone",
            Self::Groups => "groups",
            Self::Roles => "roles",
            Self::OfflineAccess => "offline_access",
        }
    }
}

impl IdentityScope {
    /// What it releases, in English.
    pub const fn english_description(self) -> &'static str {
        match self {
            Self::OpenId => "Know that it is you",
            Self::Profile => "See your name and profile",
            Self::Email => "See your e-mail address",
            Self::Address => "See your postal address",
            Self::Phone => "See your telephone number",
            Self::Groups => "See your groups in the organization",
            Self::Roles => "See your roles in the organization",
            Self::OfflineAccess => "Keep this access when you are not signed in",
        }
    }

    /// What it releases, in Portuguese.
    pub const fn portuguese_description(self) -> &'static str {
        match self {
            Self::OpenId => "Saber que é você",
            Self::Profile => "Ver seu nome e perfil",
            Self::Email => "Ver seu endereço de e-mail",
            Self::Address => "Ver seu endereço postal",
            Self::Phone => "Ver seu número de telefone",
            Self::Groups => "Ver seus grupos na organização",
            Self::Roles => "Ver seus papéis na organização",
            Self::OfflineAccess => "Manter este acesso quando você não estiver conectado",
        }
    }
}

/// One scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// An identity scope.
    Identity(IdentityScope),
    /// A permission at an API.
    Permission(Permission),
}

/// A set of scopes, as requested or stored. It grants nothing by itself and is cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ScopeSet(Arc<BTreeSet<Scope>>);

/// Why a scope parameter is invalid. Unknown scopes are rejected, not ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScope {
    /// A value is neither an identity scope nor a permission.
    #[error("contains a value that is neither an identity scope nor a permission")]
    Unknown,
    /// There are too many scopes, or they are too long.
    #[error("must have at most {SCOPES_MAX} values and {SCOPE_BYTES_MAX} bytes")]
    TooMany,
}

impl ScopeSet {
    /// The permissions in the set.
    pub fn permissions(&self) -> PermissionSet {
        let permission = |scope: &Scope| match scope {
            Scope::Permission(permission) => Some(permission.clone()),
            Scope::Identity(_) => None,
        };
        self.0.iter().filter_map(permission).collect()
    }

    /// Whether the set contains the identity scope.
    pub fn contains(&self, scope: IdentityScope) -> bool {
        self.0.contains(&Scope::Identity(scope))
    }

    /// Iterates over the scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.0.iter()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scopes of this set that `other` does not cover.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.0.iter().filter(|scope| !other.covers(scope)).cloned().collect()
    }

    /// Whether the set covers the scope: an identity scope by name, a permission by one that includes it.
    pub fn covers(&self, scope: &Scope) -> bool {
        let includes = |held: &Scope| match (held, scope) {
            (Scope::Permission(held), Scope::Permission(permission)) => held.covers(permission),
            _ => false,
        };
        self.0.contains(scope) || self.0.iter().any(includes)
    }

    /// Keeps all identity scopes, and the permissions that are held.
    #[must_use]
    pub fn restrict_to_permissions(&self, held_permissions: &PermissionSet) -> Self {
        let identity = self.0.iter().filter(|scope| matches!(scope, Scope::Identity(_))).cloned();
        let permissions = self.permissions().intersect(held_permissions);
        identity.chain(permissions.iter().cloned().map(Scope::Permission)).collect()
    }

    /// Whether the ceiling covers every scope of this set.
    pub fn is_within(&self, ceiling: &Self) -> bool {
        self.0.iter().all(|scope| ceiling.covers(scope))
    }
}

impl FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(word: &str) -> Result<Self, InvalidScope> {
        match IdentityScope::ALL.into_iter().find(|scope| scope.as_str() == word) {
            Some(identity) => Ok(Self::Identity(identity)),
            None => word.parse().map(Self::Permission).map_err(|_| InvalidScope::Unknown),
        }
    }
}

impl FromStr for ScopeSet {
    type Err = InvalidScope;

    /// RFC 6749 §3.3: separated by single spaces. Duplicates are ignored.
    fn from_str(text: &str) -> Result<Self, InvalidScope> {
        if text.len() > SCOPE_BYTES_MAX {
            return Err(InvalidScope::TooMany);
        }
        if text.is_empty() {
            return Ok(Self::default());
        }
        let scopes = text.split(' ').map(str::parse).collect::<Result<BTreeSet<_>, _>>()?;
        if scopes.len() > SCOPES_MAX { Err(InvalidScope::TooMany) } else { Ok(Self(Arc::new(scopes))) }
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        Self(Arc::new(scopes.into_iter().collect()))
    }
}
impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity(scope) => out.write_str(scope.as_str()),
            Self::Permission(permission) => permission.fmt(out),
        }
    }
}
impl fmt::Display for ScopeSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(" ")?;
            }
            scope.fmt(out)?;
        }
        Ok(())
    }
}
impl TryFrom<String> for ScopeSet {
    type Error = InvalidScope;
    fn try_from(text: String) -> Result<Self, InvalidScope> {
        text.parse()
    }
}
impl Serialize for ScopeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(text: &str) -> ScopeSet {
        text.parse().unwrap()
    }

    #[test]
    fn scopes_are_identity_scopes_or_permissions_only() {
        let requested_scopes = scopes("invoices:read openid openid");
        assert!(
            requested_scopes.contains(IdentityScope::OpenId)
                && !requested_scopes.contains(IdentityScope::Email)
        );
        assert_eq!(requested_scopes.permissions().len(), 1);
        assert_eq!(requested_scopes.to_string(), "openid invoices:read");
        for text in
            ["admin", "openid  email", " openid", "openid ", "openid\temail", "OpenID", "*:*", "a:b:c"]
        {
            assert_eq!(text.parse::<ScopeSet>(), Err(InvalidScope::Unknown), "{text:?}");
        }
    }

    #[test]
    fn scope_parameter_is_bounded() {
        let many: Vec<_> = (0..65).map(|number| format!("files:a{number}")).collect();
        assert_eq!(many.join(" ").parse::<ScopeSet>(), Err(InvalidScope::TooMany));
        assert!(many[..64].join(" ").parse::<ScopeSet>().is_ok());
        assert_eq!("openid ".repeat(1000).trim_end().parse::<ScopeSet>(), Err(InvalidScope::TooMany));
    }

    #[test]
    fn scope_ceiling_is_enforced() {
        let ceiling = scopes("openid invoices:*");
        assert!(scopes("openid invoices:read").is_within(&ceiling) && scopes("").is_within(&ceiling));
        assert!(!scopes("openid email").is_within(&ceiling) && !scopes("files:read").is_within(&ceiling));
        assert!(!scopes("invoices:*").is_within(&scopes("invoices:read")));
    }
}
