//! The rows about members.

use super::super::management_route;
use super::{command_operation, list_operation, show_operation, update_operation};
use crate::manage::members;
use crate::route::ApiConvention::{Etag, Mutation};
use crate::route::RequiredPermission::{InOrganization, InOrganizationOrOwn};
use crate::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the members of an organization, or finds some of them.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/members",
            InOrganization("members:read"),
            ApiOperation {
                query: members::QUERY,
                ..list_operation("listMembers", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::list_members(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a member.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:read"),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::show_member(state, call)),
        )
    },
    RouteEntry {
        description: "Changes what the organization knows about a member.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:manage"),
            ApiOperation {
                request: Some(&members::MEMBER_PATCH),
                ..update_operation("updateMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::update_member(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a member these roles and no others.",
        ..management_route(
            Put,
            "/manage/organizations/{organization}/members/{member}/roles",
            InOrganization("members:manage"),
            ApiOperation {
                request: Some(&members::MEMBER_ROLES),
                ..update_operation("setMemberRoles", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::set_member_roles(state, call)),
        )
    },
    RouteEntry {
        description: "Disables a member: nothing of theirs counts here until they are enabled again.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/members/{member}/disable",
            InOrganization("members:manage"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("disableMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::disable_member(state, call)),
        )
    },
    RouteEntry {
        description: "Enables a disabled member again.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/members/{member}/enable",
            InOrganization("members:manage"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("enableMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::enable_member(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a member for good. Whoever removes themself leaves.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/members/{member}",
            InOrganizationOrOwn("members:manage"),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeMember", OperationTag::Members)
            },
            |state, call| Box::pin(members::remove_member(state, call)),
        )
    },
];
