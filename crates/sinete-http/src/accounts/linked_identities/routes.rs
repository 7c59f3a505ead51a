//! The routes of the identities that are linked to an account.

use crate::accounts::linked_identities::handlers;
use crate::accounts::routes::account_route;
use crate::management_api::operations::{command_operation, list_operation};
use crate::state::RouteEntry;
use sinete_core::refusal::RefusalCode::{Conflict, NotFound};
use sinete_server::route::ApiConvention::FreshAuthentication;
use sinete_server::route::RouteMethod::{Delete, Get};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the linked identities of the account.",
        ..account_route(
            Get,
            "/account/identities",
            list_operation("listIdentities", OperationTag::Account, &handlers::IDENTITY),
            |state, request| Box::pin(handlers::list_linked_identities(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the identity providers that can be linked to the account.",
        ..account_route(
            Get,
            "/account/providers",
            list_operation("listLinkableProviders", OperationTag::Account, &handlers::LINKABLE_PROVIDER),
            |state, request| Box::pin(handlers::list_linkable_providers(state, request)),
        )
    },
    RouteEntry {
        description: "Unlinks an identity from the account, unless it is the last sign-in method.",
        ..account_route(
            Delete,
            "/account/identities/{identity}",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[NotFound, Conflict],
                ..command_operation("unlinkIdentity", OperationTag::Account)
            },
            |state, request| Box::pin(handlers::unlink_identity(state, request)),
        )
    },
];
