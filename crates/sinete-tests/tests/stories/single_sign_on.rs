//! Domains that organizations prove, and signing in at a provider of theirs.

mod connections;
mod domains;
mod identities;
mod joining;
mod misbehaving;
mod required;
mod sign_in;
