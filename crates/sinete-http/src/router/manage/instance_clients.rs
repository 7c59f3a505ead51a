//! The rows about the operators' clients, and about vouching for any.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::clients;
use crate::route::ApiConvention::{Changes, Repeatable, Tagged};
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the operators' clients, or those that registered themselves.",
        ..managed(
            Get,
            "/manage/clients",
            OverInstance("instance:read"),
            ApiOperation {
                query: clients::QUERY,
                ..lists("listInstanceClients", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds a client that serves every organization. A secret it is given is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/clients",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createInstanceClient",
                    OperationTag::Clients,
                    &clients::NEW_CLIENT,
                    &clients::SETTLED_CLIENT,
                )
            },
            |state, call| Box::pin(clients::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows any client.",
        ..managed(
            Get,
            "/manage/clients/{client}",
            OverInstance("instance:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getInstanceClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a client.",
        ..managed(
            Patch,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&clients::CLIENT_PATCH),
                ..changes("updateInstanceClient", OperationTag::Clients, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a client for good, with every grant it was given.",
        ..managed(
            Delete,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            ApiOperation { follows: &[Changes], ..does("removeInstanceClient", OperationTag::Clients) },
            |state, call| Box::pin(clients::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Stops a client: nothing it holds counts until it is enabled again.",
        ..managed(
            Post,
            "/manage/clients/{client}/disable",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("disableInstanceClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::disable(state, call)),
        )
    },
    RouteEntry {
        description: "Lets a stopped client go on.",
        ..managed(
            Post,
            "/manage/clients/{client}/enable",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("enableInstanceClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::enable(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the secrets of a client that work now, without the secrets themselves.",
        ..managed(
            Get,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:read"),
            shows("listInstanceClientSecrets", OperationTag::Clients, &clients::CLIENT_SECRETS),
            |state, call| Box::pin(clients::list_secrets(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.",
        ..managed(
            Post,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..makes(
                    "addInstanceClientSecret",
                    OperationTag::Clients,
                    &clients::NEW_SECRET,
                    &clients::ISSUED_SECRET,
                )
            },
            |state, call| Box::pin(clients::add_secret(state, call)),
        )
    },
    RouteEntry {
        description: "Revokes a secret of a client at once.",
        ..managed(
            Delete,
            "/manage/clients/{client}/secrets/{secret}",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("revokeInstanceClientSecret", OperationTag::Clients)
            },
            |state, call| Box::pin(clients::revoke_secret(state, call)),
        )
    },
    RouteEntry {
        description: "Vouches for a client.",
        ..managed(
            Post,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            ApiOperation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict],
                ..shows("verifyClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::verify(state, call)),
        )
    },
    RouteEntry {
        description: "Withdraws that anybody vouches for a client.",
        ..managed(
            Delete,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            ApiOperation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict],
                ..shows("withdrawClientVerification", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::withdraw_verification(state, call)),
        )
    },
];
