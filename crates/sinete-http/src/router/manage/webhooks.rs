//! The rows about an organization's webhooks.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::webhooks;
use crate::route::ApiConvention::{Changes, Repeatable, Tagged};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the addresses of an organization that are told of events, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks",
            InOrganization("webhooks:manage"),
            lists("listWebhooks", OperationTag::Webhooks, &webhooks::WEBHOOK),
            |state, call| Box::pin(webhooks::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an address that is told of what happens in an organization from now on. The secret that signs is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks",
            InOrganization("webhooks:manage"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createWebhook",
                    OperationTag::Webhooks,
                    &webhooks::NEW_WEBHOOK,
                    &webhooks::SETTLED_WEBHOOK,
                )
            },
            |state, call| Box::pin(webhooks::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a webhook.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a webhook.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            ApiOperation {
                request: Some(&webhooks::WEBHOOK_PATCH),
                ..changes("updateWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a webhook for good.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            ApiOperation { follows: &[Changes], ..does("removeWebhook", OperationTag::Webhooks) },
            |state, call| Box::pin(webhooks::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a webhook another secret; the earlier one signs beside it for a while.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/secret",
            InOrganization("webhooks:manage"),
            ApiOperation {
                request: Some(&webhooks::ROTATION),
                follows: &[Tagged, Changes],
                ..shows("rotateWebhookSecret", OperationTag::Webhooks, &webhooks::SETTLED_WEBHOOK)
            },
            |state, call| Box::pin(webhooks::rotate(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of nothing until it is resumed.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/pause",
            InOrganization("webhooks:manage"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("pauseWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::pause(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a paused webhook of events again, beginning with the one it did not take.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/resume",
            InOrganization("webhooks:manage"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("resumeWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::resume(state, call)),
        )
    },
    RouteEntry {
        description: "Has a webhook told of a trial, in its turn.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/test",
            InOrganization("webhooks:manage"),
            ApiOperation { follows: &[Changes], ..does("testWebhook", OperationTag::Webhooks) },
            |state, call| Box::pin(webhooks::test(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of everything since a moment once more.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/replay",
            InOrganization("webhooks:manage"),
            ApiOperation {
                request: Some(&webhooks::SINCE),
                follows: &[Tagged, Changes],
                ..shows("replayWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::replay(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what became of telling a webhook, for 30 days.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}/attempts",
            InOrganization("webhooks:manage"),
            lists("listWebhookAttempts", OperationTag::Webhooks, &webhooks::WEBHOOK_ATTEMPT),
            |state, call| Box::pin(webhooks::list_attempts(state, call)),
        )
    },
];
