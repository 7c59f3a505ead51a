//! Signing in and up over the JSON API alone.

mod browsers;
mod enumeration;
mod guessing;
mod joining;
mod passwords;
mod races;
mod sign_in;
mod sign_up;
mod signed_in;
