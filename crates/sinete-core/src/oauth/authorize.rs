//! The authorization request, validated in an order that the types enforce: client and redirect URI
//! first, then everything else. Nothing is redirected before the redirect URI is verified.
//!
//! ```
//! # use sinete_core::oauth::authorize::{redirectable_request::RegisteredRedirectUris, request::AuthorizationRequest, raw_params::RawAuthorizationParams};
//! # use sinete_core::access_control::subject::SignInStatus;
//! fn answer(params: RawAuthorizationParams, client: &RegisteredRedirectUris) -> Option<AuthorizationRequest> {
//!     params.verify_redirect_uri(client).ok()?.validate(SignInStatus::SignedOut).ok()
//! }
//! ```
//! A request whose redirect URI is not verified cannot be validated or answered:
//! ```compile_fail,E0599
//! # use sinete_core::oauth::authorize::{redirectable_request::RegisteredRedirectUris, request::AuthorizationRequest, raw_params::RawAuthorizationParams};
//! # use sinete_core::access_control::subject::SignInStatus;
//! fn answer(params: RawAuthorizationParams, client: &RegisteredRedirectUris) -> Option<AuthorizationRequest> {
//!     params.validate(SignInStatus::SignedOut).ok()
//! }
//! ```

pub mod consent;
pub mod cross_device;
pub mod organization_selection;
pub mod params;
pub mod pending_authorization;
pub mod prompt_check;
pub mod raw_params;
pub mod redirectable_request;
pub mod request;
pub mod response;
pub mod step_up;
pub mod stored_grant_params;
pub mod target_resource;
