//! OAuth 2.1 and OpenID Connect: authorization, tokens, clients, discovery.

pub mod client_assertion;
pub mod dpop;
pub mod mtls;
pub mod request_object;
