//! The rows about an organization's webhooks.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::webhooks;
use crate::route::Convention::{Changes, Repeatable, Tagged};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the addresses of an organization that are told of events, without their secrets.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks",
            InOrganization("webhooks:manage"),
            lists("listWebhooks", Tag::Webhooks, &webhooks::WEBHOOK),
            |state, call| Box::pin(webhooks::list(state, call)),
        )
    },
    Route {
        description: "Adds an address that is told of what happens in an organization from now on. The secret that signs is shown in this answer and never again.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks",
            InOrganization("webhooks:manage"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createWebhook", Tag::Webhooks, &webhooks::NEW_WEBHOOK, &webhooks::SETTLED_WEBHOOK)
            },
            |state, call| Box::pin(webhooks::create(state, call)),
        )
    },
    Route {
        description: "Shows a webhook.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            Operation { follows: &[Tagged], ..shows("getWebhook", Tag::Webhooks, &webhooks::WEBHOOK) },
            |state, call| Box::pin(webhooks::show(state, call)),
        )
    },
    Route {
        description: "Changes a webhook.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            Operation {
                request: Some(&webhooks::WEBHOOK_PATCH),
                ..changes("updateWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::change(state, call)),
        )
    },
    Route {
        description: "Removes a webhook for good.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization("webhooks:manage"),
            Operation { follows: &[Changes], ..does("removeWebhook", Tag::Webhooks) },
            |state, call| Box::pin(webhooks::remove(state, call)),
        )
    },
    Route {
        description: "Gives a webhook another secret; the earlier one signs beside it for a while.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/secret",
            InOrganization("webhooks:manage"),
            Operation {
                request: Some(&webhooks::ROTATION),
                follows: &[Tagged, Changes],
                ..shows("rotateWebhookSecret", Tag::Webhooks, &webhooks::SETTLED_WEBHOOK)
            },
            |state, call| Box::pin(webhooks::rotate(state, call)),
        )
    },
    Route {
        description: "Tells a webhook of nothing until it is resumed.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/pause",
            InOrganization("webhooks:manage"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("pauseWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::pause(state, call)),
        )
    },
    Route {
        description: "Tells a paused webhook of events again, beginning with the one it did not take.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/resume",
            InOrganization("webhooks:manage"),
            Operation {
                follows: &[Tagged, Changes],
                ..shows("resumeWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::resume(state, call)),
        )
    },
    Route {
        description: "Has a webhook told of a trial, in its turn.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/test",
            InOrganization("webhooks:manage"),
            Operation { follows: &[Changes], ..does("testWebhook", Tag::Webhooks) },
            |state, call| Box::pin(webhooks::test(state, call)),
        )
    },
    Route {
        description: "Tells a webhook of everything since a moment once more.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/replay",
            InOrganization("webhooks:manage"),
            Operation {
                request: Some(&webhooks::SINCE),
                follows: &[Tagged, Changes],
                ..shows("replayWebhook", Tag::Webhooks, &webhooks::WEBHOOK)
            },
            |state, call| Box::pin(webhooks::replay(state, call)),
        )
    },
    Route {
        description: "Lists what became of telling a webhook, for 30 days.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}/attempts",
            InOrganization("webhooks:manage"),
            lists("listWebhookAttempts", Tag::Webhooks, &webhooks::WEBHOOK_ATTEMPT),
            |state, call| Box::pin(webhooks::list_attempts(state, call)),
        )
    },
];
