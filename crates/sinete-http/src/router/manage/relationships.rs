//! The rows about relationships at APIs.

use super::super::managed;
use super::{lists, shows};
use crate::manage::relationships::{self, CHANGES, QUERY, RELATIONSHIP, RELATIONSHIPS_CHANGED};
use crate::route::ApiConvention::{Changes, Paged};
use crate::route::RequiredPermission::{InOrganization, OverInstance};
use crate::route::RouteMethod::{Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists relationships of the organization at an API that it may use.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization("apis:read"),
            ApiOperation {
                follows: &[Paged],
                query: QUERY,
                ..lists("listRelationships", OperationTag::Apis, &RELATIONSHIP)
            },
            |state, call| Box::pin(relationships::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds and removes relationships at an API of the organization's own, all of them or none.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization("apis:relate"),
            changing("changeRelationships"),
            |state, call| Box::pin(relationships::change(state, call)),
        )
    },
    RouteEntry {
        description: "Lists relationships of an organization at an API of the instance's that it is offered.",
        ..managed(
            Get,
            "/manage/apis/{api}/organizations/{organization}/relationships",
            OverInstance("instance:read"),
            ApiOperation {
                follows: &[Paged],
                query: QUERY,
                ..lists("listInstanceRelationships", OperationTag::Apis, &RELATIONSHIP)
            },
            |state, call| Box::pin(relationships::list_of(state, call)),
        )
    },
    RouteEntry {
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

const fn changing(id: &'static str) -> ApiOperation {
    ApiOperation {
        request: Some(&CHANGES),
        follows: &[Changes],
        refuses: &[RefusalCode::PreconditionFailed],
        ..shows(id, OperationTag::Apis, &RELATIONSHIPS_CHANGED)
    }
}
