//! Verified domains and single sign-on through identity providers.

mod connection_domains;
mod connections;
mod identities;
mod invalid_oidc_responses;
mod jit_provisioning;
mod known_devices;
pub(super) mod oidc_sign_in;
mod removed_members;
mod required_single_sign_on;
mod saml;
mod saml_connections;
mod saml_users;
pub(super) mod setup_links;
mod trust;
mod unreachable_providers;
mod upstream_sinete;
mod userinfo;
