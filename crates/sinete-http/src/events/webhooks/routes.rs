//! The routes of an organization's webhooks.

use crate::events::webhooks::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::MANAGE_WEBHOOKS;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the webhooks of an organization, without their secrets.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/webhooks",
            InOrganization(MANAGE_WEBHOOKS),
            list_operation("listWebhooks", OperationTag::Webhooks, &handlers::WEBHOOK),
            |state, request| Box::pin(handlers::list_webhooks(state, request)),
        )
    },
    RouteEntry {
        description: "Creates a webhook of the organization. Its secret is returned only in this response.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation(
                    "createWebhook",
                    OperationTag::Webhooks,
                    &handlers::NEW_WEBHOOK,
                    &handlers::SAVED_WEBHOOK,
                )
            },
            |state, request| Box::pin(handlers::create_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a webhook.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::show_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Updates a webhook.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                request: Some(&handlers::WEBHOOK_PATCH),
                ..update_operation("updateWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::update_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a webhook permanently.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/webhooks/{webhook}",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeWebhook", OperationTag::Webhooks)
            },
            |state, request| Box::pin(handlers::delete_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Rotates the secret of a webhook. Both secrets sign for `overlap_seconds`.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/secret",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                request: Some(&handlers::ROTATION),
                conventions: &[Etag, Mutation],
                ..show_operation("rotateWebhookSecret", OperationTag::Webhooks, &handlers::SAVED_WEBHOOK)
            },
            |state, request| Box::pin(handlers::rotate_webhook_secret(state, request)),
        )
    },
    RouteEntry {
        description: "Pauses a webhook.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/pause",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("pauseWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::pause_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Resumes a paused webhook, beginning with the event that was not accepted.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/resume",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[Etag, Mutation],
                ..show_operation("resumeWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::resume_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Queues a test event for a webhook, which is delivered like other events.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/test",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("testWebhook", OperationTag::Webhooks)
            },
            |state, request| Box::pin(handlers::test_webhook(state, request)),
        )
    },
    RouteEntry {
        description: "Delivers all events since a time to a webhook again.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/webhooks/{webhook}/replay",
            InOrganization(MANAGE_WEBHOOKS),
            ApiOperation {
                request: Some(&handlers::WEBHOOK_REPLAY),
                conventions: &[Etag, Mutation],
                ..show_operation("replayWebhook", OperationTag::Webhooks, &handlers::WEBHOOK)
            },
            |state, request| Box::pin(handlers::replay_webhook_events(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the delivery attempts of a webhook in the last 30 days.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/webhooks/{webhook}/attempts",
            InOrganization(MANAGE_WEBHOOKS),
            list_operation("listWebhookAttempts", OperationTag::Webhooks, &handlers::WEBHOOK_ATTEMPT),
            |state, request| Box::pin(handlers::list_delivery_attempts(state, request)),
        )
    },
];
