//! The routes of usage reports.

use crate::events::usage::handlers;
use crate::management_api::operations::{management_route, show_operation};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{READ_AUDIT, READ_INSTANCE};
use sinete_server::route::RequiredPermission::{InOrganization, OverInstance};
use sinete_server::route::RouteMethod::Get;
use sinete_server::route::{ApiOperation, OperationOutcome, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Reports sign-ins, active users, tokens, approvals and failures of the instance by day, week or month.",
        ..management_route(
            Get,
            "/manage/usage",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: handlers::INSTANCE_QUERY,
                outcome: OperationOutcome::ResourceOrExport(&handlers::USAGE, handlers::EXPORTS),
                ..show_operation("getInstanceUsage", OperationTag::Instance, &handlers::USAGE)
            },
            |state, request| Box::pin(handlers::show_instance_usage(state, request)),
        )
    },
    RouteEntry {
        description: "Reports sign-ins, active users, tokens, approvals and failures of an organization by day, week or month.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/usage",
            InOrganization(READ_AUDIT),
            ApiOperation {
                query: handlers::QUERY,
                outcome: OperationOutcome::ResourceOrExport(&handlers::USAGE, handlers::EXPORTS),
                ..show_operation("getOrganizationUsage", OperationTag::Audit, &handlers::USAGE)
            },
            |state, request| Box::pin(handlers::show_organization_usage(state, request)),
        )
    },
];
