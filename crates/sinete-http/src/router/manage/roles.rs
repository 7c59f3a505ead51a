//! The rows about roles.

use super::super::management_route;
use super::{command_operation, create_operation, list_operation, show_operation, update_operation};
use crate::manage::roles;
use crate::route::ApiConvention::{Etag, IdempotencyKey, IfMatch, Mutation};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the roles of an organization.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:read"),
            list_operation("listRoles", OperationTag::Roles, &roles::ROLE),
            |state, call| Box::pin(roles::list_roles(state, call)),
        )
    },
    RouteEntry {
        description: "Makes a role, holding nothing that its maker does not hold.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:manage"),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation("createRole", OperationTag::Roles, &roles::NEW_ROLE, &roles::ROLE)
            },
            |state, call| Box::pin(roles::create_role(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a role.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:read"),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getRole", OperationTag::Roles, &roles::ROLE)
            },
            |state, call| Box::pin(roles::show_role(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a role; a built-in one cannot be changed.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            ApiOperation {
                request: Some(&roles::ROLE_PATCH),
                ..update_operation("updateRole", OperationTag::Roles, &roles::ROLE)
            },
            |state, call| Box::pin(roles::update_role(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a role. Whoever carried it does not any more.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            ApiOperation {
                conventions: &[IfMatch, Mutation],
                ..command_operation("removeRole", OperationTag::Roles)
            },
            |state, call| Box::pin(roles::delete_role(state, call)),
        )
    },
];
