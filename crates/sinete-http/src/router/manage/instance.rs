//! The rows about the instance itself: its keys, its settings, everything that happened.

use super::super::managed;
use super::{lists, shows};
use crate::manage::{events, keys, settings};
use crate::route::Needs::OverInstance;
use crate::route::Verb::{Get, Post};
use crate::route::{Operation, Outcome, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the signing keys, each with its life, without their private halves.",
        ..managed(
            Get,
            "/manage/keys",
            OverInstance("instance:read"),
            shows("listKeys", Tag::Instance, &keys::SIGNING_KEYS),
            |state, call| Box::pin(keys::list(state, call)),
        )
    },
    Route {
        description: "Makes a successor for the key that signs with an algorithm: published now, signing once everybody can know it.",
        ..managed(
            Post,
            "/manage/keys/rotate",
            OverInstance("keys:rotate"),
            Operation {
                request: Some(&keys::KEY_ROTATION),
                refuses: &[RefusalCode::Conflict],
                ..shows("rotateKey", Tag::Instance, &keys::ROTATED_KEY)
            },
            |state, call| Box::pin(keys::rotate(state, call)),
        )
    },
    Route {
        description: "Shows how the instance is set up, as far as that is no secret.",
        ..managed(
            Get,
            "/manage/settings",
            OverInstance("instance:read"),
            shows("getSettings", Tag::Instance, &settings::INSTANCE_SETTINGS),
            |state, call| Box::pin(settings::show(state, call)),
        )
    },
    Route {
        description: "Lists everything that happened, from the security log.",
        ..managed(
            Get,
            "/manage/events",
            OverInstance("instance:read"),
            Operation { query: events::QUERY, ..lists("listEvents", Tag::Instance, &events::EVENT) },
            |state, call| Box::pin(events::list(state, call)),
        )
    },
    Route {
        description: "Tells of everything as it happens (server-sent events); Last-Event-ID goes on after an event.",
        ..managed(
            Get,
            "/manage/events/stream",
            OverInstance("instance:read"),
            Operation {
                outcome: Outcome::Streamed(events::STREAM),
                ..shows("followEvents", Tag::Instance, &events::EVENT)
            },
            |state, call| Box::pin(events::follow(state, call)),
        )
    },
    Route {
        description: "Shows one thing that happened.",
        ..managed(
            Get,
            "/manage/events/{event}",
            OverInstance("instance:read"),
            shows("getEvent", Tag::Instance, &events::EVENT),
            |state, call| Box::pin(events::show(state, call)),
        )
    },
];
