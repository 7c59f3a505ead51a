//! The routes of roles.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::organizations::roles::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{MANAGE_ROLES, READ_ROLES};
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, IfMatch, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the roles of an organization.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/roles",
            InOrganization(READ_ROLES),
            list_operation("listRoles", OperationTag::Roles, &handlers::ROLE),
            |state, request| Box::pin(handlers::list_roles(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a role. It cannot contain permissions that its creator does not hold.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/roles",
            InOrganization(MANAGE_ROLES),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation("createRole", OperationTag::Roles, &handlers::NEW_ROLE, &handlers::ROLE)
            },
            |state, request| Box::pin(handlers::create_role(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a role.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization(READ_ROLES),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getRole", OperationTag::Roles, &handlers::ROLE)
            },
            |state, request| Box::pin(handlers::show_role(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a role. Built-in roles cannot be changed.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization(MANAGE_ROLES),
            ApiOperation {
                request: Some(&handlers::ROLE_PATCH),
                ..update_operation("updateRole", OperationTag::Roles, &handlers::ROLE)
            },
            |state, request| Box::pin(handlers::update_role(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a role, and removes it from its members.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization(MANAGE_ROLES),
            ApiOperation {
                conventions: &[IfMatch, Mutation],
                ..command_operation("removeRole", OperationTag::Roles)
            },
            |state, request| Box::pin(handlers::delete_role(state, request)),
        )
    },
];
