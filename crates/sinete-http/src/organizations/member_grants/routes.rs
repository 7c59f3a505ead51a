//! The routes of members' grants.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{command_operation, list_operation, show_operation};
use crate::organizations::member_grants::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the grants of an organization's members.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/grants",
            InOrganization(READ_MEMBERS),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listGrants", OperationTag::Grants, &handlers::GRANT)
            },
            |state, request| Box::pin(handlers::list_member_grants(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a grant of a member.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization(READ_MEMBERS),
            show_operation("getGrant", OperationTag::Grants, &handlers::GRANT),
            |state, request| Box::pin(handlers::show_member_grant(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes a grant of a member, with its tokens.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization(MANAGE_MEMBERS),
            command_operation("revokeGrant", OperationTag::Grants),
            |state, request| Box::pin(handlers::revoke_member_grant(state, request)),
        )
    },
];
