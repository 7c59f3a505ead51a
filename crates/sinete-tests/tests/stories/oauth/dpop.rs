//! DPoP: tokens bound to a key that the client proves with every request (RFC 9449).

mod authorization_codes;
mod binding;
mod grants;
mod nonces;
mod own_apis;
mod proofs;
mod repeated_refreshes;
