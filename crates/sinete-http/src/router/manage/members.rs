//! The rows about members.

use super::super::managed;
use super::{changes, does, lists, shows};
use crate::manage::members;
use crate::route::Convention::{Changes, Tagged};
use crate::route::Needs::{InOrganization, InOrganizationOrOwn};
use crate::route::Verb::{Delete, Get, Patch, Post, Put};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the members of an organization, or finds some of them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/members",
            InOrganization("members:read"),
            Operation { query: members::QUERY, ..lists("listMembers", Tag::Members, &members::MEMBER) },
            |state, call| Box::pin(members::list(state, call)),
        )
    },
    Route {
        description: "Shows a member.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:read"),
            Operation { follows: &[Tagged], ..shows("getMember", Tag::Members, &members::MEMBER) },
            |state, call| Box::pin(members::show(state, call)),
        )
    },
    Route {
        description: "Changes what the organization knows about a member.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/members/{member}",
            InOrganization("members:manage"),
            Operation {
                request: Some(&members::MEMBER_PATCH),
                ..changes("updateMember", Tag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::change(state, call)),
        )
    },
    Route {
        description: "Gives a member these roles and no others.",
        ..managed(
            Put,
            "/manage/organizations/{organization}/members/{member}/roles",
            InOrganization("members:manage"),
            Operation {
                request: Some(&members::MEMBER_ROLES),
                ..changes("setMemberRoles", Tag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::set_roles(state, call)),
        )
    },
    Route {
        description: "Disables a member: nothing of theirs counts here until they are enabled again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/members/{member}/disable",
            InOrganization("members:manage"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("disableMember", Tag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::disable(state, call)),
        )
    },
    Route {
        description: "Enables a disabled member again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/members/{member}/enable",
            InOrganization("members:manage"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("enableMember", Tag::Members, &members::MEMBER)
            },
            |state, call| Box::pin(members::enable(state, call)),
        )
    },
    Route {
        description: "Removes a member for good. Whoever removes themself leaves.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/members/{member}",
            InOrganizationOrOwn("members:manage"),
            Operation { follows: &[Changes], ..does("removeMember", Tag::Members) },
            |state, call| Box::pin(members::remove(state, call)),
        )
    },
];
