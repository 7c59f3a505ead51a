//! The routes of relationships.

use crate::authzen::relationships::handlers::{self, CHANGES, QUERY, RELATIONSHIP, RELATIONSHIPS_CHANGED};
use crate::management_api::operations::management_route;
use crate::management_api::operations::{list_operation, show_operation};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{
    READ_APIS, READ_INSTANCE, RELATE_APIS, RELATE_INSTANCE,
};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Mutation, Paged};
use sinete_server::route::RequiredPermission::{InOrganization, OverInstance};
use sinete_server::route::RouteMethod::{Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists relationships of the organization at an API that it may use.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization(READ_APIS),
            ApiOperation {
                conventions: &[Paged],
                query: QUERY,
                ..list_operation("listRelationships", OperationTag::Apis, &RELATIONSHIP)
            },
            |state, request| Box::pin(handlers::list_relationships(state, request)),
        )
    },
    RouteEntry {
        description: "Adds and removes relationships at an API of the organization, in one transaction.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/apis/{api}/relationships",
            InOrganization(RELATE_APIS),
            change_operation("changeRelationships"),
            |state, request| Box::pin(handlers::change_relationships(state, request)),
        )
    },
    RouteEntry {
        description: "Lists relationships of an organization at an API of the instance.",
        ..management_route(
            Get,
            "/manage/apis/{api}/organizations/{organization}/relationships",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                conventions: &[Paged],
                query: QUERY,
                ..list_operation("listInstanceRelationships", OperationTag::Apis, &RELATIONSHIP)
            },
            |state, request| Box::pin(handlers::list_organization_relationships(state, request)),
        )
    },
    RouteEntry {
        description: "Adds and removes relationships of an organization at an API of the instance, in one transaction.",
        ..management_route(
            Post,
            "/manage/apis/{api}/organizations/{organization}/relationships",
            OverInstance(RELATE_INSTANCE),
            change_operation("changeInstanceRelationships"),
            |state, request| Box::pin(handlers::change_organization_relationships(state, request)),
        )
    },
];

const fn change_operation(id: &'static str) -> ApiOperation {
    ApiOperation {
        request: Some(&CHANGES),
        conventions: &[Mutation],
        extra_refusals: &[RefusalCode::PreconditionFailed],
        ..show_operation(id, OperationTag::Apis, &RELATIONSHIPS_CHANGED)
    }
}
