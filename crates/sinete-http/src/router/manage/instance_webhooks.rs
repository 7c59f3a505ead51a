//! The rows about the instance's webhooks.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::webhooks;
use crate::route::Convention::{Changes, Repeatable, Tagged};
use crate::route::Needs::OverInstance;
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the addresses of the instance that are told of events, without their secrets.",
        ..managed(
            Get,
            "/manage/webhooks",
            OverInstance("instance:read"),
            lists("listInstanceWebhooks", Tag::Webhooks, &webhooks::WEBHOOK),
            |state, call| Box::pin(webhooks::list(state, call)),
        )
    },
    Route {
        description: "Adds an address that is told of everything that happens from now on. The secret that signs is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/webhooks",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes(
                    "createInstanceWebhook",
                    Tag::Webhooks,
                    &webhooks::NEW_WEBHOOK,
                    &webhooks::SETTLED_WEBHOOK,
                )
            },
            |state, call| Box::pin(webhooks::create(state, call)),
        )
    },
    Route {
        description: "Shows a webhook of the instance.",
        ..managed(
            Get,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:read"),
            Operation {
                follows: &[Tagged],
                ..shows("getInstanceWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::show(state, call)),
        )
    },
    Route {
        description: "Changes a webhook of the instance.",
        ..managed(
            Patch,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            Operation {
                request: Some(&webhooks::WEBHOOK_PATCH),
                ..changes("updateInstanceWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::change(state, call)),
        )
    },
    Route {
        description: "Removes a webhook of the instance for good.",
        ..managed(
            Delete,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            Operation { follows: &[Changes], ..does("removeInstanceWebhook", Tag::Webhooks) },
            |state, call| Box::pin(webhooks::remove(state, call)),
        )
    },
    Route {
        description: "Gives a webhook of the instance another secret; the earlier one signs beside it for a while.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/secret",
            OverInstance("instance:operate"),
            Operation {
                request: Some(&webhooks::ROTATION),
                follows: &[Tagged, Changes],
                ..shows("rotateInstanceWebhookSecret", Tag::Webhooks, &webhooks::SETTLED_WEBHOOK)
            },
            |state, call| Box::pin(webhooks::rotate(state, call)),
        )
    },
    Route {
        description: "Tells a webhook of the instance of nothing until it is resumed.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/pause",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("pauseInstanceWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::pause(state, call)),
        )
    },
    Route {
        description: "Tells a paused webhook of the instance of events again, beginning with the one it did not take.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/resume",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("resumeInstanceWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::resume(state, call)),
        )
    },
    Route {
        description: "Has a webhook of the instance told of a trial, in its turn.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/test",
            OverInstance("instance:operate"),
            Operation { follows: &[Changes], ..does("testInstanceWebhook", Tag::Webhooks) },
            |state, call| Box::pin(webhooks::test(state, call)),
        )
    },
    Route {
        description: "Tells a webhook of the instance of everything since a moment once more.",
        ..managed(
            Post,
            "/manage/webhooks/{webhook}/replay",
            OverInstance("instance:operate"),
            Operation {
                request: Some(&webhooks::SINCE),
                follows: &[Tagged, Changes],
                ..shows("replayInstanceWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::replay(state, call)),
        )
    },
    Route {
        description: "Lists what became of telling a webhook of the instance, for 30 days.",
        ..managed(
            Get,
            "/manage/webhooks/{webhook}/attempts",
            OverInstance("instance:read"),
            lists("listInstanceWebhookAttempts", Tag::Webhooks, &webhooks::WEBHOOK_ATTEMPT),
            |state, call| Box::pin(webhooks::list_attempts(state, call)),
        )
    },
];
