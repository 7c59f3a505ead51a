//! The routes of an organization's CIBA requests. None approves a request: that is the user's decision.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{command_operation, list_operation};
use crate::organizations::ciba_requests::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the CIBA requests to an organization's members, newest first.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/ciba-requests",
            InOrganization(READ_MEMBERS),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listCibaRequests", OperationTag::Grants, &handlers::REQUEST)
            },
            |state, request| Box::pin(handlers::list_organization_requests(state, request)),
        )
    },
    RouteEntry {
        description: "Denies a pending CIBA request to a member. Its client receives `access_denied`.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/ciba-requests/{request}/deny",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("denyCibaRequest", OperationTag::Grants)
            },
            |state, request| Box::pin(handlers::deny_organization_request(state, request)),
        )
    },
];
