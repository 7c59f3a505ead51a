//! The rows about API keys.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::api_keys;
use crate::route::ApiConvention::{Changes, Repeatable};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the API keys of an organization's members, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/api-keys",
            InOrganization("api_keys:manage"),
            lists("listApiKeys", OperationTag::ApiKeys, &api_keys::API_KEY),
            |state, call| Box::pin(api_keys::list(state, call)),
        )
    },
    RouteEntry {
        description: "Issues an API key. Its secret is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/api-keys",
            InOrganization("api_keys:manage"),
            ApiOperation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::InvalidScope],
                ..makes(
                    "issueApiKey",
                    OperationTag::ApiKeys,
                    &api_keys::NEW_API_KEY,
                    &api_keys::ISSUED_API_KEY,
                )
            },
            |state, call| Box::pin(api_keys::issue(state, call)),
        )
    },
    RouteEntry {
        description: "Shows an API key, without its secret.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization("api_keys:manage"),
            shows("getApiKey", OperationTag::ApiKeys, &api_keys::API_KEY),
            |state, call| Box::pin(api_keys::show(state, call)),
        )
    },
    RouteEntry {
        description: "Revokes an API key: it stops working everywhere at once.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization("api_keys:manage"),
            ApiOperation { refuses: &[RefusalCode::Conflict], ..does("revokeApiKey", OperationTag::ApiKeys) },
            |state, call| Box::pin(api_keys::revoke(state, call)),
        )
    },
];
