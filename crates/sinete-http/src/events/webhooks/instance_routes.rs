//! The routes of the instance's webhooks.

use crate::events::webhooks::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the addresses of the instance that are told of events, without their secrets.",
        ..management_route(
            Get,
            "/manage/webhooks",
            OverInstance("instance:read"),
            list_operation("listInstanceWebhooks", OperationTag::Webhooks, &handlers::WEBHOOK),
            |state, call| Box::pin(handlers::list_webhooks(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an address that is told of everything that happens from now on. The secret that signs is shown in this answer and never again.",
        ..management_route(
            Post,
            "/manage/webhooks",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createInstanceWebhook",
                    OperationTag::Webhooks,
                    &handlers::NEW_WEBHOOK,
                    &handlers::SETTLED_WEBHOOK,
                )
            },
            |state, call| Box::pin(handlers::create_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a webhook of the instance.",
        ..management_route(
            Get,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:read"),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, call| Box::pin(handlers::show_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Changes a webhook of the instance.",
        ..management_route(
            Patch,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&handlers::WEBHOOK_PATCH),
                ..update_operation("updateInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, call| Box::pin(handlers::update_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a webhook of the instance for good.",
        ..management_route(
            Delete,
            "/manage/webhooks/{webhook}",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeInstanceWebhook", OperationTag::Webhooks)
            },
            |state, call| Box::pin(handlers::delete_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a webhook of the instance another secret; the earlier one signs beside it for a while.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/secret",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&handlers::ROTATION),
                conventions: &[Etag, Mutation],
                ..show_operation(
                    "rotateInstanceWebhookSecret",
                    OperationTag::Webhooks,
                    &handlers::SETTLED_WEBHOOK,
                )
            },
            |state, call| Box::pin(handlers::rotate_webhook_secret(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of the instance of nothing until it is resumed.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/pause",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("pauseInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, call| Box::pin(handlers::pause_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a paused webhook of the instance of events again, beginning with the one it did not take.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/resume",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("resumeInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, call| Box::pin(handlers::resume_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Has a webhook of the instance told of a trial, in its turn.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/test",
            OverInstance("instance:operate"),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("testInstanceWebhook", OperationTag::Webhooks)
            },
            |state, call| Box::pin(handlers::test_webhook(state, call)),
        )
    },
    RouteEntry {
        description: "Tells a webhook of the instance of everything since a moment once more.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/replay",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&handlers::SINCE),
                conventions: &[Etag, Mutation],
                ..show_operation("replayInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, call| Box::pin(handlers::replay_webhook_events(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what became of telling a webhook of the instance, for 30 days.",
        ..management_route(
            Get,
            "/manage/webhooks/{webhook}/attempts",
            OverInstance("instance:read"),
            list_operation("listInstanceWebhookAttempts", OperationTag::Webhooks, &handlers::WEBHOOK_ATTEMPT),
            |state, call| Box::pin(handlers::list_delivery_attempts(state, call)),
        )
    },
];
