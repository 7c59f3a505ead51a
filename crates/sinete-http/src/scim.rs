//! SCIM 2.0 (RFC 7644), for directories of an organization: the one that the credential speaks for.
//!
//! Every handler runs an [`ScimRequest`]: it knows who provisions and where, calls one function of the engine and shows what
//! came of it.

pub(crate) mod discovery;
mod dto;
pub(crate) mod rate_limit;
mod request;
pub(crate) mod resources;
pub(crate) mod routes;

pub(crate) use crate::scim::dto::{
    BULK_OUTCOME, BULK_REQUEST, GROUP, LIST, NEW_GROUP, NEW_USER, PATCH, SCHEMAS, SEARCH, SERVICE, USER,
};

use crate::scim::request::ScimRequest;
