//! Signing in and up over the JSON API alone.

mod addresses;
mod browsers;
mod change_email;
mod enumeration;
mod flood;
mod guessing;
mod joining;
mod links;
mod passwords;
pub(super) mod proven_addresses;
mod races;
mod refused_passwords;
mod sends;
mod sign_in;
mod sign_up;
mod signed_in;
mod telephones;
