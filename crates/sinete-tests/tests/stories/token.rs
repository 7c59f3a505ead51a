//! The token endpoint: who gets a token, what is in it, and what is refused.

mod client_credentials;
mod client_proof;
