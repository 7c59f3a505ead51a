//! The rows about roles.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::roles;
use crate::route::Convention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the roles of an organization.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:read"),
            lists("listRoles", Tag::Roles, &roles::ROLE),
            |state, call| Box::pin(roles::list(state, call)),
        )
    },
    Route {
        description: "Makes a role, holding nothing that its maker does not hold.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/roles",
            InOrganization("roles:manage"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createRole", Tag::Roles, &roles::NEW_ROLE, &roles::ROLE)
            },
            |state, call| Box::pin(roles::create(state, call)),
        )
    },
    Route {
        description: "Shows a role.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:read"),
            Operation { follows: &[Tagged], ..shows("getRole", Tag::Roles, &roles::ROLE) },
            |state, call| Box::pin(roles::show(state, call)),
        )
    },
    Route {
        description: "Changes a role; a built-in one cannot be changed.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            Operation {
                request: Some(&roles::ROLE_PATCH),
                ..changes("updateRole", Tag::Roles, &roles::ROLE)
            },
            |state, call| Box::pin(roles::change(state, call)),
        )
    },
    Route {
        description: "Removes a role. Whoever carried it does not any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/roles/{role}",
            InOrganization("roles:manage"),
            Operation { follows: &[Guarded, Changes], ..does("removeRole", Tag::Roles) },
            |state, call| Box::pin(roles::remove(state, call)),
        )
    },
];
