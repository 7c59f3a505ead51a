//! A client library for Sinete: what an API does with access tokens.
//!
//! [`Guard`] checks a token by itself, with the published keys of the instance, and answers who asks or how to turn the
//! request away. Nothing here depends on Sinete's own crates.

mod encoding;
mod guard;
mod identity;
mod keys;
mod proofs;
mod refused;
mod replays;
mod service;
mod signatures;

pub use guard::{Guard, GuardSettings, Introspection, Misconfigured, Needs, Shown};
pub use identity::{Actor, Identity};
pub use refused::Refused;
pub use replays::{Answer, MemoryReplays, Replays};
pub use service::Unanswered;
pub use signatures::Algorithm;
