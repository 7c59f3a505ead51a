//! The management API, for callers with a credential.
//!
//! Every handler creates a [`ManagementRequest`](request::ManagementRequest): it authenticates the caller,
//! authorizes them in the organization of the path, validates the body against its schema, calls one function
//! of the engine and returns the result.

pub(crate) mod idempotent_create;
#[cfg(feature = "screens")]
pub(crate) mod in_process;
pub(crate) mod merge_patch;
pub(crate) mod operations;
pub(crate) mod pagination;
pub(crate) mod request;
