//! OAuth 2.1 and OpenID Connect.

pub(in crate::stories) mod authorize;
pub(in crate::stories) mod ciba;
pub(in crate::stories) mod client_documents;
pub(in crate::stories) mod client_libraries;
pub(in crate::stories) mod client_management;
pub(crate) mod client_registration;
pub(in crate::stories) mod client_types;
pub(in crate::stories) mod device_authorization;
pub(in crate::stories) mod discovery;
pub(in crate::stories) mod dpop;
pub(in crate::stories) mod fapi2;
pub(in crate::stories) mod mtls;
pub(in crate::stories) mod token;
pub(in crate::stories) mod token_use;
