//! The routes of members.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, list_operation, show_operation, update_operation,
};
use crate::organizations::members::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_server::route::ApiConvention::{Etag, Mutation};
use sinete_server::route::RequiredPermission::{InOrganization, InOrganizationOrOwner};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists or searches the members of an organization.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/members",
            InOrganization(READ_MEMBERS),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listMembers", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::list_members(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a member.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization(READ_MEMBERS),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getMember", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::show_member(state, request)),
        )
    },
    RouteEntry {
        description: "Updates the profile that the organization has of a member.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                request: Some(&handlers::MEMBER_PATCH),
                ..update_operation("updateMember", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::update_member(state, request)),
        )
    },
    RouteEntry {
        description: "Replaces the roles of a member.",
        ..management_route(
            Put,
            "/manage/organizations/{organization}/members/{member}/roles",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                request: Some(&handlers::MEMBER_ROLES),
                ..update_operation("setMemberRoles", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::set_member_roles(state, request)),
        )
    },
    RouteEntry {
        description: "Disables a member. Their tokens, keys and sessions are refused in this organization until they are enabled.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/members/{member}/disable",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("disableMember", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::disable_member(state, request)),
        )
    },
    RouteEntry {
        description: "Enables a disabled member.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/members/{member}/enable",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("enableMember", OperationTag::Members, &handlers::MEMBER)
            },
            |state, request| Box::pin(handlers::enable_member(state, request)),
        )
    },
    RouteEntry {
        description: "Removes a member permanently. Members can remove themselves.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/members/{member}",
            InOrganizationOrOwner(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeMember", OperationTag::Members)
            },
            |state, request| Box::pin(handlers::remove_member(state, request)),
        )
    },
];
