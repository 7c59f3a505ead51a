//! Domains that organizations prove, and signing in at a provider of theirs.

mod away;
mod connections;
mod domains;
mod guessing;
mod identities;
mod joining;
mod leading;
mod misbehaving;
mod removal;
mod required;
mod saml;
mod saml_connections;
mod saml_people;
pub(super) mod sign_in;
mod trust;
mod upstream;
