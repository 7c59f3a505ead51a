//! The rows about the delivery of messages.

use super::super::managed;
use super::{lists, shows};
use crate::manage::messages;
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::Get;
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists what became of the messages that were sent, without their recipients and contents.",
        ..managed(
            Get,
            "/manage/messages",
            OverInstance("instance:read"),
            lists("listMessages", OperationTag::Messages, &messages::MESSAGE),
            |state, call| Box::pin(messages::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows what became of a message.",
        ..managed(
            Get,
            "/manage/messages/{message}",
            OverInstance("instance:read"),
            ApiOperation {
                refuses: &[RefusalCode::NotFound],
                ..shows("getMessage", OperationTag::Messages, &messages::MESSAGE)
            },
            |state, call| Box::pin(messages::show(state, call)),
        )
    },
];
