//! The routes of identity provider connections.

use crate::identity_providers::connections::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::MANAGE_SSO;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the connections of an organization, without their secrets.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/connections",
            InOrganization(MANAGE_SSO),
            list_operation("listConnections", OperationTag::SingleSignOn, &handlers::CONNECTION),
            |state, request| Box::pin(handlers::list_connections(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a connection to an identity provider of the organization.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/connections",
            InOrganization(MANAGE_SSO),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createConnection",
                    OperationTag::SingleSignOn,
                    &handlers::NEW_CONNECTION,
                    &handlers::CONNECTION,
                )
            },
            |state, request| Box::pin(handlers::create_connection(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a connection, without its secret.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization(MANAGE_SSO),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getConnection", OperationTag::SingleSignOn, &handlers::CONNECTION)
            },
            |state, request| Box::pin(handlers::show_connection(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a connection. The issuer cannot be changed.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization(MANAGE_SSO),
            ApiOperation {
                request: Some(&handlers::CONNECTION_PATCH),
                ..update_operation("updateConnection", OperationTag::SingleSignOn, &handlers::CONNECTION)
            },
            |state, request| Box::pin(handlers::update_connection(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a connection permanently. Members can no longer sign in with it.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization(MANAGE_SSO),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeConnection", OperationTag::SingleSignOn)
            },
            |state, request| Box::pin(handlers::delete_connection(state, request)),
        )
    },
    RouteEntry {
        description: "Tests a connection without a sign-in, and returns the failed checks.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/connections/{connection}/test",
            InOrganization(MANAGE_SSO),
            ApiOperation {
                conventions: &[Mutation],
                ..show_operation(
                    "testConnection",
                    OperationTag::SingleSignOn,
                    &handlers::CONNECTION_TEST_RESULT,
                )
            },
            |state, request| Box::pin(handlers::test_connection(state, request)),
        )
    },
];
