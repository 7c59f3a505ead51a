//! The routes of organizations.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::organizations::organization::{first_owner, handlers};
use crate::organizations::permissions::handlers as permissions;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{
    CREATE_ORGANIZATIONS, DELETE_ORGANIZATION, READ_INSTANCE, READ_ORGANIZATION, UPDATE_ORGANIZATION,
};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, IfMatch, Mutation};
use sinete_server::route::RequiredPermission::{Assignment, InOrganization, Nothing, OverInstance};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use sinete_server::route::{ApiOperation, OperationTag};

const ORGANIZATIONS: &str = "/manage/organizations";
const ORGANIZATION: &str = "/manage/organizations/{organization}";
const FIRST_OWNER: &str = "/manage/first-owners/{organization}";

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists every permission of Sinete with its description.",
        ..management_route(
            Get,
            "/manage/permissions",
            Nothing,
            show_operation("listPermissions", OperationTag::Permissions, &permissions::CATALOG_SCHEMA),
            |state, request| Box::pin(permissions::list_permissions(state, request)),
        )
    },
    RouteEntry {
        description: "Creates an organization with its built-in roles, and invites its first owner.",
        ..management_route(
            Post,
            ORGANIZATIONS,
            OverInstance(CREATE_ORGANIZATIONS),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag],
                ..create_operation(
                    "createOrganization",
                    OperationTag::Organizations,
                    &handlers::NEW_ORGANIZATION,
                    &handlers::ORGANIZATION,
                )
            },
            |state, request| Box::pin(handlers::create_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Lists or searches the organizations of the instance.",
        ..management_route(
            Get,
            ORGANIZATIONS,
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listOrganizations", OperationTag::Organizations, &handlers::ORGANIZATION)
            },
            |state, request| Box::pin(handlers::list_organizations(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the state of an organization's first owner.",
        ..management_route(
            Get,
            FIRST_OWNER,
            OverInstance(READ_INSTANCE),
            ApiOperation {
                extra_refusals: &[RefusalCode::NotFound],
                ..show_operation("getFirstOwner", OperationTag::Organizations, &first_owner::FIRST_OWNER)
            },
            |state, request| Box::pin(first_owner::show_first_owner(state, request)),
        )
    },
    RouteEntry {
        description: "Invites the first owner of an organization that no user has joined. The invitation replaces earlier ones of owners.",
        ..management_route(
            Post,
            FIRST_OWNER,
            OverInstance(CREATE_ORGANIZATIONS),
            ApiOperation {
                request: Some(&first_owner::INVITE_FIRST_OWNER),
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::NotFound, RefusalCode::TooManyRequests],
                ..show_operation("inviteFirstOwner", OperationTag::Organizations, &first_owner::FIRST_OWNER)
            },
            |state, request| Box::pin(first_owner::invite_first_owner(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an organization.",
        ..management_route(
            Get,
            ORGANIZATION,
            InOrganization(READ_ORGANIZATION),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getOrganization", OperationTag::Organizations, &handlers::ORGANIZATION)
            },
            |state, request| Box::pin(handlers::show_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Updates the name or settings of an organization.",
        ..management_route(
            Patch,
            ORGANIZATION,
            InOrganization(UPDATE_ORGANIZATION),
            ApiOperation {
                request: Some(&handlers::ORGANIZATION_PATCH),
                ..update_operation("updateOrganization", OperationTag::Organizations, &handlers::ORGANIZATION)
            },
            |state, request| Box::pin(handlers::update_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Suspends an organization. No token is issued or accepted, and no change is accepted, until it is restored.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/suspend",
            Assignment,
            ApiOperation {
                request: Some(&handlers::REASON),
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                conventions: &[Etag],
                ..show_operation("suspendOrganization", OperationTag::Organizations, &handlers::ORGANIZATION)
            },
            |state, request| Box::pin(handlers::suspend_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Restores a suspended organization.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/restore",
            Assignment,
            ApiOperation {
                request: Some(&handlers::REASON),
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                conventions: &[Etag],
                ..show_operation("restoreOrganization", OperationTag::Organizations, &handlers::ORGANIZATION)
            },
            |state, request| Box::pin(handlers::restore_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Requests the deletion of an organization. It takes effect after 30 days and can be withdrawn until then.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/deletion",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                conventions: &[Etag, Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..show_operation(
                    "askOrganizationDeletion",
                    OperationTag::Organizations,
                    &handlers::ORGANIZATION,
                )
            },
            |state, request| Box::pin(handlers::request_organization_deletion(state, request)),
        )
    },
    RouteEntry {
        description: "Withdraws the requested deletion.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/deletion",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                conventions: &[Etag, Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..show_operation(
                    "withdrawOrganizationDeletion",
                    OperationTag::Organizations,
                    &handlers::ORGANIZATION,
                )
            },
            |state, request| Box::pin(handlers::withdraw_organization_deletion(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the logo of an organization.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/logo",
            InOrganization(READ_ORGANIZATION),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation(
                    "getOrganizationLogo",
                    OperationTag::Organizations,
                    &crate::organizations::organization::logo::LOGO,
                )
            },
            |state, request| Box::pin(crate::organizations::organization::logo::show_logo(state, request)),
        )
    },
    RouteEntry {
        description: "Sets the logo of an organization.",
        ..management_route(
            Put,
            "/manage/organizations/{organization}/logo",
            InOrganization(UPDATE_ORGANIZATION),
            ApiOperation {
                request: Some(&crate::organizations::organization::logo::NEW_LOGO),
                ..update_operation(
                    "chooseOrganizationLogo",
                    OperationTag::Organizations,
                    &crate::organizations::organization::logo::LOGO,
                )
            },
            |state, request| Box::pin(crate::organizations::organization::logo::set_logo(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes the logo of an organization.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/logo",
            InOrganization(UPDATE_ORGANIZATION),
            ApiOperation {
                conventions: &[IfMatch, Mutation],
                ..command_operation("removeOrganizationLogo", OperationTag::Organizations)
            },
            |state, request| Box::pin(crate::organizations::organization::logo::delete_logo(state, request)),
        )
    },
];
