//! The rows about the operators' clients, and about vouching for any.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::clients;
use crate::route::Convention::{Changes, Repeatable, Tagged};
use crate::route::Needs::OverInstance;
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the operators' clients, or those that registered themselves.",
        ..managed(
            Get,
            "/manage/clients",
            OverInstance("instance:read"),
            Operation {
                query: clients::QUERY,
                ..lists("listInstanceClients", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::list(state, call)),
        )
    },
    Route {
        description: "Adds a client that serves every organization. A secret it is given is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/clients",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createInstanceClient", Tag::Clients, &clients::NEW_CLIENT, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::create(state, call)),
        )
    },
    Route {
        description: "Shows any client.",
        ..managed(
            Get,
            "/manage/clients/{client}",
            OverInstance("instance:read"),
            Operation { follows: &[Tagged], ..shows("getInstanceClient", Tag::Clients, &clients::CLIENT) },
            |state, call| Box::pin(clients::show(state, call)),
        )
    },
    Route {
        description: "Changes a client.",
        ..managed(
            Patch,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            Operation {
                request: Some(&clients::CLIENT_PATCH),
                ..changes("updateInstanceClient", Tag::Clients, &clients::SETTLED_CLIENT)
            },
            |state, call| Box::pin(clients::change(state, call)),
        )
    },
    Route {
        description: "Removes a client for good, with every grant it was given.",
        ..managed(
            Delete,
            "/manage/clients/{client}",
            OverInstance("instance:operate"),
            Operation { follows: &[Changes], ..does("removeInstanceClient", Tag::Clients) },
            |state, call| Box::pin(clients::remove(state, call)),
        )
    },
    Route {
        description: "Stops a client: nothing it holds counts until it is enabled again.",
        ..managed(
            Post,
            "/manage/clients/{client}/disable",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("disableInstanceClient", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::disable(state, call)),
        )
    },
    Route {
        description: "Lets a stopped client go on.",
        ..managed(
            Post,
            "/manage/clients/{client}/enable",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("enableInstanceClient", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::enable(state, call)),
        )
    },
    Route {
        description: "Lists the secrets of a client that work now, without the secrets themselves.",
        ..managed(
            Get,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:read"),
            shows("listInstanceClientSecrets", Tag::Clients, &clients::CLIENT_SECRETS),
            |state, call| Box::pin(clients::list_secrets(state, call)),
        )
    },
    Route {
        description: "Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.",
        ..managed(
            Post,
            "/manage/clients/{client}/secrets",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..makes(
                    "addInstanceClientSecret",
                    Tag::Clients,
                    &clients::NEW_SECRET,
                    &clients::ISSUED_SECRET,
                )
            },
            |state, call| Box::pin(clients::add_secret(state, call)),
        )
    },
    Route {
        description: "Revokes a secret of a client at once.",
        ..managed(
            Delete,
            "/manage/clients/{client}/secrets/{secret}",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("revokeInstanceClientSecret", Tag::Clients)
            },
            |state, call| Box::pin(clients::revoke_secret(state, call)),
        )
    },
    Route {
        description: "Vouches for a client.",
        ..managed(
            Post,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            Operation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict],
                ..shows("verifyClient", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::verify(state, call)),
        )
    },
    Route {
        description: "Withdraws that anybody vouches for a client.",
        ..managed(
            Delete,
            "/manage/clients/{client}/verification",
            OverInstance("clients:verify"),
            Operation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict],
                ..shows("withdrawClientVerification", Tag::Clients, &clients::CLIENT)
            },
            |state, call| Box::pin(clients::withdraw_verification(state, call)),
        )
    },
];
