//! The endpoints of OAuth and OpenID Connect, each calling one function of the engine.

pub(crate) mod authorize;
pub(crate) mod ciba;
pub(crate) mod clients;
pub(crate) mod dcr;
pub(crate) mod device_authorization;
pub(crate) mod discovery;
pub(crate) mod introspection;
pub(crate) mod logout;
pub(crate) mod par;
mod presented_token;
pub(crate) mod revocation;
pub(crate) mod token;
mod unverified_clients;
pub(crate) mod userinfo;
