//! The token endpoint: who gets a token, what is in it, and what is refused.

mod authorization_code;
mod client_assertions;
mod client_credentials;
mod client_proof;
mod clock;
mod lost_commits;
mod named_organization;
mod policy;
mod refresh_token;
mod token_exchange;
