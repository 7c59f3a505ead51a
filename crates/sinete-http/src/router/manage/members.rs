//! The rows about members.

use super::super::managed;
use super::{changes, does, lists, shows};
use crate::manage::members;
use crate::route::ApiConvention::{Changes, Tagged};
use crate::route::RequiredPermission::{InOrganization, InOrganizationOrOwn};
use crate::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the members of an organization, or finds some of them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/members",
            InOrganization("members:read"),
            ApiOperation {
                query: members::QUERY,
                ..lists("listMembers", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a member.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes what the organization knows about a member.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:manage"),
            ApiOperation {
                request: Some(&members::MEMBER_PATCH),
                ..changes("updateMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::change(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a member these roles and no others.",
        ..managed(
            Put,
            "/manage/organizations/{organization}/members/{member}/roles",
            InOrganization("members:manage"),
            ApiOperation {
                request: Some(&members::MEMBER_ROLES),
                ..changes("setMemberRoles", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::set_roles(state, call)),
        )
    },
    RouteEntry {
        description: "Disables a member: nothing of theirs counts here until they are enabled again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/members/{member}/disable",
            InOrganization("members:manage"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("disableMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::disable(state, call)),
        )
    },
    RouteEntry {
        description: "Enables a disabled member again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/members/{member}/enable",
            InOrganization("members:manage"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("enableMember", OperationTag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::enable(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a member for good. Whoever removes themself leaves.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/members/{member}",
            InOrganizationOrOwn("members:manage"),
            ApiOperation { follows: &[Changes], ..does("removeMember", OperationTag::Members) },
            |state, call| Box::pin(members::remove(state, call)),
        )
    },
];
