//! SCIM service provider configuration, resource types and schemas.

pub(crate) mod handlers;
