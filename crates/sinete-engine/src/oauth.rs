//! OAuth 2.1 and OpenID Connect: authorization, tokens, clients, discovery.

pub mod access_token;
pub mod authorize;
pub mod authorized_applications;
pub(crate) mod cache;
pub mod caller_authentication;
pub mod ciba;
pub mod client_authentication;
pub mod client_documents;
mod client_keys;
pub mod clients;
pub mod dcr;
pub mod device_authorization;
pub mod dpop;
pub(crate) mod grants;
pub mod impersonation;
pub mod introspection;
pub mod logout;
pub mod mtls;
pub mod par;
pub mod presented_credential;
pub mod protected_resource;
pub mod revocation;
pub mod test_sign_in;
pub mod token;
pub mod token_issuance;
pub mod userinfo;
