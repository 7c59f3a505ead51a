//! Tokens in use: what they still count for at our own endpoints, and how they end.

mod backchannel_logout;
mod backchannel_logout_retries;
mod introspection;
mod liveness;
pub(crate) mod logout;
mod management_api;
mod revocation;
mod userinfo;
