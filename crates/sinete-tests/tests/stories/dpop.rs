//! Tokens that count only for whoever holds a key and proves it with every request (RFC 9449).

mod binding;
mod codes;
mod every_grant;
mod nonces;
mod own_apis;
mod proofs;
