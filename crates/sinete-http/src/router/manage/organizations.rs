//! The rows about organizations.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::{organizations, permissions};
use crate::route::ApiConvention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::RequiredPermission::{Assignment, InOrganization, Nothing, OverInstance};
use crate::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

const ORGANIZATIONS: &str = "/manage/organizations";
const ORGANIZATION: &str = "/manage/organizations/{organization}";

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists every permission of ours, with its text in both languages.",
        ..managed(
            Get,
            "/manage/permissions",
            Nothing,
            shows("listPermissions", OperationTag::Permissions, &permissions::CATALOGUE_SCHEMA),
            |state, call| Box::pin(permissions::list(state, call)),
        )
    },
    RouteEntry {
        description: "Makes an organization with its built-in roles.",
        ..managed(
            Post,
            ORGANIZATIONS,
            OverInstance("organizations:create"),
            ApiOperation {
                follows: &[Repeatable, Tagged],
                ..makes(
                    "createOrganization",
                    OperationTag::Organizations,
                    &organizations::NEW_ORGANIZATION,
                    &organizations::ORGANIZATION,
                )
            },
            |state, call| Box::pin(organizations::create(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the organizations of the instance.",
        ..managed(
            Get,
            ORGANIZATIONS,
            OverInstance("instance:read"),
            lists("listOrganizations", OperationTag::Organizations, &organizations::ORGANIZATION),
            |state, call| Box::pin(organizations::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows an organization.",
        ..managed(
            Get,
            ORGANIZATION,
            InOrganization("organization:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getOrganization", OperationTag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::show(state, call)),
        )
    },
    RouteEntry {
        description: "Renames an organization or changes its settings.",
        ..managed(
            Patch,
            ORGANIZATION,
            InOrganization("organization:update"),
            ApiOperation {
                request: Some(&organizations::ORGANIZATION_PATCH),
                ..changes("updateOrganization", OperationTag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::change(state, call)),
        )
    },
    RouteEntry {
        description: "Suspends an organization: it confers nothing and accepts no change until it is restored.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/suspend",
            Assignment,
            ApiOperation {
                request: Some(&organizations::REASON),
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                follows: &[Tagged],
                ..shows("suspendOrganization", OperationTag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::suspend(state, call)),
        )
    },
    RouteEntry {
        description: "Restores a suspended organization: everything counts again as it did.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/restore",
            Assignment,
            ApiOperation {
                request: Some(&organizations::REASON),
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                follows: &[Tagged],
                ..shows("restoreOrganization", OperationTag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::restore(state, call)),
        )
    },
    RouteEntry {
        description: "Asks for an organization to be deleted. It ends after 30 days; until then this can be taken back.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/deletion",
            InOrganization("organization:delete"),
            ApiOperation {
                follows: &[Tagged, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..shows("askOrganizationDeletion", OperationTag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::ask_deletion(state, call)),
        )
    },
    RouteEntry {
        description: "Takes back the deletion that somebody asked for.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/deletion",
            InOrganization("organization:delete"),
            ApiOperation {
                follows: &[Tagged, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..shows(
                    "withdrawOrganizationDeletion",
                    OperationTag::Organizations,
                    &organizations::ORGANIZATION,
                )
            },
            |state, call| Box::pin(organizations::withdraw_deletion(state, call)),
        )
    },
    RouteEntry {
        description: "Says what logo an organization has.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getOrganizationLogo", OperationTag::Organizations, &organizations::logo::LOGO)
            },
            |state, call| Box::pin(organizations::logo::show(state, call)),
        )
    },
    RouteEntry {
        description: "Chooses the logo that people see who sign in to an organization, in place of the one before.",
        ..managed(
            Put,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:update"),
            ApiOperation {
                request: Some(&organizations::logo::NEW_LOGO),
                ..changes("chooseOrganizationLogo", OperationTag::Organizations, &organizations::logo::LOGO)
            },
            |state, call| Box::pin(organizations::logo::choose(state, call)),
        )
    },
    RouteEntry {
        description: "Takes the logo of an organization away.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:update"),
            ApiOperation {
                follows: &[Guarded, Changes],
                ..does("removeOrganizationLogo", OperationTag::Organizations)
            },
            |state, call| Box::pin(organizations::logo::remove(state, call)),
        )
    },
];
