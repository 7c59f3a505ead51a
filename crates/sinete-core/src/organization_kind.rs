//! The kinds of organizations, which decide what the built-in roles contain.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The kind of an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrganizationKind {
    /// A tenant.
    Customer,
    /// The operators' organization: the only one that grants instance permissions.
    Operator,
    /// The organization of users who were not invited to any other.
    Home,
}

impl OrganizationKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Customer, Self::Operator, Self::Home];

    /// The slug of the operators' organization.
    pub const OPERATORS: &'static str = "operator";

    /// The slug of the home organization.
    pub const HOME: &'static str = "home";

    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Operator => "operator",
            Self::Home => "home",
        }
    }
}

/// The text is not a kind of organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an organization is a customer's, the operator's or the home organization")]
pub struct InvalidOrganizationKind;

impl FromStr for OrganizationKind {
    type Err = InvalidOrganizationKind;
    fn from_str(text: &str) -> Result<Self, InvalidOrganizationKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(InvalidOrganizationKind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organization_kinds_round_trip() {
        for kind in OrganizationKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!("tenant".parse::<OrganizationKind>(), Err(InvalidOrganizationKind));
    }
}
