//! Organizations: members, roles, invitations, domains, APIs and API keys.

pub(crate) mod api_catalog;
pub(crate) mod api_keys;
pub(crate) mod assignments;
pub(crate) mod ciba_requests;
pub(crate) mod domains;
pub(crate) mod impersonation;
pub(crate) mod invitations;
pub(crate) mod member_grants;
pub(crate) mod members;
pub(crate) mod organization;
pub(crate) mod permissions;
pub(crate) mod roles;
