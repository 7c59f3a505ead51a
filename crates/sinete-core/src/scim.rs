//! Provisioning by a directory of the organization's (SCIM 2.0, RFC 7642 to 7644), as plain functions.
//!
//! A user is a membership and a group is a role: what a directory says of them becomes the profile that one
//! organization sees, and never reaches an account. Which attributes there are stands in one table; filters, patches,
//! orders and answers all follow it.

pub mod attribute;
pub mod attribute_path;
pub mod bulk;
pub mod date_time;
pub mod discovery;
pub mod error;
pub mod filter;
pub mod group_members;
pub mod groups;
pub mod normalization;
pub mod patch;
pub mod projection;
pub mod query;
pub mod schema;
pub mod sort;
pub mod users;

use crate::refusal::{Refusal, RefusalCode};
use crate::validation::ValidationErrors;

/// The schema of users.
pub const USER_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The schema of what enterprises know about users.
pub const ENTERPRISE_SCHEMA: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/// The schema of groups.
pub const GROUP_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
/// The schema of a list.
pub const LIST_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/// The schema of an error.
pub const ERROR_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:Error";
/// The schema of what many requests at once came to.
pub const BULK_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";

/// What is provisioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimResourceType {
    /// A membership.
    User,
    /// A role.
    Group,
}

impl ScimResourceType {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::User, Self::Group];

    /// Its name, as `meta.resourceType` says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
        }
    }

    /// Where things of this kind are, below the address of the service.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::User => "/Users",
            Self::Group => "/Groups",
        }
    }

    /// The schema that every thing of this kind has.
    pub const fn schema(self) -> &'static str {
        match self {
            Self::User => USER_SCHEMA,
            Self::Group => GROUP_SCHEMA,
        }
    }
}

/// A refusal that names the attribute it is about.
pub(crate) fn refuse_attribute(code: RefusalCode, public: &'static str, attribute: &str) -> Refusal {
    let mut faults = ValidationErrors::default();
    faults.add(format!("/{attribute}"), public);
    Refusal::new(code, public, format!("about {attribute}")).with_validation_errors(faults)
}
