//! Tokens in use: what they still count for at our own endpoints, and how they end.

mod introspection;
mod liveness;
pub(super) mod logout;
mod managing;
mod retried;
mod revocation;
mod told;
mod userinfo;
