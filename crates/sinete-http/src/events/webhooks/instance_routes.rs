//! The routes of the instance's webhooks.

use crate::events::webhooks::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_INSTANCE};
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::OverInstance;
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the webhooks of the instance, without their secrets.",
        ..management_route(
            Get,
            "/manage/webhooks",
            OverInstance(READ_INSTANCE),
            list_operation("listInstanceWebhooks", OperationTag::Webhooks, &handlers::WEBHOOK),
            |state, request| Box::pin(handlers::list_webhooks(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a webhook of the instance. Its secret is returned only in this response.",
        ..management_route(
            Post,
            "/manage/webhooks",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createInstanceWebhook",
                    OperationTag::Webhooks,
                    &handlers::NEW_WEBHOOK,
                    &handlers::SAVED_WEBHOOK,
                )
            },
            |state, request| Box::pin(handlers::create_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a webhook of the instance.",
        ..management_route(
            Get,
            "/manage/webhooks/{webhook}",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::show_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a webhook of the instance.",
        ..management_route(
            Patch,
            "/manage/webhooks/{webhook}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                request: Some(&handlers::WEBHOOK_PATCH),
                ..update_operation("updateInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::update_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a webhook of the instance permanently.",
        ..management_route(
            Delete,
            "/manage/webhooks/{webhook}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeInstanceWebhook", OperationTag::Webhooks)
            },
            |state, request| Box::pin(handlers::delete_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Rotates the secret of a webhook of the instance. Both secrets sign for `overlap_seconds`.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/secret",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                request: Some(&handlers::ROTATION),
                conventions: &[Etag, Mutation],
                ..show_operation(
                    "rotateInstanceWebhookSecret",
                    OperationTag::Webhooks,
                    &handlers::SAVED_WEBHOOK,
                )
            },
            |state, request| Box::pin(handlers::rotate_webhook_secret(state, request)),
        )
    },
    RouteEntry {
        description: "Pauses a webhook of the instance.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/pause",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("pauseInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::pause_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Resumes a paused webhook of the instance, beginning with the event that was not accepted.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/resume",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("resumeInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::resume_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Queues a test event for a webhook of the instance, which is delivered like other events.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/test",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("testInstanceWebhook", OperationTag::Webhooks)
            },
            |state, request| Box::pin(handlers::test_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Delivers all events since a time to a webhook of the instance again.",
        ..management_route(
            Post,
            "/manage/webhooks/{webhook}/replay",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                request: Some(&handlers::WEBHOOK_REPLAY),
                conventions: &[Etag, Mutation],
                ..show_operation("replayInstanceWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::replay_webhook_events(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the delivery attempts of a webhook of the instance in the last 30 days.",
        ..management_route(
            Get,
            "/manage/webhooks/{webhook}/attempts",
            OverInstance(READ_INSTANCE),
            list_operation("listInstanceWebhookAttempts", OperationTag::Webhooks, &handlers::WEBHOOK_ATTEMPT),
            |state, request| Box::pin(handlers::list_delivery_attempts(state, request)),
        )
    },
];
