//! The routes of message deliveries.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{list_operation, show_operation};
use crate::platform::messages::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_INSTANCE};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::RequiredPermission::OverInstance;
use sinete_server::route::RouteMethod::{Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the delivery state of messages, without recipients and contents.",
        ..management_route(
            Get,
            "/manage/messages",
            OverInstance(READ_INSTANCE),
            list_operation("listMessages", OperationTag::Messages, &handlers::MESSAGE),
            |state, request| Box::pin(handlers::list_deliveries(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the delivery state of a message.",
        ..management_route(
            Get,
            "/manage/messages/{message}",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                extra_refusals: &[RefusalCode::NotFound],
                ..show_operation("getMessage", OperationTag::Messages, &handlers::MESSAGE)
            },
            |state, request| Box::pin(handlers::show_delivery(state, request)),
        )
    },
    RouteEntry {
        description: "Sends a message again, to the same recipient and with the same content, unless it has expired.",
        ..management_route(
            Post,
            "/manage/messages/{message}/resend",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                extra_refusals: &[RefusalCode::NotFound, RefusalCode::Conflict],
                ..show_operation("resendMessage", OperationTag::Messages, &handlers::MESSAGE)
            },
            |state, request| Box::pin(handlers::resend_message(state, request)),
        )
    },
];
