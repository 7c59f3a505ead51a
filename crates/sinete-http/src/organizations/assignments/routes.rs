//! The routes of assignments.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::organizations::assignments::handlers;
use crate::organizations::impersonation::handlers as impersonation;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_AUDIT, READ_INSTANCE};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::IdempotencyKey;
use sinete_server::route::RequiredPermission::{InOrganization, OverInstance};
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Assigns an operator to act inside an organization or as one of its members. Operators cannot assign themselves.",
        ..management_route(
            Post,
            "/manage/assignments",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IdempotencyKey],
                extra_refusals: &[RefusalCode::NotFound],
                ..create_operation(
                    "makeAssignment",
                    OperationTag::Assignments,
                    &handlers::NEW_ASSIGNMENT,
                    &handlers::ASSIGNMENT,
                )
            },
            |state, request| Box::pin(handlers::create_assignment(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the assignments to an organization, for operators.",
        ..management_route(
            Get,
            "/manage/assignments",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                query: handlers::QUERY,
                extra_refusals: &[RefusalCode::NotFound],
                ..list_operation("listInstanceAssignments", OperationTag::Assignments, &handlers::ASSIGNMENT)
            },
            |state, request| Box::pin(handlers::list_organization_assignments(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an assignment.",
        ..management_route(
            Get,
            "/manage/assignments/{assignment}",
            OverInstance(READ_INSTANCE),
            show_operation("getAssignment", OperationTag::Assignments, &handlers::ASSIGNMENT),
            |state, request| Box::pin(handlers::show_assignment(state, request)),
        )
    },
    RouteEntry {
        description: "Ends an assignment early.",
        ..management_route(
            Delete,
            "/manage/assignments/{assignment}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("endAssignment", OperationTag::Assignments)
            },
            |state, request| Box::pin(handlers::end_assignment(state, request)),
        )
    },
    RouteEntry {
        description: "Issues an impersonation token for the member of the caller's own assignment. It is valid for five minutes, names the operator in `act`, and has no administrative permissions.",
        ..management_route(
            Post,
            "/manage/assignments/{assignment}/impersonate",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                request: Some(&impersonation::IMPERSONATION),
                extra_refusals: &[
                    RefusalCode::Conflict,
                    RefusalCode::InvalidScope,
                    RefusalCode::InvalidTarget,
                ],
                ..show_operation(
                    "impersonate",
                    OperationTag::Assignments,
                    &impersonation::IMPERSONATION_TOKEN,
                )
            },
            |state, request| Box::pin(impersonation::start_impersonation(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the assignments to an organization, for its members.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/assignments",
            InOrganization(READ_AUDIT),
            list_operation("listAssignments", OperationTag::Assignments, &handlers::ASSIGNMENT),
            |state, request| Box::pin(handlers::list_assignments(state, request)),
        )
    },
];
