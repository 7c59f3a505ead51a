//! The routes of the operators' clients, and of the verification of any client.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::oauth::clients::handlers;
use crate::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the operators' clients, or those that registered themselves.",
        ..management_route(
            Get,
            "/manage/clients",
            OverInstance("instance:read"),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listInstanceClients", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::list_clients(state, call)),
        )
    },
    RouteEntry {
        description: "Adds a client that serves every organization. A secret it is given is shown in this answer and never again.",
        ..management_route(
            Post,
            "/manage/clients",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createInstanceClient",
                    OperationTag::Clients,
                    &handlers::NEW_CLIENT,
                    &handlers::SETTLED_CLIENT,
                )
            },
            |state, call| Box::pin(handlers::create_client(state, call)),
        )
    },
    RouteEntry {
        description: "Shows any client.",
        ..management_route(
            Get,
            "/manage/clients/{client}",
            OverInstance("instance:read"),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::show_client(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a client.",
        ..management_route(
            Patch,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&handlers::CLIENT_PATCH),
                ..update_operation("updateInstanceClient", OperationTag::Clients, &handlers::SETTLED_CLIENT)
            },
            |state, call| Box::pin(handlers::update_client(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a client for good, with every grant it was given.",
        ..management_route(
            Delete,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeInstanceClient", OperationTag::Clients)
            },
            |state, call| Box::pin(handlers::delete_client(state, call)),
        )
    },
    RouteEntry {
        description: "Stops a client: nothing it holds counts until it is enabled again.",
        ..management_route(
            Post,
            "/manage/clients/{client}/disable",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("disableInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::disable_client(state, call)),
        )
    },
    RouteEntry {
        description: "Lets a stopped client go on.",
        ..management_route(
            Post,
            "/manage/clients/{client}/enable",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("enableInstanceClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::enable_client(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the secrets of a client that work now, without the secrets themselves.",
        ..management_route(
            Get,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:read"),
            show_operation("listInstanceClientSecrets", OperationTag::Clients, &handlers::CLIENT_SECRETS),
            |state, call| Box::pin(handlers::list_client_secrets(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.",
        ..management_route(
            Post,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:operate"),
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
            |state, call| Box::pin(handlers::add_client_secret(state, call)),
        )
    },
    RouteEntry {
        description: "Revokes a secret of a client at once.",
        ..management_route(
            Delete,
            "/manage/clients/{client}/secrets/{secret}",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..command_operation("revokeInstanceClientSecret", OperationTag::Clients)
            },
            |state, call| Box::pin(handlers::revoke_client_secret(state, call)),
        )
    },
    RouteEntry {
        description: "Vouches for a client.",
        ..management_route(
            Post,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict],
                ..show_operation("verifyClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::verify_client(state, call)),
        )
    },
    RouteEntry {
        description: "Withdraws that anybody vouches for a client.",
        ..management_route(
            Delete,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict],
                ..show_operation("withdrawClientVerification", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, call| Box::pin(handlers::withdraw_client_verification(state, call)),
        )
    },
];
