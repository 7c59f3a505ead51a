//! The rows about the delivery of messages.

use super::super::managed;
use super::{lists, shows};
use crate::manage::messages;
use crate::route::Needs::OverInstance;
use crate::route::Verb::Get;
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists what became of the messages that were sent, without their recipients and contents.",
        ..managed(
            Get,
            "/manage/messages",
            OverInstance("instance:read"),
            lists("listMessages", Tag::Messages, &messages::MESSAGE),
            |state, call| Box::pin(messages::list(state, call)),
        )
    },
    Route {
        description: "Shows what became of a message.",
        ..managed(
            Get,
            "/manage/messages/{message}",
            OverInstance("instance:read"),
            Operation {
                refuses: &[RefusalCode::NotFound],
                ..shows("getMessage", Tag::Messages, &messages::MESSAGE)
            },
            |state, call| Box::pin(messages::show(state, call)),
        )
    },
];
