//! The rows about roles.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::roles;
use crate::route::ApiConvention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the roles of an organization.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:read"),
            lists("listRoles", OperationTag::Roles, &roles::ROLE),
            |state, call| Box::pin(roles::list(state, call)),
        )
    },
    RouteEntry {
        description: "Makes a role, holding nothing that its maker does not hold.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:manage"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createRole", OperationTag::Roles, &roles::NEW_ROLE, &roles::ROLE)
            },
            |state, call| Box::pin(roles::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a role.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:read"),
            ApiOperation { follows: &[Tagged], ..shows("getRole", OperationTag::Roles, &roles::ROLE) },
            |state, call| Box::pin(roles::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a role; a built-in one cannot be changed.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            ApiOperation {
                request: Some(&roles::ROLE_PATCH),
                ..changes("updateRole", OperationTag::Roles, &roles::ROLE)
            },
            |state, call| Box::pin(roles::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a role. Whoever carried it does not any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            ApiOperation { follows: &[Guarded, Changes], ..does("removeRole", OperationTag::Roles) },
            |state, call| Box::pin(roles::remove(state, call)),
        )
    },
];
