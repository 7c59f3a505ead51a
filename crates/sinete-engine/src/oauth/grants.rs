//! The grant types of the token endpoint.

pub(in crate::oauth) mod active_grant;
pub(in crate::oauth) mod authorization_code;
pub(in crate::oauth) mod client_credentials;
pub(in crate::oauth) mod deferred;
pub(in crate::oauth) mod refresh_token;
pub(in crate::oauth) mod token_exchange;
