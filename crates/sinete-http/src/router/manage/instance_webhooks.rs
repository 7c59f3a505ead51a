//! The rows about the instance's webhooks.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::webhooks;
use crate::route::ApiConvention::{Changes, Repeatable, Tagged};
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the addresses of the instance that are told of events, without their secrets.",
        ..managed(
            Get,
            "/manage/webhooks",
            OverInstance("instance:read"),
            lists("listInstanceWebhooks", OperationTag::Webhooks, &webhooks::WEBHOOK),
            |state, call| Box::pin(webhooks::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an address that is told of everything that happens from now on. The secret that signs is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/webhooks",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createInstanceWebhook",
                    OperationTag::Webhooks,
                    &webhooks::NEW_WEBHOOK,
                    &webhooks::SETTLED_WEBHOOK,
                )
            },
            |state, call| Box::pin(webhooks::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a webhook of the instance.",
        ..managed(
            Get,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:read"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getInstanceWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a webhook of the instance.",
        ..managed(
            Patch,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&webhooks::WEBHOOK_PATCH),
                ..changes("updateInstanceWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a webhook of the instance for good.",
        ..managed(
            Delete,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            ApiOperation { follows: &[Changes], ..does("removeInstanceWebhook", OperationTag::Webhooks) },
            |state, call| Box::pin(webhooks::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a webhook of the instance another secret; the earlier one signs beside it for a while.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/secret",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&webhooks::ROTATION),
                follows: &[Tagged, Changes],
                ..shows("rotateInstanceWebhookSecret", OperationTag::Webhooks, &webhooks::SETTLED_WEBHOOK)
            },
            |state, call| Box::pin(webhooks::rotate(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of the instance of nothing until it is resumed.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/pause",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("pauseInstanceWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::pause(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a paused webhook of the instance of events again, beginning with the one it did not take.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/resume",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Tagged, Changes],
                ..shows("resumeInstanceWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::resume(state, call)),
        )
    },
    RouteEntry {
        description: "Has a webhook of the instance told of a trial, in its turn.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/test",
            OverInstance("instance:operate"),
            ApiOperation { follows: &[Changes], ..does("testInstanceWebhook", OperationTag::Webhooks) },
            |state, call| Box::pin(webhooks::test(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of the instance of everything since a moment once more.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/replay",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&webhooks::SINCE),
                follows: &[Tagged, Changes],
                ..shows("replayInstanceWebhook", OperationTag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::replay(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what became of telling a webhook of the instance, for 30 days.",
        ..managed(
            Get,
            "/manage/webhooks/{webhook}/attempts",
            OverInstance("instance:read"),
            lists("listInstanceWebhookAttempts", OperationTag::Webhooks, &webhooks::WEBHOOK_ATTEMPT),
            |state, call| Box::pin(webhooks::list_attempts(state, call)),
        )
    },
];
