//! The routes of instance administration: keys, settings, events.

use crate::administration::diagnostics::handlers as diagnostics;
use crate::administration::health::handlers as health;
use crate::administration::settings::handlers as settings;
use crate::administration::signing_keys::handlers as keys;
use crate::events::security_log::{handlers, status};
use crate::management_api::operations::management_route;
use crate::management_api::operations::{list_operation, show_operation};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{READ_INSTANCE, ROTATE_KEYS};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::RequiredPermission::OverInstance;
use sinete_server::route::RouteMethod::{Get, Post};
use sinete_server::route::{ApiOperation, OperationOutcome, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the signing keys with their states, without private keys.",
        ..management_route(
            Get,
            "/manage/keys",
            OverInstance(READ_INSTANCE),
            show_operation("listKeys", OperationTag::Instance, &keys::SIGNING_KEYS),
            |state, request| Box::pin(keys::list_signing_keys(state, request)),
        )
    },
    RouteEntry {
        description: "Rotates the signing key of an algorithm: the successor is published now, and signs once every cached JWK Set contains it.",
        ..management_route(
            Post,
            "/manage/keys/rotate",
            OverInstance(ROTATE_KEYS),
            ApiOperation {
                request: Some(&keys::KEY_ROTATION),
                extra_refusals: &[RefusalCode::Conflict],
                ..show_operation("rotateKey", OperationTag::Instance, &keys::ROTATED_KEY)
            },
            |state, request| Box::pin(keys::rotate_signing_key(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the settings of the instance, without secrets.",
        ..management_route(
            Get,
            "/manage/settings",
            OverInstance(READ_INSTANCE),
            show_operation("getSettings", OperationTag::Instance, &settings::INSTANCE_SETTINGS),
            |state, request| Box::pin(settings::show_instance_settings(state, request)),
        )
    },
    RouteEntry {
        description: "Runs the checks of `sinete doctor` on the node that responds.",
        ..management_route(
            Get,
            "/manage/doctor",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: diagnostics::QUERY,
                ..show_operation("getDiagnostics", OperationTag::Instance, &diagnostics::DIAGNOSTICS)
            },
            |state, request| Box::pin(diagnostics::run_checks(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the health of the instance: nodes, database, and the limits that refused requests.",
        ..management_route(
            Get,
            "/manage/health",
            OverInstance(READ_INSTANCE),
            show_operation("getInstanceHealth", OperationTag::Instance, &health::INSTANCE_HEALTH),
            |state, request| Box::pin(health::show_health(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the events of the security log.",
        ..management_route(
            Get,
            "/manage/events",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listEvents", OperationTag::Instance, &handlers::EVENT)
            },
            |state, request| Box::pin(handlers::list_events(state, request)),
        )
    },
    RouteEntry {
        description: "Streams the events of the security log as server-sent events, after the one in Last-Event-ID.",
        ..management_route(
            Get,
            "/manage/events/stream",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                outcome: OperationOutcome::Stream(handlers::STREAM),
                ..show_operation("followEvents", OperationTag::Instance, &handlers::EVENT)
            },
            |state, request| Box::pin(handlers::stream_events(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the signed head of the security log, and the state of its archive.",
        ..management_route(
            Get,
            "/manage/security-log",
            OverInstance(READ_INSTANCE),
            show_operation("getSecurityLog", OperationTag::Instance, &status::SECURITY_LOG_STATUS),
            |state, request| Box::pin(status::show_log_status(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an event.",
        ..management_route(
            Get,
            "/manage/events/{event}",
            OverInstance(READ_INSTANCE),
            show_operation("getEvent", OperationTag::Instance, &handlers::EVENT),
            |state, request| Box::pin(handlers::show_event(state, request)),
        )
    },
];
