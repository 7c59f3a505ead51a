//! Events: webhook signatures.

pub mod webhooks;
