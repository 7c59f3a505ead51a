//! The authorization request, checked in an order that the types enforce: first who asks and where the
//! answer goes, then everything else. Nothing is sent anywhere before the first half is proven.
//!
//! ```
//! # use sinete_core::authorize::{addressed::{RedirectableRequest, RegisteredRedirectUris}, request::AuthorizationRequest, unvalidated::RawAuthorizationParams};
//! # use sinete_core::people::SignInStatus;
//! fn answer(asked: RawAuthorizationParams, client: &RegisteredRedirectUris) -> Option<AuthorizationRequest> {
//!     asked.address(client).ok()?.check(SignInStatus::No).ok()
//! }
//! ```
//! A request whose callback nobody proved cannot be checked, let alone answered:
//! ```compile_fail,E0599
//! # use sinete_core::authorize::{addressed::{RedirectableRequest, RegisteredRedirectUris}, request::AuthorizationRequest, unvalidated::RawAuthorizationParams};
//! # use sinete_core::people::SignInStatus;
//! fn answer(asked: RawAuthorizationParams, client: &RegisteredRedirectUris) -> Option<AuthorizationRequest> {
//!     asked.check(SignInStatus::No).ok()
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
