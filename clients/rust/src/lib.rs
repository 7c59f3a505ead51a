//! A client library for Sinete: an API that is guarded, a service that needs tokens, a program that administers.
//!
//! [`Guard`] checks a token by itself, with the published keys of the instance, and answers who asks or how to turn the
//! request away. [`Tokens`] gets tokens for a client and keeps them. [`management`] has a typed call for
//! everything that the management API does. Nothing here depends on Sinete's own crates.

mod client;
mod encoding;
mod flight;
mod guard;
mod identity;
mod keys;
pub mod management;
mod proofs;
mod refused;
mod replays;
mod service;
mod signatures;
mod tokens;

pub use client::Client;
pub use guard::{Guard, GuardSettings, Misconfigured, Needs, Shown};
pub use identity::{Actor, Identity};
pub use refused::Refused;
pub use replays::{Answer, MemoryReplays, Replays};
pub use service::{Unanswered, Web};
pub use signatures::{Algorithm, NotAKey};
pub use tokens::{Subject, Token, TokenRefused, TokenSettings, Tokens, Wanted};
