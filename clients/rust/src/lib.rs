//! A client library for Sinete: verify access tokens in an API, request tokens as a service, call the management API.
//!
//! [`AccessTokenVerifier`] verifies a token with the published keys of the issuer, and returns the verified token or the
//! response that rejects the request. [`TokenClient`] requests tokens for a client and caches them. [`management`] has a
//! typed method for every operation of the management API. Nothing here depends on Sinete's own crates.

mod access_token_verifier;
mod client_authentication;
mod dpop;
mod encoding;
mod issuer_client;
mod jwks_cache;
pub mod management;
mod replay_cache;
mod request_rejected;
mod signatures;
mod single_flight;
mod token_client;
mod verified_access_token;

pub use access_token_verifier::{AccessRequirements, AccessTokenVerifier, AccessTokenVerifierSettings};
pub use access_token_verifier::{ConfigurationError, RequestCredentials};
pub use client_authentication::ClientAuthentication;
pub use issuer_client::{ClockFn, HttpClient, IssuerRequestError};
pub use replay_cache::{MemoryReplayCache, ReplayCache, ReplayFuture};
pub use request_rejected::RequestRejectedError;
pub use signatures::{InvalidKey, SigningAlgorithm};
pub use token_client::{
    TokenClient, TokenClientSettings, TokenRequest, TokenRequestError, TokenResponse, TokenSubject,
};
pub use verified_access_token::{TokenActor, VerifiedAccessToken};
