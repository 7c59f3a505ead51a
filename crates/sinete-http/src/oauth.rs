//! The endpoints of OAuth and OpenID Connect: envelopes around one function of the engine each.

pub(crate) mod authorize;
pub(crate) mod backchannel;
pub(crate) mod device;
pub(crate) mod introspect;
pub(crate) mod logout;
pub(crate) mod push;
pub(crate) mod register;
pub(crate) mod revoke;
mod shown_token;
pub(crate) mod token;
mod unverified;
pub(crate) mod userinfo;
