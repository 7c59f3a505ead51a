//! The management API: everything about organizations, by those who hold a key.
//!
//! Every handler runs an [`Errand`]: it knows who asks, steps into the organization the path names, reads what
//! was sent against its schema, calls one function of the engine and shows what came of it.

mod errand;
mod made;
mod merge;
mod page;

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod members;
pub(crate) mod organizations;
pub(crate) mod permissions;
pub(crate) mod roles;

use crate::schema::Schema;

/// What goes in and out of the management API.
pub(crate) const SCHEMAS: &[&[&Schema]] = &[
    api_keys::SCHEMAS,
    audit::SCHEMAS,
    members::SCHEMAS,
    organizations::SCHEMAS,
    permissions::SCHEMAS,
    roles::SCHEMAS,
];
