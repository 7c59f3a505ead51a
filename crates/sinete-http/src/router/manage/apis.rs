//! The rows about APIs: the instance's, and an organization's own.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::apis;
use crate::route::ApiConvention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::RequiredPermission::{InOrganization, OverInstance};
use crate::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the APIs that an organization may use: its own and those offered to it.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis",
            InOrganization("apis:read"),
            lists("listApis", OperationTag::Apis, &apis::API),
            |state, call| Box::pin(apis::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an API of the organization's own.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/apis",
            InOrganization("apis:manage"),
            ApiOperation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createApi", OperationTag::Apis, &apis::NEW_API, &apis::API)
            },
            |state, call| Box::pin(apis::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows an API that the organization may use.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:read"),
            ApiOperation { follows: &[Tagged], ..shows("getApi", OperationTag::Apis, &apis::API) },
            |state, call| Box::pin(apis::show(state, call)),
        )
    },
    RouteEntry {
        description: "Shows what an API has to publish, and the exact challenge it answers.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}/protected-resource",
            InOrganization("apis:read"),
            shows("getProtectedResource", OperationTag::Apis, &apis::PROTECTED_RESOURCE),
            |state, call| Box::pin(apis::protected_resource(state, call)),
        )
    },
    RouteEntry {
        description: "Changes an API of the organization's own.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:manage"),
            ApiOperation {
                request: Some(&apis::API_PATCH),
                ..changes("updateApi", OperationTag::Apis, &apis::API)
            },
            |state, call| Box::pin(apis::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes an API of the organization's own: nobody holds any of its permissions any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:manage"),
            ApiOperation { follows: &[Guarded, Changes], ..does("removeApi", OperationTag::Apis) },
            |state, call| Box::pin(apis::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Lists every API there is.",
        ..managed(
            Get,
            "/manage/apis",
            OverInstance("instance:read"),
            lists("listInstanceApis", OperationTag::Apis, &apis::API),
            |state, call| Box::pin(apis::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an API of the instance's.",
        ..managed(
            Post,
            "/manage/apis",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Repeatable, Tagged],
                ..makes("createInstanceApi", OperationTag::Apis, &apis::NEW_API, &apis::API)
            },
            |state, call| Box::pin(apis::create(state, call)),
        )
    },
    RouteEntry {
        description: "Shows any API.",
        ..managed(
            Get,
            "/manage/apis/{api}",
            OverInstance("instance:read"),
            ApiOperation { follows: &[Tagged], ..shows("getInstanceApi", OperationTag::Apis, &apis::API) },
            |state, call| Box::pin(apis::show(state, call)),
        )
    },
    RouteEntry {
        description: "Shows what any API has to publish, and the exact challenge it answers.",
        ..managed(
            Get,
            "/manage/apis/{api}/protected-resource",
            OverInstance("instance:read"),
            shows("getInstanceProtectedResource", OperationTag::Apis, &apis::PROTECTED_RESOURCE),
            |state, call| Box::pin(apis::protected_resource(state, call)),
        )
    },
    RouteEntry {
        description: "Changes an API of the instance's.",
        ..managed(
            Patch,
            "/manage/apis/{api}",
            OverInstance("instance:operate"),
            ApiOperation {
                request: Some(&apis::API_PATCH),
                ..changes("updateInstanceApi", OperationTag::Apis, &apis::API)
            },
            |state, call| Box::pin(apis::change(state, call)),
        )
    },
    RouteEntry {
        description: "Removes an API of the instance's: nobody holds any of its permissions any more.",
        ..managed(
            Delete,
            "/manage/apis/{api}",
            OverInstance("instance:operate"),
            ApiOperation { follows: &[Guarded, Changes], ..does("removeInstanceApi", OperationTag::Apis) },
            |state, call| Box::pin(apis::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the organizations that an API of the instance's is offered to one by one.",
        ..managed(
            Get,
            "/manage/apis/{api}/offers",
            OverInstance("instance:read"),
            shows("listApiOffers", OperationTag::Apis, &apis::OFFERS),
            |state, call| Box::pin(apis::offers(state, call)),
        )
    },
    RouteEntry {
        description: "Offers an API of the instance's to an organization.",
        ..managed(
            Put,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("offerApi", OperationTag::Apis)
            },
            |state, call| Box::pin(apis::offer(state, call)),
        )
    },
    RouteEntry {
        description: "Takes an offer back: whatever its roles say, the organization holds nothing at the API.",
        ..managed(
            Delete,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance("instance:operate"),
            ApiOperation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("withdrawApiOffer", OperationTag::Apis)
            },
            |state, call| Box::pin(apis::withdraw(state, call)),
        )
    },
];
