//! mTLS (RFC 8705): client authentication, certificate-bound tokens, and trusted proxies.

mod binding;
mod client_authentication;
mod handshakes;
mod proxies;
