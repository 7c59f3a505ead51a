//! OAuth 2.1 and OpenID Connect: authorization, tokens, clients, discovery.

pub mod assertion_replays;
pub mod authorization_codes;
pub mod authorize_context;
pub mod authorized_applications;
pub mod cache;
pub mod ciba_requests;
pub mod client_authentication;
pub mod client_secrets;
pub mod clients;
pub mod consents;
pub mod dcr;
pub mod deferred_grants;
pub mod delegations;
pub mod device_authorizations;
pub mod grants;
pub mod par;
pub mod refresh_tokens;
pub(crate) mod refusal_consequences;
pub mod revocation;
pub mod subject_state;
