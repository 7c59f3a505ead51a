//! The management API, for callers with a credential.
//!
//! Every handler creates a [`ManagementRequest`](request::ManagementRequest): it authenticates the caller,
//! authorizes them in the organization of the path, validates the body against its schema, calls one function
//! of the engine and returns the result.

pub(crate) mod idempotent_create;
pub(crate) mod merge_patch;
pub(crate) mod operations;
pub(crate) mod pagination;
pub(crate) mod request;

use crate::accounts::management::handlers;
use crate::administration::settings::handlers as settings;
use crate::administration::signing_keys::handlers as keys;
use crate::authzen::relationships::handlers as relationships;
use crate::events::audit_log::handlers as audit;
use crate::events::security_log::handlers as events;
use crate::events::webhooks::handlers as webhooks;
use crate::identity_providers::connections::handlers as connections;
use crate::oauth::clients::handlers as clients;
use crate::organizations::api_catalog::handlers as apis;
use crate::organizations::api_keys::handlers as api_keys;
use crate::organizations::assignments::handlers as assignments;
use crate::organizations::domains::handlers as domains;
use crate::organizations::impersonation::handlers as impersonation;
use crate::organizations::invitations::handlers as invitations;
use crate::organizations::member_grants::handlers as grants;
use crate::organizations::members::handlers as members;
use crate::organizations::organization::handlers as organizations;
use crate::organizations::permissions::handlers as permissions;
use crate::organizations::roles::handlers as roles;
use crate::platform::messages::handlers as messages;
use sinete_server::schema::NamedSchema;
use std::sync::LazyLock;

/// The schemas of the management API.
pub(crate) static SCHEMAS: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    let own = [
        handlers::SCHEMAS,
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
        crate::organizations::organization::logo::SCHEMAS,
        permissions::SCHEMAS,
        relationships::SCHEMAS,
        roles::SCHEMAS,
        settings::SCHEMAS,
        webhooks::SCHEMAS,
    ];
    [own.concat(), clients::SCHEMAS.concat()].concat()
});
