//! The routes of the account's picture.

use crate::accounts::picture::handlers;
use crate::accounts::profile::handlers::ACCOUNT;
use crate::accounts::routes::account_route;
use crate::management_api::operations::show_operation;
use crate::route_table::browser_page_route;
use crate::state::RouteEntry;
use sinete_core::refusal::RefusalCode::NotFound;
use sinete_server::route::ApiConvention::{Etag, IfMatch};
use sinete_server::route::RouteMethod::{Delete, Put};
use sinete_server::route::{ApiOperation, OperationTag, RouteAvailability};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Sets the picture of the account, and its URL as the claim picture.",
        ..account_route(
            Put,
            "/account/picture",
            ApiOperation {
                request: Some(&handlers::SET_PICTURE),
                conventions: &[Etag, IfMatch],
                ..show_operation("setAccountPicture", OperationTag::Account, &ACCOUNT)
            },
            |state, request| Box::pin(handlers::set_picture(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes the picture of the account, and the claim picture.",
        ..account_route(
            Delete,
            "/account/picture",
            ApiOperation {
                conventions: &[Etag, IfMatch],
                extra_refusals: &[NotFound],
                ..show_operation("removeAccountPicture", OperationTag::Account, &ACCOUNT)
            },
            |state, request| Box::pin(handlers::delete_picture(state, request)),
        )
    },
    RouteEntry {
        availability: RouteAvailability::Always,
        ..browser_page_route("/pictures/{picture}", "Returns the picture of a user.", |state, request| {
            Box::pin(handlers::serve_picture(state, request))
        })
    },
];
