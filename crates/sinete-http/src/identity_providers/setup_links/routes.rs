//! The routes of set-up links.

use crate::identity_providers::setup_links::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::DELETE_ORGANIZATION;
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, IfMatch, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the set-up links of an organization. Only for owners.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/setup-links",
            InOrganization(DELETE_ORGANIZATION),
            list_operation("listSetupLinks", OperationTag::SingleSignOn, &handlers::SETUP_LINK),
            |state, request| Box::pin(handlers::list_setup_links(state, request)),
        )
    },
    RouteEntry {
        description: "Issues a set-up link, with which another party prepares single sign-on, SCIM and a domain. Only for owners.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/setup-links",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                ..create_operation(
                    "issueSetupLink",
                    OperationTag::SingleSignOn,
                    &handlers::NEW_SETUP_LINK,
                    &handlers::ISSUED_SETUP_LINK,
                )
            },
            |state, request| Box::pin(handlers::issue_setup_link(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a set-up link and what was prepared with it. Only for owners.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/setup-links/{setup_link}",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getSetupLink", OperationTag::SingleSignOn, &handlers::SETUP_LINK)
            },
            |state, request| Box::pin(handlers::show_setup_link(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes a set-up link and removes the connection that was prepared with it. Only for owners.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/setup-links/{setup_link}",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("revokeSetupLink", OperationTag::SingleSignOn)
            },
            |state, request| Box::pin(handlers::revoke_setup_link(state, request)),
        )
    },
    RouteEntry {
        description: "Confirms what was prepared with a set-up link: enables the connection and the SCIM token, and looks up the record of the domain. Only for owners.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/setup-links/{setup_link}/confirm",
            InOrganization(DELETE_ORGANIZATION),
            ApiOperation {
                conventions: &[IfMatch, Etag, Mutation],
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::Unprocessable],
                ..show_operation("confirmSetupLink", OperationTag::SingleSignOn, &handlers::SETUP_LINK)
            },
            |state, request| Box::pin(handlers::confirm_setup_link(state, request)),
        )
    },
];
