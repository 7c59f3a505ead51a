//! The rows about assignments.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::{assignments, impersonation};
use crate::route::ApiConvention::Repeatable;
use crate::route::RequiredPermission::{InOrganization, OverInstance};
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Assigns an operator to act inside an organization or as one of its members; never oneself.",
        ..managed(
            Post,
            "/manage/assignments",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Repeatable],
                refuses: &[RefusalCode::NotFound],
                ..makes(
                    "makeAssignment",
                    OperationTag::Assignments,
                    &assignments::NEW_ASSIGNMENT,
                    &assignments::ASSIGNMENT,
                )
            },
            |state, call| Box::pin(assignments::make(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the assignments concerning an organization, for those who run the instance.",
        ..managed(
            Get,
            "/manage/assignments",
            OverInstance("instance:read"),
            ApiOperation {
                query: assignments::QUERY,
                refuses: &[RefusalCode::NotFound],
                ..lists("listInstanceAssignments", OperationTag::Assignments, &assignments::ASSIGNMENT)
            },
            |state, call| Box::pin(assignments::list_of(state, call)),
        )
    },
    RouteEntry {
        description: "Shows an assignment.",
        ..managed(
            Get,
            "/manage/assignments/{assignment}",
            OverInstance("instance:read"),
            shows("getAssignment", OperationTag::Assignments, &assignments::ASSIGNMENT),
            |state, call| Box::pin(assignments::show(state, call)),
        )
    },
    RouteEntry {
        description: "Ends an assignment before its time.",
        ..managed(
            Delete,
            "/manage/assignments/{assignment}",
            OverInstance("instance:operate"),
            ApiOperation {
                refuses: &[RefusalCode::Conflict],
                ..does("endAssignment", OperationTag::Assignments)
            },
            |state, call| Box::pin(assignments::end(state, call)),
        )
    },
    RouteEntry {
        description: "Acts as the member that one's own assignment names: a token of five minutes that says so, for nothing that administers.",
        ..managed(
            Post,
            "/manage/assignments/{assignment}/impersonate",
            OverInstance("instance:read"),
            ApiOperation {
                request: Some(&impersonation::IMPERSONATION),
                refuses: &[RefusalCode::Conflict, RefusalCode::InvalidScope, RefusalCode::InvalidTarget],
                ..shows("impersonate", OperationTag::Assignments, &impersonation::IMPERSONATION_TOKEN)
            },
            |state, call| Box::pin(impersonation::begin(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the assignments concerning an organization, for the organization itself.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/assignments",
            InOrganization("audit:read"),
            lists("listAssignments", OperationTag::Assignments, &assignments::ASSIGNMENT),
            |state, call| Box::pin(assignments::list(state, call)),
        )
    },
];
