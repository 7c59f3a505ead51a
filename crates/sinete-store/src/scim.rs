//! SCIM 2.0 provisioning: users, groups, filters, patches, bulk.

pub mod groups;
pub mod requests;
pub mod users;
