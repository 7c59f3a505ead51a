//! Certificates of clients: what they prove, what is bound to them, and whose word about them counts.

mod binding;
mod handshakes;
mod proofs;
mod proxies;
