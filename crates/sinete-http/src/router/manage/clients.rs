//! The rows about an organization's own clients.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::clients;
use crate::route::Convention::{Changes, Repeatable, Tagged};
use crate::route::Needs::{InOrganization, OneInOrganization};
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the clients of an organization.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients",
            InOrganization("clients:read"),
            lists("listClients", Tag::Clients, &clients::CLIENT),
            |state, call| Box::pin(clients::list(state, call)),
        )
    },
    Route {
        description: "Adds a client of the organization's own. A secret it is given is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients",
            OneInOrganization(&["clients:create", "agents:manage"]),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createClient", Tag::Clients, &clients::NEW_CLIENT, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::create(state, call)),
        )
    },
    Route {
        description: "Shows a client.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients/{client}",
            InOrganization("clients:read"),
            Operation { follows: &[Tagged], ..shows("getClient", Tag::Clients, &clients::CLIENT) },
            |state, call| Box::pin(clients::show(state, call)),
        )
    },
    Route {
        description: "Changes a client.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation {
                request: Some(&clients::CLIENT_PATCH),
                ..changes("updateClient", Tag::Clients, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::change(state, call)),
        )
    },
    Route {
        description: "Removes a client for good, with every grant it was given.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/clients/{client}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation { follows: &[Changes], ..does("removeClient", Tag::Clients) },
            |state, call| Box::pin(clients::remove(state, call)),
        )
    },
    Route {
        description: "Stops a client: nothing it holds counts until it is enabled again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/disable",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("disableClient", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::disable(state, call)),
        )
    },
    Route {
        description: "Lets a stopped client go on.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/enable",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("enableClient", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::enable(state, call)),
        )
    },
    Route {
        description: "Lists the secrets of a client that work now, without the secrets themselves.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            InOrganization("clients:read"),
            shows("listClientSecrets", Tag::Clients, &clients::CLIENT_SECRETS),
            |state, call| Box::pin(clients::list_secrets(state, call)),
        )
    },
    Route {
        description: "Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/clients/{client}/secrets",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..makes("addClientSecret", Tag::Clients, &clients::NEW_SECRET, &clients::ISSUED_SECRET)
            },
            |state, call| Box::pin(clients::add_secret(state, call)),
        )
    },
    Route {
        description: "Revokes a secret of a client at once.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/clients/{client}/secrets/{secret}",
            OneInOrganization(&["clients:manage", "agents:manage"]),
            Operation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("revokeClientSecret", Tag::Clients)
            },
            |state, call| Box::pin(clients::revoke_secret(state, call)),
        )
    },
];
