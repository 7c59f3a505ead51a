//! Extractors: parse parts of a request into types.

pub mod accept;
pub mod bearer;
pub mod body;
pub mod certificate;
pub mod client_proof;
pub mod json;
pub mod moment;
pub(crate) mod navigation;
pub mod pairs;
pub mod peer;
pub mod same_origin;
pub mod session;
pub mod trace_parent;
