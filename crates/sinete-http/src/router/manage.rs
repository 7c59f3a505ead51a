//! The rows of the management API, and how its operations are written.

mod accounts;
mod api_keys;
mod apis;
mod assignments;
mod audit;
mod clients;
mod connections;
mod domains;
mod grants;
mod instance;
mod instance_clients;
mod instance_webhooks;
mod invitations;
mod members;
mod messages;
mod organizations;
mod relationships;
mod roles;
mod webhooks;

use super::join_routes;
use crate::route::ApiConvention::{Etag, IfMatch, Mutation, Paged};
use crate::route::{ApiOperation, OperationOutcome, OperationTag, RouteEntry};
use crate::schema::NamedSchema;

const PARTS: &[&[RouteEntry]] = &[
    organizations::ROUTES,
    members::ROUTES,
    invitations::ROUTES,
    roles::ROUTES,
    api_keys::ROUTES,
    apis::ROUTES,
    relationships::ROUTES,
    clients::ROUTES,
    instance_clients::ROUTES,
    audit::ROUTES,
    assignments::ROUTES,
    messages::ROUTES,
    webhooks::ROUTES,
    domains::ROUTES,
    connections::ROUTES,
    instance_webhooks::ROUTES,
    grants::ROUTES,
    accounts::ROUTES,
    instance::ROUTES,
];

pub(super) const ROUTES: &[RouteEntry] = &join_routes::<{ super::count_routes(PARTS) }>(PARTS);

/// An operation that shows something.
pub(super) const fn show_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        id,
        tag,
        request: None,
        outcome: OperationOutcome::Resource(schema),
        conventions: &[],
        query: &[],
        extra_refusals: &[],
    }
}

/// An operation that shows a page of things.
pub(super) const fn list_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Paged], ..show_operation(id, tag, schema) }
}

/// An operation that makes something.
pub(super) const fn create_operation(
    id: &'static str,
    tag: OperationTag,
    request: &'static NamedSchema,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        request: Some(request),
        outcome: OperationOutcome::Created(schema),
        ..show_operation(id, tag, schema)
    }
}

/// An operation that changes one version of something.
pub(super) const fn update_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Etag, IfMatch, Mutation], ..show_operation(id, tag, schema) }
}

/// An operation after which there is nothing to show.
pub(super) const fn command_operation(id: &'static str, tag: OperationTag) -> ApiOperation {
    ApiOperation {
        id,
        tag,
        request: None,
        outcome: OperationOutcome::NoContent,
        conventions: &[],
        query: &[],
        extra_refusals: &[],
    }
}
