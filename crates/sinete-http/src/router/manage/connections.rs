//! The rows about the providers of an organization.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::connections;
use crate::route::ApiConvention::{Changes, Repeatable, Tagged};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the providers that an organization is connected to, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/connections",
            InOrganization("sso:manage"),
            lists("listConnections", OperationTag::SingleSignOn, &connections::CONNECTION),
            |state, call| Box::pin(connections::list(state, call)),
        )
    },
    RouteEntry {
        description: "Connects an organization to a provider of its own, at which its members sign in.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/connections",
            InOrganization("sso:manage"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createConnection",
                    OperationTag::SingleSignOn,
                    &connections::NEW_CONNECTION,
                    &connections::CONNECTION,
                )
            },
            |state, call| Box::pin(connections::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a connection, without its secret.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getConnection", OperationTag::SingleSignOn, &connections::CONNECTION)
            },
            |state, call| Box::pin(connections::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a connection. Who the provider is stays.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            ApiOperation {
                request: Some(&connections::CONNECTION_PATCH),
                ..changes("updateConnection", OperationTag::SingleSignOn, &connections::CONNECTION)
            },
            |state, call| Box::pin(connections::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a connection for good: nobody signs in there any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/connections/{connection}",
            InOrganization("sso:manage"),
            ApiOperation { follows: &[Changes], ..does("removeConnection", OperationTag::SingleSignOn) },
            |state, call| Box::pin(connections::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Tries a connection without anybody signing in, and says plainly what is wrong.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/connections/{connection}/test",
            InOrganization("sso:manage"),
            ApiOperation {
                follows: &[Changes],
                ..shows("testConnection", OperationTag::SingleSignOn, &connections::CONNECTION_TRIAL)
            },
            |state, call| Box::pin(connections::test(state, call)),
        )
    },
];
