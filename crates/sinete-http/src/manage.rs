//! The management API: everything about organizations, by those who hold a key.
//!
//! Every handler runs an [`ManagementRequest`]: it knows who asks, steps into the organization the path names, reads what
//! was sent against its schema, calls one function of the engine and shows what came of it.

pub(crate) mod errand;
mod made;
pub(crate) mod merge;
pub(crate) mod page;

pub(crate) mod accounts;
pub(crate) mod api_keys;
pub(crate) mod apis;
pub(crate) mod assignments;
pub(crate) mod audit;
pub(crate) mod clients;
pub(crate) mod connections;
pub(crate) mod domains;
pub(crate) mod events;
pub(crate) mod grants;
pub(crate) mod impersonation;
pub(crate) mod invitations;
pub(crate) mod keys;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod organizations;
pub(crate) mod permissions;
pub(crate) mod relationships;
pub(crate) mod roles;
pub(crate) mod settings;
pub(crate) mod webhooks;

use crate::schema::NamedSchema;
use std::sync::LazyLock;

/// What goes in and out of the management API.
pub(crate) static SCHEMAS: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    let own = [
        accounts::SCHEMAS,
        api_keys::SCHEMAS,
        apis::OBJECT_SCHEMAS,
        apis::SCHEMAS,
        assignments::SCHEMAS,
        audit::SCHEMAS,
        connections::SCHEMAS,
        domains::SCHEMAS,
        events::SCHEMAS,
        grants::SCHEMAS,
        impersonation::SCHEMAS,
        invitations::SCHEMAS,
        keys::SCHEMAS,
        members::SCHEMAS,
        messages::SCHEMAS,
        organizations::SCHEMAS,
        organizations::logo::SCHEMAS,
        permissions::SCHEMAS,
        relationships::SCHEMAS,
        roles::SCHEMAS,
        settings::SCHEMAS,
        webhooks::SCHEMAS,
    ];
    [own.concat(), clients::SCHEMAS.concat()].concat()
});
