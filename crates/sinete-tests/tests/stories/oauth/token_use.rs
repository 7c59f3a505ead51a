//! Introspection, revocation, userinfo, logout and access tokens at the management API.

mod backchannel_logout;
mod backchannel_logout_retries;
mod introspection;
mod liveness;
pub(crate) mod logout;
mod management_api;
mod revocation;
mod userinfo;
