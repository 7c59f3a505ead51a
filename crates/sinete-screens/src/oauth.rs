//! OAuth 2.1 and OpenID Connect pages: consent, user code, redirects and errors.

pub mod authorization_error;
pub mod client_redirect;
pub mod consent;
pub mod user_code;
