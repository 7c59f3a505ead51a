//! Extractors: parse parts of a request into types.

pub mod accept;
pub mod bearer;
pub mod body;
pub mod certificate;
pub mod client_authentication;
pub mod json;
pub mod navigation;
pub mod params;
pub mod peer;
pub mod same_origin;
pub mod session;
pub mod time_parameter;
pub mod trace_parent;
