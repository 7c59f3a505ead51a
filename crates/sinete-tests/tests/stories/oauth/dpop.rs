//! Tokens that count only for whoever holds a key and proves it with every request (RFC 9449).

mod authorization_codes;
mod binding;
mod grants;
mod nonces;
mod own_apis;
mod proofs;
