//! The rows about the instance itself: its keys, its settings, everything that happened.

use super::super::managed;
use super::{lists, shows};
use crate::manage::{events, keys, settings};
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Get, Post};
use crate::route::{ApiOperation, OperationOutcome, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the signing keys, each with its life, without their private halves.",
        ..managed(
            Get,
            "/manage/keys",
            OverInstance("instance:read"),
            shows("listKeys", OperationTag::Instance, &keys::SIGNING_KEYS),
            |state, call| Box::pin(keys::list(state, call)),
        )
    },
    RouteEntry {
        description: "Makes a successor for the key that signs with an algorithm: published now, signing once everybody can know it.",
        ..managed(
            Post,
            "/manage/keys/rotate",
            OverInstance("keys:rotate"),
            ApiOperation {
                request: Some(&keys::KEY_ROTATION),
                refuses: &[RefusalCode::Conflict],
                ..shows("rotateKey", OperationTag::Instance, &keys::ROTATED_KEY)
            },
            |state, call| Box::pin(keys::rotate(state, call)),
        )
    },
    RouteEntry {
        description: "Shows how the instance is set up, as far as that is no secret.",
        ..managed(
            Get,
            "/manage/settings",
            OverInstance("instance:read"),
            shows("getSettings", OperationTag::Instance, &settings::INSTANCE_SETTINGS),
            |state, call| Box::pin(settings::show(state, call)),
        )
    },
    RouteEntry {
        description: "Lists everything that happened, from the security log.",
        ..managed(
            Get,
            "/manage/events",
            OverInstance("instance:read"),
            ApiOperation {
                query: events::QUERY,
                ..lists("listEvents", OperationTag::Instance, &events::EVENT)
            },
            |state, call| Box::pin(events::list(state, call)),
        )
    },
    RouteEntry {
        description: "Tells of everything as it happens (server-sent events); Last-Event-ID goes on after an event.",
        ..managed(
            Get,
            "/manage/events/stream",
            OverInstance("instance:read"),
            ApiOperation {
                outcome: OperationOutcome::Streamed(events::STREAM),
                ..shows("followEvents", OperationTag::Instance, &events::EVENT)
            },
            |state, call| Box::pin(events::follow(state, call)),
        )
    },
    RouteEntry {
        description: "Shows one thing that happened.",
        ..managed(
            Get,
            "/manage/events/{event}",
            OverInstance("instance:read"),
            shows("getEvent", OperationTag::Instance, &events::EVENT),
            |state, call| Box::pin(events::show(state, call)),
        )
    },
];
