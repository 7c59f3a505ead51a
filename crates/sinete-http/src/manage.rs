//! The management API: everything about organizations, by those who hold a key.
//!
//! Every handler runs an [`Errand`]: it knows who asks, steps into the organization the path names, reads what
//! was sent against its schema, calls one function of the engine and shows what came of it.

pub(crate) mod errand;
mod made;
mod merge;
pub(crate) mod page;

pub(crate) mod api_keys;
pub(crate) mod apis;
pub(crate) mod assignments;
pub(crate) mod audit;
pub(crate) mod clients;
pub(crate) mod invitations;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod organizations;
pub(crate) mod permissions;
pub(crate) mod roles;

use crate::schema::Schema;
use std::sync::LazyLock;

/// What goes in and out of the management API.
pub(crate) static SCHEMAS: LazyLock<Vec<&'static Schema>> = LazyLock::new(|| {
    let own = [
        api_keys::SCHEMAS,
        apis::SCHEMAS,
        assignments::SCHEMAS,
        audit::SCHEMAS,
        invitations::SCHEMAS,
        members::SCHEMAS,
        messages::SCHEMAS,
        organizations::SCHEMAS,
        permissions::SCHEMAS,
        roles::SCHEMAS,
    ];
    [own.concat(), clients::SCHEMAS.concat()].concat()
});
