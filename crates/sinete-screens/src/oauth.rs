//! OAuth 2.1 and OpenID Connect: authorization, tokens, clients, discovery.

pub mod authorization_error;
pub mod client_redirect;
pub mod consent;
pub mod user_code;
