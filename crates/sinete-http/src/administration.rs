//! Administration of the instance by operators.

pub(crate) mod routes;
pub(crate) mod settings;
pub(crate) mod signing_keys;
