//! Relationships that authorization decisions are evaluated on.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod routes;
