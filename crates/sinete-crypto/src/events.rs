//! The security log and its chain, audit log, webhooks, event stream.

pub mod webhooks;
