//! The rows about assignments.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::{assignments, impersonation};
use crate::route::Convention::Repeatable;
use crate::route::Needs::{InOrganization, OverInstance};
use crate::route::Verb::{Delete, Get, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Assigns an operator to act inside an organization or as one of its members; never oneself.",
        ..managed(
            Post,
            "/manage/assignments",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Repeatable],
                refuses: &[RefusalCode::NotFound],
                ..makes(
                    "makeAssignment",
                    Tag::Assignments,
                    &assignments::NEW_ASSIGNMENT,
                    &assignments::ASSIGNMENT,
                )
            },
            |state, call| Box::pin(assignments::make(state, call)),
        )
    },
    Route {
        description: "Lists the assignments concerning an organization, for those who run the instance.",
        ..managed(
            Get,
            "/manage/assignments",
            OverInstance("instance:read"),
            Operation {
                query: assignments::QUERY,
                refuses: &[RefusalCode::NotFound],
                ..lists("listInstanceAssignments", Tag::Assignments, &assignments::ASSIGNMENT)
            },
            |state, call| Box::pin(assignments::list_of(state, call)),
        )
    },
    Route {
        description: "Shows an assignment.",
        ..managed(
            Get,
            "/manage/assignments/{assignment}",
            OverInstance("instance:read"),
            shows("getAssignment", Tag::Assignments, &assignments::ASSIGNMENT),
            |state, call| Box::pin(assignments::show(state, call)),
        )
    },
    Route {
        description: "Ends an assignment before its time.",
        ..managed(
            Delete,
            "/manage/assignments/{assignment}",
            OverInstance("instance:operate"),
            Operation { refuses: &[RefusalCode::Conflict], ..does("endAssignment", Tag::Assignments) },
            |state, call| Box::pin(assignments::end(state, call)),
        )
    },
    Route {
        description: "Acts as the member that one's own assignment names: a token of five minutes that says so, for nothing that administers.",
        ..managed(
            Post,
            "/manage/assignments/{assignment}/impersonate",
            OverInstance("instance:read"),
            Operation {
                request: Some(&impersonation::IMPERSONATION),
                refuses: &[RefusalCode::Conflict, RefusalCode::InvalidScope, RefusalCode::InvalidTarget],
                ..shows("impersonate", Tag::Assignments, &impersonation::IMPERSONATION_TOKEN)
            },
            |state, call| Box::pin(impersonation::begin(state, call)),
        )
    },
    Route {
        description: "Lists the assignments concerning an organization, for the organization itself.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/assignments",
            InOrganization("audit:read"),
            lists("listAssignments", Tag::Assignments, &assignments::ASSIGNMENT),
            |state, call| Box::pin(assignments::list(state, call)),
        )
    },
];
