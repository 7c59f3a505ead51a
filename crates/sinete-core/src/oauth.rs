//! OAuth 2.1 and OpenID Connect: requests, grants, tokens and client metadata.

pub mod access_token;
pub mod actor;
pub mod authorization_details;
pub mod authorize;
pub mod ciba;
pub mod claims;
pub mod client_document;
pub mod client_metadata;
pub mod client_trust;
pub mod confirmation;
pub mod dcr;
pub mod discovery;
pub mod dpop;
pub mod grants;
pub mod id_token;
pub mod jti;
pub mod logout;
pub mod mtls;
pub mod organization_policy;
pub mod pkce;
pub mod protected_resource;
pub mod redirect_uri;
pub mod scope_ceiling;
pub mod security_profile;
pub mod user_code;
pub mod userinfo;
