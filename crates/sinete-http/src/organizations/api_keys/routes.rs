//! The routes of API keys.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::organizations::api_keys::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::MANAGE_API_KEYS;
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the API keys of an organization's members, without their secrets.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/api-keys",
            InOrganization(MANAGE_API_KEYS),
            list_operation("listApiKeys", OperationTag::ApiKeys, &handlers::API_KEY),
            |state, request| Box::pin(handlers::list_api_keys(state, request)),
        )
    },
    RouteEntry {
        description: "Creates an API key. Its secret is returned only in this response.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/api-keys",
            InOrganization(MANAGE_API_KEYS),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                extra_refusals: &[RefusalCode::InvalidScope],
                ..create_operation(
                    "issueApiKey",
                    OperationTag::ApiKeys,
                    &handlers::NEW_API_KEY,
                    &handlers::ISSUED_API_KEY,
                )
            },
            |state, request| Box::pin(handlers::issue_api_key(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an API key, without its secret.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization(MANAGE_API_KEYS),
            show_operation("getApiKey", OperationTag::ApiKeys, &handlers::API_KEY),
            |state, request| Box::pin(handlers::show_api_key(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes an API key at once.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization(MANAGE_API_KEYS),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("revokeApiKey", OperationTag::ApiKeys)
            },
            |state, request| Box::pin(handlers::revoke_api_key(state, request)),
        )
    },
];
