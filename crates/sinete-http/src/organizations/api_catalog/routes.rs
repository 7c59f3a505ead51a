//! The routes of APIs, of the instance and of organizations.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation, update_operation,
};
use crate::organizations::api_catalog::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{
    MANAGE_APIS, OPERATE_INSTANCE, READ_APIS, READ_INSTANCE,
};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{Etag, IdempotencyKey, IfMatch, Mutation};
use sinete_server::route::RequiredPermission::{InOrganization, OverInstance};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the APIs that an organization may use: its own and those offered to it.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/apis",
            InOrganization(READ_APIS),
            list_operation("listApis", OperationTag::Apis, &handlers::API),
            |state, request| Box::pin(handlers::list_apis(state, request)),
        )
    },
    RouteEntry {
        description: "Creates an API of the organization.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/apis",
            InOrganization(MANAGE_APIS),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag, Mutation],
                ..create_operation("createApi", OperationTag::Apis, &handlers::NEW_API, &handlers::API)
            },
            |state, request| Box::pin(handlers::create_api(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an API that the organization may use.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization(READ_APIS),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getApi", OperationTag::Apis, &handlers::API)
            },
            |state, request| Box::pin(handlers::show_api(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the protected resource metadata and the challenge of an API.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/apis/{api}/protected-resource",
            InOrganization(READ_APIS),
            show_operation("getProtectedResource", OperationTag::Apis, &handlers::PROTECTED_RESOURCE),
            |state, request| Box::pin(handlers::show_protected_resource(state, request)),
        )
    },
    RouteEntry {
        description: "Updates an API of the organization.",
        ..management_route(
            Patch,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization(MANAGE_APIS),
            ApiOperation {
                request: Some(&handlers::API_PATCH),
                ..update_operation("updateApi", OperationTag::Apis, &handlers::API)
            },
            |state, request| Box::pin(handlers::update_api(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes an API of the organization. Its permissions no longer have an effect.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization(MANAGE_APIS),
            ApiOperation {
                conventions: &[IfMatch, Mutation],
                ..command_operation("removeApi", OperationTag::Apis)
            },
            |state, request| Box::pin(handlers::delete_api(state, request)),
        )
    },
    RouteEntry {
        description: "Lists every API.",
        ..management_route(
            Get,
            "/manage/apis",
            OverInstance(READ_INSTANCE),
            list_operation("listInstanceApis", OperationTag::Apis, &handlers::API),
            |state, request| Box::pin(handlers::list_apis(state, request)),
        )
    },
    RouteEntry {
        description: "Creates an API of the instance.",
        ..management_route(
            Post,
            "/manage/apis",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IdempotencyKey, Etag],
                ..create_operation(
                    "createInstanceApi",
                    OperationTag::Apis,
                    &handlers::NEW_API,
                    &handlers::API,
                )
            },
            |state, request| Box::pin(handlers::create_api(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves any API.",
        ..management_route(
            Get,
            "/manage/apis/{api}",
            OverInstance(READ_INSTANCE),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getInstanceApi", OperationTag::Apis, &handlers::API)
            },
            |state, request| Box::pin(handlers::show_api(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the protected resource metadata and the challenge of any API.",
        ..management_route(
            Get,
            "/manage/apis/{api}/protected-resource",
            OverInstance(READ_INSTANCE),
            show_operation("getInstanceProtectedResource", OperationTag::Apis, &handlers::PROTECTED_RESOURCE),
            |state, request| Box::pin(handlers::show_protected_resource(state, request)),
        )
    },
    RouteEntry {
        description: "Updates an API of the instance.",
        ..management_route(
            Patch,
            "/manage/apis/{api}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                request: Some(&handlers::API_PATCH),
                ..update_operation("updateInstanceApi", OperationTag::Apis, &handlers::API)
            },
            |state, request| Box::pin(handlers::update_api(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes an API of the instance. Its permissions no longer have an effect.",
        ..management_route(
            Delete,
            "/manage/apis/{api}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[IfMatch, Mutation],
                ..command_operation("removeInstanceApi", OperationTag::Apis)
            },
            |state, request| Box::pin(handlers::delete_api(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the organizations that an API of the instance is offered to.",
        ..management_route(
            Get,
            "/manage/apis/{api}/offers",
            OverInstance(READ_INSTANCE),
            show_operation("listApiOffers", OperationTag::Apis, &handlers::OFFERS),
            |state, request| Box::pin(handlers::list_api_offers(state, request)),
        )
    },
    RouteEntry {
        description: "Offers an API of the instance to an organization.",
        ..management_route(
            Put,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..command_operation("offerApi", OperationTag::Apis)
            },
            |state, request| Box::pin(handlers::offer_api(state, request)),
        )
    },
    RouteEntry {
        description: "Withdraws the offer of an API. The organization's roles lose its permissions.",
        ..management_route(
            Delete,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance(OPERATE_INSTANCE),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::PreconditionFailed],
                ..command_operation("withdrawApiOffer", OperationTag::Apis)
            },
            |state, request| Box::pin(handlers::withdraw_api_offer(state, request)),
        )
    },
];
