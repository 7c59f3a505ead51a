//! The management API of organizations: members, roles, API keys, APIs, invitations.

pub(in crate::stories) mod api_keys;
pub(in crate::stories) mod apis;
pub(in crate::stories) mod assignments;
pub(in crate::stories) mod branding;
pub(in crate::stories) mod domains;
pub(in crate::stories) mod first_owner;
pub(in crate::stories) mod impersonation;
pub(in crate::stories) mod invitations;
pub(in crate::stories) mod management;
pub(in crate::stories) mod member_search;
pub(in crate::stories) mod members;
pub(in crate::stories) mod operator_access;
pub(in crate::stories) mod permissions;
pub(in crate::stories) mod privileges;
pub(in crate::stories) mod roles;
pub(in crate::stories) mod tenant_isolation;
