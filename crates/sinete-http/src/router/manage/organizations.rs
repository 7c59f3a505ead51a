//! The rows about organizations.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::{organizations, permissions};
use crate::route::Convention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::Needs::{Assignment, InOrganization, Nothing, OverInstance};
use crate::route::Verb::{Delete, Get, Patch, Post, Put};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

const ORGANIZATIONS: &str = "/manage/organizations";
const ORGANIZATION: &str = "/manage/organizations/{organization}";

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists every permission of ours, with its text in both languages.",
        ..managed(
            Get,
            "/manage/permissions",
            Nothing,
            shows("listPermissions", Tag::Permissions, &permissions::CATALOGUE_SCHEMA),
            |state, call| Box::pin(permissions::list(state, call)),
        )
    },
    Route {
        description: "Makes an organization with its built-in roles.",
        ..managed(
            Post,
            ORGANIZATIONS,
            OverInstance("organizations:create"),
            Operation {
                follows: &[Repeatable, Tagged],
                ..makes(
                    "createOrganization",
                    Tag::Organizations,
                    &organizations::NEW_ORGANIZATION,
                    &organizations::ORGANIZATION,
                )
            },
            |state, call| Box::pin(organizations::create(state, call)),
        )
    },
    Route {
        description: "Lists the organizations of the instance.",
        ..managed(
            Get,
            ORGANIZATIONS,
            OverInstance("instance:read"),
            lists("listOrganizations", Tag::Organizations, &organizations::ORGANIZATION),
            |state, call| Box::pin(organizations::list(state, call)),
        )
    },
    Route {
        description: "Shows an organization.",
        ..managed(
            Get,
            ORGANIZATION,
            InOrganization("organization:read"),
            Operation {
                follows: &[Tagged],
                ..shows("getOrganization", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::show(state, call)),
        )
    },
    Route {
        description: "Renames an organization or changes its settings.",
        ..managed(
            Patch,
            ORGANIZATION,
            InOrganization("organization:update"),
            Operation {
                request: Some(&organizations::ORGANIZATION_PATCH),
                ..changes("updateOrganization", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::change(state, call)),
        )
    },
    Route {
        description: "Suspends an organization: it confers nothing and accepts no change until it is restored.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/suspend",
            Assignment,
            Operation {
                request: Some(&organizations::REASON),
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                follows: &[Tagged],
                ..shows("suspendOrganization", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::suspend(state, call)),
        )
    },
    Route {
        description: "Restores a suspended organization: everything counts again as it did.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/restore",
            Assignment,
            Operation {
                request: Some(&organizations::REASON),
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                follows: &[Tagged],
                ..shows("restoreOrganization", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::restore(state, call)),
        )
    },
    Route {
        description: "Asks for an organization to be deleted. It ends after 30 days; until then this can be taken back.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/deletion",
            InOrganization("organization:delete"),
            Operation {
                follows: &[Tagged, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..shows("askOrganizationDeletion", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::ask_deletion(state, call)),
        )
    },
    Route {
        description: "Takes back the deletion that somebody asked for.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/deletion",
            InOrganization("organization:delete"),
            Operation {
                follows: &[Tagged, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..shows("withdrawOrganizationDeletion", Tag::Organizations, &organizations::ORGANIZATION)
            },
            |state, call| Box::pin(organizations::withdraw_deletion(state, call)),
        )
    },
    Route {
        description: "Says what logo an organization has.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:read"),
            Operation {
                follows: &[Tagged],
                ..shows("getOrganizationLogo", Tag::Organizations, &organizations::logo::LOGO)
            },
            |state, call| Box::pin(organizations::logo::show(state, call)),
        )
    },
    Route {
        description: "Chooses the logo that people see who sign in to an organization, in place of the one before.",
        ..managed(
            Put,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:update"),
            Operation {
                request: Some(&organizations::logo::NEW_LOGO),
                ..changes("chooseOrganizationLogo", Tag::Organizations, &organizations::logo::LOGO)
            },
            |state, call| Box::pin(organizations::logo::choose(state, call)),
        )
    },
    Route {
        description: "Takes the logo of an organization away.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/logo",
            InOrganization("organization:update"),
            Operation { follows: &[Guarded, Changes], ..does("removeOrganizationLogo", Tag::Organizations) },
            |state, call| Box::pin(organizations::logo::remove(state, call)),
        )
    },
];
