//! The rows about the providers of an organization.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::connections;
use crate::route::Convention::{Changes, Repeatable, Tagged};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the providers that an organization is connected to, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/connections",
            InOrganization("sso:manage"),
            lists("listConnections", Tag::SingleSignOn, &connections::CONNECTION),
            |state, call| Box::pin(connections::list(state, call)),
        )
    },
    Route {
        description: "Connects an organization to a provider of its own, at which its members sign in.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/connections",
            InOrganization("sso:manage"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createConnection",
                    Tag::SingleSignOn,
                    &connections::NEW_CONNECTION,
                    &connections::CONNECTION,
                )
            },
            |state, call| Box::pin(connections::create(state, call)),
        )
    },
    Route {
        description: "Shows a connection, without its secret.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            Operation {
                follows: &[Tagged],
                ..shows("getConnection", Tag::SingleSignOn, &connections::CONNECTION)
            },
            |state, call| Box::pin(connections::show(state, call)),
        )
    },
    Route {
        description: "Changes a connection. Who the provider is stays.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            Operation {
                request: Some(&connections::CONNECTION_PATCH),
                ..changes("updateConnection", Tag::SingleSignOn, &connections::CONNECTION)
            },
            |state, call| Box::pin(connections::change(state, call)),
        )
    },
    Route {
        description: "Removes a connection for good: nobody signs in there any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            Operation { follows: &[Changes], ..does("removeConnection", Tag::SingleSignOn) },
            |state, call| Box::pin(connections::remove(state, call)),
        )
    },
    Route {
        description: "Tries a connection without anybody signing in, and says plainly what is wrong.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/connections/{connection}/test",
            InOrganization("sso:manage"),
            Operation {
                follows: &[Changes],
                ..shows("testConnection", Tag::SingleSignOn, &connections::CONNECTION_TRIAL)
            },
            |state, call| Box::pin(connections::test(state, call)),
        )
    },
];
