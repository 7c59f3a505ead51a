//! SCIM 2.0 (RFC 7642 to 7644) as pure functions.
//!
//! A user is a membership and a group is a role: a directory's data becomes the profile of a membership,
//! visible to one organization, and never reaches an account. All attributes are defined in one table, which
//! filters, patches, sorting and responses use.

pub mod attribute;
pub mod attribute_path;
pub mod bulk;
pub mod date_time;
pub mod discovery;
pub mod error;
pub mod extension;
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

use crate::refusal::scim::ScimRefusal;
use crate::refusal::{Refusal, RefusalReason};
use crate::validation::ValidationErrors;

/// The schema of users.
pub const USER_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The enterprise user extension schema.
pub const ENTERPRISE_SCHEMA: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/// The schema of groups.
pub const GROUP_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
/// The schema of a list response.
pub const LIST_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/// The schema of an error.
pub const ERROR_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:Error";
/// The schema of a bulk response.
pub const BULK_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";

/// A SCIM resource type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimResourceType {
    /// A membership.
    User,
    /// A role.
    Group,
}

impl ScimResourceType {
    /// Both types.
    pub const ALL: [Self; 2] = [Self::User, Self::Group];

    /// The name, as in `meta.resourceType`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
        }
    }

    /// The endpoint path, relative to the base URL.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::User => "/Users",
            Self::Group => "/Groups",
        }
    }

    /// The schema of the type.
    pub const fn schema(self) -> &'static str {
        match self {
            Self::User => USER_SCHEMA,
            Self::Group => GROUP_SCHEMA,
        }
    }
}

/// Creates a refusal that names the attribute.
pub(crate) fn refuse_attribute(reason: ScimRefusal, attribute: &str) -> Refusal {
    let mut errors = ValidationErrors::default();
    errors.add(format!("/{attribute}"), RefusalReason::from(reason).sentence());
    Refusal::because(reason, format!("about {attribute}")).with_validation_errors(errors)
}
