//! OAuth 2.1 and OpenID Connect: client assertions, DPoP, mTLS, request objects.

pub mod client_assertion;
pub mod dpop;
pub mod mtls;
pub mod request_object;
