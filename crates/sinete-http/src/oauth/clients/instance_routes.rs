//! The routes of the operators' clients, and of the verification of any client.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::oauth::clients::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_INSTANCE, VERIFY_CLIENTS};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::OverInstance;
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the clients that operators registered, or those that registered themselves.",
        ..management_route(
            Get,
            "/manage/clients",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listInstanceClients", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::list_clients(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a client for every organization. Its secret, if it has one, is returned only in this response.",
        ..management_route(
            Post,
            "/manage/clients",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createInstanceClient",
                    OperationTag::Clients,
                    &handlers::NEW_CLIENT,
                    &handlers::SETTLED_CLIENT,
                )
            },
            |state, request| Box::pin(handlers::create_client(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves any client.",
        ..management_route(
            Get,
            "/manage/clients/{client}",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::show_client(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a client.",
        ..management_route(
            Patch,
            "/manage/clients/{client}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                request: Some(&handlers::CLIENT_PATCH),
                ..update_operation("updateInstanceClient", OperationTag::Clients, &handlers::SETTLED_CLIENT)
            },
            |state, request| Box::pin(handlers::update_client(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a client permanently, with its grants.",
        ..management_route(
            Delete,
            "/manage/clients/{client}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeInstanceClient", OperationTag::Clients)
            },
            |state, request| Box::pin(handlers::delete_client(state, request)),
        )
    },
    RouteEntry {
        description: "Disables a client. Its tokens and credentials are refused until it is enabled.",
        ..management_route(
            Post,
            "/manage/clients/{client}/disable",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("disableInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::disable_client(state, request)),
        )
    },
    RouteEntry {
        description: "Enables a disabled client.",
        ..management_route(
            Post,
            "/manage/clients/{client}/enable",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("enableInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::enable_client(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the active secrets of a client, without their values.",
        ..management_route(
            Get,
            "/manage/clients/{client}/secrets",
            OverInstance(READ_INSTANCE),
            show_operation("listInstanceClientSecrets", OperationTag::Clients, &handlers::CLIENT_SECRETS),
            |state, request| Box::pin(handlers::list_client_secrets(state, request)),
        )
    },
    RouteEntry {
        description: "Creates another secret of a client, which is returned only in this response. Earlier secrets stay valid for `overlap_seconds`.",
        ..management_route(
            Post,
            "/manage/clients/{client}/secrets",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..create_operation(
                    "addInstanceClientSecret",
                    OperationTag::Clients,
                    &handlers::NEW_SECRET,
                    &handlers::ISSUED_SECRET,
                )
            },
            |state, request| Box::pin(handlers::add_client_secret(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes a secret of a client at once.",
        ..management_route(
            Delete,
            "/manage/clients/{client}/secrets/{secret}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..command_operation("revokeInstanceClientSecret", OperationTag::Clients)
            },
            |state, request| Box::pin(handlers::revoke_client_secret(state, request)),
        )
    },
    RouteEntry {
        description: "Verifies a client.",
        ..management_route(
            Post,
            "/manage/clients/{client}/verification",
            OverInstance(VERIFY_CLIENTS),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict],
                ..show_operation("verifyClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::verify_client(state, request)),
        )
    },
    RouteEntry {
        description: "Withdraws the verification of a client.",
        ..management_route(
            Delete,
            "/manage/clients/{client}/verification",
            OverInstance(VERIFY_CLIENTS),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict],
                ..show_operation("withdrawClientVerification", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::withdraw_client_verification(state, request)),
        )
    },
];
