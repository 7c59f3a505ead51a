//! The rows about an organization's own clients.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::clients;
use crate::route::ApiConvention::{Changes, Repeatable, Tagged};
use crate::route::RequiredPermission::{InOrganization, OneInOrganization};
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the clients of an organization.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients",
            InOrganization("clients:read"),
            lists("listClients", OperationTag::Clients, &clients::CLIENT),
            |state, call| Box::pin(clients::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds a client of the organization's own. A secret it is given is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients",
            OneInOrganization(&["clients:create", "agents:manage"]),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createClient", OperationTag::Clients, &clients::NEW_CLIENT, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a client.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients/{client}",
            InOrganization("clients:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a client.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation {
                request: Some(&clients::CLIENT_PATCH),
                ..changes("updateClient", OperationTag::Clients, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a client for good, with every grant it was given.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation { follows: &[Changes], ..does("removeClient", OperationTag::Clients) },
            |state, call| Box::pin(clients::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Stops a client: nothing it holds counts until it is enabled again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/disable",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("disableClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::disable(state, call)),
        )
    },
    RouteEntry {
        description: "Lets a stopped client go on.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/enable",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("enableClient", OperationTag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::enable(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the secrets of a client that work now, without the secrets themselves.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            InOrganization("clients:read"),
            shows("listClientSecrets", OperationTag::Clients, &clients::CLIENT_SECRETS),
            |state, call| Box::pin(clients::list_secrets(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..makes(
                    "addClientSecret",
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
            "/manage/organizations/{organization}/clients/{client}/secrets/{secret}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            ApiOperation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("revokeClientSecret", OperationTag::Clients)
            },
            |state, call| Box::pin(clients::revoke_secret(state, call)),
        )
    },
];
