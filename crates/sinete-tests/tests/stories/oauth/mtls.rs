//! Certificates of clients: what they prove, what is bound to them, and whose word about them counts.

mod binding;
mod client_authentication;
mod handshakes;
mod proxies;
