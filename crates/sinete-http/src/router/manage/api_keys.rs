//! The rows about API keys.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::api_keys;
use crate::route::Convention::{Changes, Repeatable};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the API keys of an organization's members, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/api-keys",
            InOrganization("api_keys:manage"),
            lists("listApiKeys", Tag::ApiKeys, &api_keys::API_KEY),
            |state, call| Box::pin(api_keys::list(state, call)),
        )
    },
    Route {
        description: "Issues an API key. Its secret is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/api-keys",
            InOrganization("api_keys:manage"),
            Operation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::InvalidScope],
                ..makes("issueApiKey", Tag::ApiKeys, &api_keys::NEW_API_KEY, &api_keys::ISSUED_API_KEY)
            },
            |state, call| Box::pin(api_keys::issue(state, call)),
        )
    },
    Route {
        description: "Shows an API key, without its secret.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization("api_keys:manage"),
            shows("getApiKey", Tag::ApiKeys, &api_keys::API_KEY),
            |state, call| Box::pin(api_keys::show(state, call)),
        )
    },
    Route {
        description: "Revokes an API key: it stops working everywhere at once.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/api-keys/{api_key}",
            InOrganization("api_keys:manage"),
            Operation { refuses: &[RefusalCode::Conflict], ..does("revokeApiKey", Tag::ApiKeys) },
            |state, call| Box::pin(api_keys::revoke(state, call)),
        )
    },
];
