//! The management API: organizations, members, roles, keys and the trail, told on both engines.

mod api_keys;
mod apis;
mod assignments;
mod audit;
mod clients;
mod concurrency;
pub(crate) mod conventions;
mod description;
mod finding;
mod idempotency;
mod instance;
mod invitations;
mod members;
mod organizations;
mod permissions;
mod privileges;
mod roles;
mod strangers;
mod tenants;
