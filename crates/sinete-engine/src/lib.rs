//! Use cases: load the facts, let the core decide, commit one act.

pub mod security_log;
