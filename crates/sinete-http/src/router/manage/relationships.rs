//! The rows about relationships at APIs.

use super::super::managed;
use super::{lists, shows};
use crate::manage::relationships::{self, CHANGES, QUERY, RELATIONSHIP, RELATIONSHIPS_CHANGED};
use crate::route::Convention::{Changes, Paged};
use crate::route::Needs::{InOrganization, OverInstance};
use crate::route::Verb::{Get, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists relationships of the organization at an API that it may use.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization("apis:read"),
            Operation {
                follows: &[Paged],
                query: QUERY,
                ..lists("listRelationships", Tag::Apis, &RELATIONSHIP)
            },
            |state, call| Box::pin(relationships::list(state, call)),
        )
    },
    Route {
        description: "Adds and removes relationships at an API of the organization's own, all of them or none.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization("apis:relate"),
            changing("changeRelationships"),
            |state, call| Box::pin(relationships::change(state, call)),
        )
    },
    Route {
        description: "Lists relationships of an organization at an API of the instance's that it is offered.",
        ..managed(
            Get,
            "/manage/apis/{api}/organizations/{organization}/relationships",
            OverInstance("instance:read"),
            Operation {
                follows: &[Paged],
                query: QUERY,
                ..lists("listInstanceRelationships", Tag::Apis, &RELATIONSHIP)
            },
            |state, call| Box::pin(relationships::list_of(state, call)),
        )
    },
    Route {
        description: "Adds and removes relationships of an organization at an API of the instance's, all of them or none.",
        ..managed(
            Post,
            "/manage/apis/{api}/organizations/{organization}/relationships",
            OverInstance("instance:relate"),
            changing("changeInstanceRelationships"),
            |state, call| Box::pin(relationships::change_of(state, call)),
        )
    },
];

const fn changing(id: &'static str) -> Operation {
    Operation {
        request: Some(&CHANGES),
        follows: &[Changes],
        refuses: &[RefusalCode::PreconditionFailed],
        ..shows(id, Tag::Apis, &RELATIONSHIPS_CHANGED)
    }
}
