//! Administration of the instance by operators.

pub(crate) mod diagnostics;
pub(crate) mod health;
pub(crate) mod routes;
pub(crate) mod settings;
pub(crate) mod signing_keys;
