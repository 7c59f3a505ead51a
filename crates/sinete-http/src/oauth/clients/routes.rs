//! The routes of an organization's clients.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::oauth::clients::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{
    CREATE_CLIENTS, MANAGE_AGENTS, MANAGE_CLIENTS, READ_CLIENTS,
};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::{InOrganization, OneInOrganization};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the clients of an organization.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/clients",
            InOrganization(READ_CLIENTS),
            list_operation("listClients", OperationTag::Clients, &handlers::CLIENT),
            |state, request| Box::pin(handlers::list_clients(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a client of the organization. Its secret, if it has one, is returned only in this response.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/clients",
            OneInOrganization(&[CREATE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createClient",
                    OperationTag::Clients,
                    &handlers::NEW_CLIENT,
                    &handlers::SETTLED_CLIENT,
                )
            },
            |state, request| Box::pin(handlers::create_client(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a client.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/clients/{client}",
            InOrganization(READ_CLIENTS),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::show_client(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a client.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                request: Some(&handlers::CLIENT_PATCH),
                ..update_operation("updateClient", OperationTag::Clients, &handlers::SETTLED_CLIENT)
            },
            |state, request| Box::pin(handlers::update_client(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a client permanently, with its grants.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeClient", OperationTag::Clients)
            },
            |state, request| Box::pin(handlers::delete_client(state, request)),
        )
    },
    RouteEntry {
        description: "Disables a client. Its tokens and credentials are refused until it is enabled.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/clients/{client}/disable",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("disableClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::disable_client(state, request)),
        )
    },
    RouteEntry {
        description: "Enables a disabled client.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/clients/{client}/enable",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("enableClient", OperationTag::Clients, &handlers::CLIENT)
            },
            |state, request| Box::pin(handlers::enable_client(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the active secrets of a client, without their values.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            InOrganization(READ_CLIENTS),
            show_operation("listClientSecrets", OperationTag::Clients, &handlers::CLIENT_SECRETS),
            |state, request| Box::pin(handlers::list_client_secrets(state, request)),
        )
    },
    RouteEntry {
        description: "Creates another secret of a client, which is returned only in this response. Earlier secrets stay valid for `overlap_seconds`.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..create_operation(
                    "addClientSecret",
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
            "/manage/organizations/{organization}/clients/{client}/secrets/{secret}",
            OneInOrganization(&[MANAGE_CLIENTS, MANAGE_AGENTS]),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..command_operation("revokeClientSecret", OperationTag::Clients)
            },
            |state, request| Box::pin(handlers::revoke_client_secret(state, request)),
        )
    },
];
