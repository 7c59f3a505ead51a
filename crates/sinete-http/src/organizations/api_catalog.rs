//! APIs of the instance and of organizations, with their permissions.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod object_types;
pub(crate) mod routes;
