//! The token endpoint.

mod authorization_code;
mod client_assertions;
mod client_authentication;
mod client_credentials;
mod clock;
mod lost_commits;
mod organization_parameter;
mod policy;
mod refresh_token;
mod token_exchange;
