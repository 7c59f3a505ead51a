//! SCIM 2.0 (RFC 7644), for the directory of the credential's organization.
//!
//! Every handler creates a [`ScimRequest`]: it authenticates the caller, calls one function of the engine and
//! returns the result.

pub(crate) mod discovery;
mod dto;
mod request;
pub(crate) mod resources;
pub(crate) mod routes;

pub(crate) use crate::scim::dto::{
    BULK_OUTCOME, BULK_REQUEST, DISCOVERY_RESPONSE, GROUP, LIST, NEW_GROUP, NEW_USER, PATCH, SCHEMAS, SEARCH,
    USER,
};

use crate::scim::request::ScimRequest;
