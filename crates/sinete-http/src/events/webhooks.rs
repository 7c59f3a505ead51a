//! Webhooks of the instance and of organizations.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod instance_routes;
pub(crate) mod routes;
