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

use super::joined;
use crate::route::Convention::{Changes, Guarded, Paged, Tagged};
use crate::route::{Operation, Outcome, Route, Tag};
use crate::schema::Schema;

const PARTS: &[&[Route]] = &[
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

pub(super) const ROUTES: &[Route] = &joined::<{ super::count(PARTS) }>(PARTS);

/// An operation that shows something.
pub(super) const fn shows(id: &'static str, tag: Tag, schema: &'static Schema) -> Operation {
    Operation {
        id,
        tag,
        request: None,
        outcome: Outcome::Shown(schema),
        follows: &[],
        query: &[],
        refuses: &[],
    }
}

/// An operation that shows a page of things.
pub(super) const fn lists(id: &'static str, tag: Tag, schema: &'static Schema) -> Operation {
    Operation { follows: &[Paged], ..shows(id, tag, schema) }
}

/// An operation that makes something.
pub(super) const fn makes(
    id: &'static str,
    tag: Tag,
    request: &'static Schema,
    schema: &'static Schema,
) -> Operation {
    Operation { request: Some(request), outcome: Outcome::Made(schema), ..shows(id, tag, schema) }
}

/// An operation that changes one version of something.
pub(super) const fn changes(id: &'static str, tag: Tag, schema: &'static Schema) -> Operation {
    Operation { follows: &[Tagged, Guarded, Changes], ..shows(id, tag, schema) }
}

/// An operation after which there is nothing to show.
pub(super) const fn does(id: &'static str, tag: Tag) -> Operation {
    Operation { id, tag, request: None, outcome: Outcome::Done, follows: &[], query: &[], refuses: &[] }
}
